// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LayoutService

@Suite("Kinds of events that take long", .timeLimit(.minutes(1)))
struct SlowKindsTests {
  @Test("a kind stays slow until so many quick events of it came in a row, whatever others do")
  func memory() {
    var kinds = SlowKinds()
    #expect(!kinds.contains(.measurements))
    kinds.note(.measurements, tookLong: true)
    for _ in 1 ..< SlowKinds.quickEvents {
      kinds.note(.viewport, tookLong: false)
      kinds.note(.measurements, tookLong: false)
      #expect(kinds.contains(.measurements))
    }
    #expect(!kinds.contains(.viewport))
    kinds.note(.measurements, tookLong: false)
    #expect(!kinds.contains(.measurements))
  }

  @Test("of costly events with small ones in between, only the first is not known to be slow")
  func alternating() {
    var kinds = SlowKinds()
    var surprises = 0
    for _ in 0 ..< 100 {
      if !kinds.contains(.measurements) { surprises += 1 }
      kinds.note(.measurements, tookLong: true)
      for _ in 1 ..< SlowKinds.quickEvents { kinds.note(.measurements, tookLong: false) }
    }
    #expect(surprises == 1)
  }
}
