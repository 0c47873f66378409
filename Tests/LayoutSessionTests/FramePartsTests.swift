// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Frame parts and windows", .timeLimit(.minutes(2)))
struct FramePartsTests {
  @Test("parts put together are the frame", arguments: [1, 2, 3, 7, 10, 1000])
  func parts(limit: Int) throws {
    var scene = Scene(.keyed(30), layout: ListLayout())
    scene.update(
      [.delete(0 ..< 4), .insert("x", "y", "z", at: 2), .delete(20 ..< 22)],
      animated: true
    )
    let frame = try #require(scene.frames.first)
    let parts = frame.parts(maxElements: limit)
    #expect(parts.map(\.isContinued) == parts.indices.map { $0 < parts.count - 1 })
    #expect(parts.filter { $0.elementCount > limit }.isEmpty)
    #expect(Set(parts.map(\.sequence)) == [frame.sequence])
    #expect(Set(parts.map(\.baseSequence)) == [frame.baseSequence])
    #expect(parts.flatMap { $0.upserts.map(\.slot) } == frame.upserts.map(\.slot))
    #expect(parts.flatMap(\.keys) == frame.keys)
    #expect(parts.flatMap(\.removedSlots) == frame.removedSlots)
    #expect(parts.reduce(.zero) { $0 + $1.offsetAdjustment } == frame.offsetAdjustment)
    #expect(parts.compactMap(\.contentSize) == [frame.contentSize].compactMap { $0 })
    let whole = try #require(frame.transition)
    let transitions = parts.compactMap(\.transition)
    #expect(transitions.flatMap { $0.appearing.map(\.slot) } == whole.appearing.map(\.slot))
    #expect(transitions.flatMap { $0.disappearing.map(\.slot) } == whole.disappearing.map(\.slot))
    let keys =
      transitions.flatMap { $0.keys.prefix($0.appearing.count) }
      + transitions.flatMap { $0.keys.dropFirst($0.appearing.count) }
    #expect(keys == whole.keys)
  }

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
