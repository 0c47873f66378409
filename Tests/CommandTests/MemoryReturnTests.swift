// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ServerCommand

@Suite("Giving memory back to the system", .timeLimit(.minutes(1)))
struct MemoryReturnTests {
  private static let megabyte = 1 << 20

  /// For each look at the process, whether memory is given back; the process then has `after`
  /// megabytes.
  ///
  /// - Parameter looks: resident and allocated megabytes.
  private static func looks(_ looks: [(resident: Int, used: Int)], after: Int) -> [Bool] {
    var rule = MemoryReturnRule()
    return looks.map { look in
      let isDue = rule.isDue(look.resident * megabyte) { look.used * megabyte }
      if isDue { rule.gaveBack(after * megabyte, used: look.used * megabyte) }
      return isDue
    }
  }

  @Test("happens once a wave is over, and not while it grows")
  func wave() {
    #expect(
      Self.looks(
        [(50, 10), (700, 600), (1400, 1300), (2000, 1900), (2010, 30), (150, 30)],
        after: 150
      ) == [false, false, false, false, true, false]
    )
  }

  @Test("does not happen for memory that is in use, but once it is freed, however much later")
  func inUse() {
    #expect(
      Self.looks([(600, 560), (600, 560), (600, 560), (600, 20), (80, 20)], after: 80)
        == [false, false, false, true, false]
    )
  }

  @Test("happens again only when much has been freed since, for some cannot be given back")
  func again() {
    #expect(
      Self.looks(
        [(1000, 100), (1000, 100), (1000, 100), (1100, 150), (1100, 80), (1100, 10)],
        after: 900
      ) == [false, true, false, false, false, true]
    )
  }

  @Test("is not for small processes")
  func small() {
    #expect(
      Self.looks([(200, 9), (200, 9), (255, 9), (255, 9)], after: 50) == [
        false, false, false, false,
      ]
    )
  }
}
