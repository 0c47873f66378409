// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ServerCommand

@Suite("Giving memory back to the system", .timeLimit(.minutes(1)))
struct MemoryReturnTests {
  private static let megabyte = 1 << 20

  /// For each look at the process, whether memory is given back; the process then has `after`
  /// megabytes.
  private static func looks(_ resident: [Int], after: Int) -> [Bool] {
    var rule = MemoryReturnRule()
    return resident.map { megabytes in
      let isDue = rule.isDue(megabytes * megabyte)
      if isDue { rule.gaveBack(after * megabyte) }
      return isDue
    }
  }

  @Test("happens once a wave is over, and not while it grows")
  func wave() {
    #expect(
      Self.looks([50, 700, 1400, 2000, 2010, 150], after: 150)
        == [false, false, false, false, true, false]
    )
  }

  @Test("happens again only when much has come since, for memory that is in use stays")
  func inUse() {
    #expect(
      Self.looks([1000, 1000, 1000, 1100, 1100, 1300, 1300], after: 1000)
        == [false, true, false, false, false, false, true]
    )
  }

  @Test("starts anew when memory has been freed")
  func freed() {
    #expect(
      Self.looks([1000, 1000, 300, 300, 500, 500], after: 1000)
        == [false, true, false, false, false, true]
    )
  }

  @Test("is not for small processes")
  func small() {
    #expect(Self.looks([200, 200, 255, 255], after: 50) == [false, false, false, false])
  }
}
