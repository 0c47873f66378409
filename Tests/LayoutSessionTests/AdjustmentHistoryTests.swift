// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Adjustments and windows", .timeLimit(.minutes(2)))
struct AdjustmentHistoryTests {
  @Test("adjustments since a frame are those of later frames, however old it is")
  func history() {
    var history = AdjustmentHistory()
    for frame in 1 ... 200 as ClosedRange<UInt64> {
      history.record(Point(x: 0, y: Double(frame)), of: frame)
    }
    #expect(history.adjustment(since: 200) == .zero)
    #expect(history.adjustment(since: 300) == .zero)
    #expect(history.adjustment(since: 197) == Point(x: 0, y: 198 + 199 + 200))
    // Older than what is kept: as much as is known.
    #expect(history.adjustment(since: 3) == history.adjustment(since: 136))
  }

  @Test(
    "with other numbers a history says the same of each frame",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func renumbered(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var history = AdjustmentHistory()
    let last: UInt64 = 1 + random.next() % 120
    for frame in 1 ... last where random.chance(40) {
      history.record(Point(x: 0, y: Double(random.int(-9 ... 9))), of: frame)
    }
    let shift = Int64(random.int(-150 ... 150))
    var other = history
    other.renumber(by: shift)
    for frame in 0 ... last {
      guard let number = UInt64(exactly: Int64(frame) + shift) else { continue }
      #expect(other.adjustment(since: number) == history.adjustment(since: frame))
    }
    #expect(other.isSame(as: history, shift: shift, from: .min))
    #expect(other.isSame(as: history, shift: shift, from: 1))
    other.renumber(by: -shift)
    #expect(other.isSame(as: history, shift: 0, from: .min))
    var further = other
    further.record(Point(x: 1, y: 0), of: last + 1)
    #expect(!further.isSame(as: history, shift: 0, from: 1))
  }

  @Test("a coverage never exceeds sixteen viewports", arguments: [0, 0.5, 1, 2, 5])
  func coverageArea(overscan: Double) {
    let visible = Rect(x: 0, y: 0, width: 100, height: 100)
    for axis in [ScrollAxis.vertical, .horizontal, nil] {
      for motion in [Point.zero, Point(x: 3, y: -3)] {
        let rect = Overscan(ahead: overscan, behind: overscan, motion: motion)
          .wantedRect(around: visible, axis: axis)
        #expect(rect.contains(visible))
        #expect(rect.width * rect.height <= 160_000.001)
      }
    }
  }
}
