// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

extension SplitMix64 {
  mutating func gridLanes(along axis: ScrollAxis? = nil) -> GridLanesLayout {
    var layout = GridLanesLayout(
      scrollAxis: axis ?? (chance(50) ? .vertical : .horizontal),
      lanes: (0 ..< int(1 ... 4)).map { _ in gridLane() }
    )
    if chance(30) {
      layout.lanes.append(GridLane(.length(length(20 ... 90)), repetition: .autoFill))
    }
    layout.laneSpacing = chance(40) ? 0 : length(0 ... 20)
    layout.itemSpacing = chance(40) ? 0 : length(0 ... 20)
    layout.flowTolerance = chance(30) ? 0 : length(0 ... 60)
    layout.fillReverse = chance(30)
    layout.trackReverse = chance(30)
    layout.isDense = chance(40)
    if chance(50) {
      layout.placements = [
        GridLanePlacement(cellKind: "wide", span: int(1 ... 4)),
        GridLanePlacement(cellKind: "last", span: int(1 ... 2), lane: int(1 ... 6)),
      ]
    }
    layout.sectionInset = insets(0 ... 20)
    layout.headerHeight = chance(50) ? 0 : length(0 ... 50)
    layout.footerHeight = chance(50) ? 0 : length(0 ... 50)
    layout.headersPinToVisibleBounds = chance(30)
    return layout
  }

  private mutating func gridLane() -> GridLane {
    GridLane(
      chance(50) ? .length(length(10 ... 90)) : .fraction(length(1 ... 4)),
      minimum: chance(40) ? length(0 ... 60) : nil,
      repetition: .count(int(1 ... 3))
    )
  }

  private mutating func laneBlock(_ count: Int) -> ItemBlock {
    let isUniform = chance(15)
    func column(_ make: (inout SplitMix64) -> Double, _ random: inout SplitMix64) -> [Double] {
      isUniform ? [make(&random)] : (0 ..< count).map { _ in make(&random) }
    }
    let heights = chance(10) ? [] : column({ $0.length(0 ... 120) }, &self)
    let widths = chance(60) ? [] : column({ $0.length(1 ... 120) }, &self)
    let kinds = chance(40) ? [] : (0 ..< count).map { _ in max(0, int(-3 ... 2)) }
    return ItemBlock(count: count, widths: widths, heights: heights, cellKinds: kinds)
  }

  mutating func laneContents(items: Int) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< int(0 ... 4)).map { _ in
        let count = chance(20) ? 0 : int(0 ... items)
        var metrics = SectionMetrics()
        if chance(20) { metrics.inset = insets(0 ... 30) }
        if chance(20) { metrics.lineSpacing = length(0 ... 20) }
        return SectionContents(metrics: metrics, blocks: count == 0 ? [] : [laneBlock(count)])
      },
      cellKindNames: ["", "wide", "last"]
    )
  }

  mutating func laneEdit(of contents: CollectionContents) -> UpdateBatch {
    guard contents.sectionCount > 0 else {
      return UpdateBatch(
        change: .operations([.insertSections(at: 0, [SectionContents(blocks: [laneBlock(20)])])])
      )
    }
    let section = int(0 ... contents.sectionCount - 1)
    let count = contents.section(at: section).items.count
    let operation: UpdateOperation
    switch int(0 ... 3) {
    case 0 where count > 0:
      let first = int(0 ... count - 1)
      operation = .deleteItems(section: section, items: first ..< min(count, first + int(1 ... 3)))
    case 1 where count > 0:
      let item = int(0 ... count - 1)
      operation = .reconfigureItems(
        section: section,
        items: item ..< item + 1,
        blocks: [ItemBlock(count: 1, heights: [length(0 ... 90)], cellKinds: [int(0 ... 2)])]
      )
    case 2 where count > 1:
      operation = .moveItem(
        from: IndexPath(section: section, item: int(0 ... count - 1)),
        to: IndexPath(section: section, item: int(0 ... count - 1))
      )
    default:
      operation = .insertItems(
        at: IndexPath(section: section, item: int(0 ... count)),
        items: [laneBlock(int(1 ... 4))]
      )
    }
    return UpdateBatch(change: .operations([operation]))
  }
}
