// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LayoutService

@Suite("Sweeps", .timeLimit(.minutes(1)))
struct SweepTests {
  @Test("remove what is not needed whenever there is twice as much as the last one left")
  func doubling() {
    var (sweep, entries, counts) = (Sweep(), [Int: Int](), [Int]())
    for number in 0 ..< 1000 {
      entries[number] = number
      // Every second one is needed for ever.
      if sweep.sweep(&entries, keeping: { $0 % 2 == 0 }) { counts.append(entries.count) }
    }
    let needed = entries.values.filter { $0 % 2 == 0 }
    #expect(needed.count == 500)
    #expect(counts.first == 32 && counts.count < 10 && counts == counts.sorted())
  }
}
