// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Room between grid lanes", .timeLimit(.minutes(3)))
struct GridLanesGapTests {
  private static let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)

  @Test("an item across lanes is found between them", arguments: [false, true])
  func acrossLanes(trackReverse: Bool) {
    let layout = GridLanesLayout(
      lanes: [GridLane(.fraction(1), repetition: .count(4))],
      laneSpacing: 100,
      trackReverse: trackReverse,
      placements: [GridLanePlacement(cellKind: "wide", span: 4)]
    )
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 3, heights: [50], cellKinds: [1])])],
      cellKindNames: ["", "wide"]
    )
    let container = LayoutContainer(size: Size(width: 780, height: 400))
    let prepared = layout.prepare(LayoutContext(contents: contents, container: container))
    let viewport = Viewport(of: container)
    for x in [0.5, 120, 170, 220, 340, 390, 440, 560, 610, 660, 779] {
      let queries = LayoutQueries(prepared, viewport: viewport)
      #expect(queries.hitTest(Point(x: x, y: 75))?.key.indexPath.item == 1, "\(x)")
      // As thin as possible, and at the start of a lane in some cases.
      let line = Rect(x: x, y: 60, width: 0, height: 10)
      #expect(prepared.probed(in: line, viewport).map(\.key.indexPath.item) == [1], "\(x)")
    }
  }

  @Test("a query in the room between lanes gives what all elements give", arguments: 0 ..< 100)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: 5000 + seed)
    var layout = random.gridLanes()
    layout.laneSpacing = random.length(5 ... 40)
    layout.placements = [
      GridLanePlacement(cellKind: "wide", span: random.int(2 ... 5)),
      GridLanePlacement(cellKind: "last", span: random.int(1 ... 3), lane: random.int(1 ... 6)),
    ]
    let contents = random.laneContents(items: random.chance(15) ? 900 : 60)
    let container = random.container()
    let prepared = layout.prepare(LayoutContext(contents: contents, container: container))
    let viewport = Viewport(of: container)
    let all = prepared.probed(in: Self.everywhere, viewport)
    guard !all.isEmpty else { return }
    for _ in 0 ..< 60 {
      let rect = random.thinRect(
        behind: all[random.below(all.count)].attributes.frame,
        along: layout.scrollAxis,
        spacing: layout.laneSpacing
      )
      let expected = all.filter { $0.attributes.boundingBox.meets(rect) }
      #expect(prepared.probed(in: rect, viewport) == expected, "seed \(seed) in \(rect)")
    }
  }
}

extension SplitMix64 {
  /// A rect in the room beside an element across an axis, or at its edge.
  fileprivate mutating func thinRect(
    behind frame: Rect,
    along axis: ScrollAxis,
    spacing: Double
  ) -> Rect {
    var span = axis.axisRect(frame)
    span.cross += chance(50) ? span.crossLength : -spacing
    if chance(70) { span.cross += double(0 ... spacing) }
    span.crossLength = chance(50) ? 0 : double(0 ... 2)
    span.main += double(-20 ... 20)
    span.mainLength = double(0 ... 30)
    return axis.rect(span)
  }
}
