// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Workloads

/// Expanding and collapsing one node of a large outline, as one viewer does.
struct OutlineTrial {
  private let rows: CollectionContents
  private let layout: ListLayout
  private let shared: any PreparedLayout
  private let node: IndexPath
  private let path: IndexPath

  /// An outline of `count` items: nodes with a tenth of them below each, of which the middle one is
  /// toggled.
  ///
  /// - Parameter heights: nil = all rows have the layout's height.
  init(_ count: Int, heights: ClosedRange<Int>?) {
    let below = max(2, count / 10)
    var random = SplitMix64(seed: 3)
    var sections: [ItemBlock] = []
    for root in 0 ..< 10 {
      // Children with nine items below each; everything is expanded.
      let levels = (0 ..< below).map { $0 == 0 ? 0 : $0 % 10 == 1 ? 1 : 2 }
      sections.append(
        ItemBlock(
          count: below,
          heights: heights.map { range in
            (0 ..< below).map { _ in Double(range.lowerBound + random.int(below: range.count)) }
          } ?? [],
          keys: (0 ..< below).map { "\(root)-\($0)" },
          outline: OutlineColumns(levels: levels, expanded: [true])
        )
      )
    }
    let contents = CollectionContents(
      sections: [SectionContents(key: "outline", outline: .perViewer, blocks: sections)]
    )
    rows = contents.rows
    layout = ListLayout(rowHeight: 44)
    shared = layout.prepare(Workload.context(rows))
    node = IndexPath(section: 0, item: 5 * below)
    path = rows.rowPath(ofItem: node) ?? node
  }

  /// Microseconds from the change to the new visible elements: the medians of collapsing and of
  /// expanding.
  func toggles(_ rounds: Int) -> (collapse: Double, expand: Double) {
    var times: (collapse: [Double], expand: [Double]) = ([], [])
    var current = shared
    var contents = rows
    var buffer = ElementBuffer()
    for round in 0 ..< rounds * 2 {
      let isExpanded = round % 2 == 1
      let seconds = Clock.time {
        let change = contents.expanding([ItemExpansion(node, isExpanded: isExpanded)])
        current = layout.update(current, by: change)
        contents = change.new
        let key = ElementKey(category: .cell, kind: "", indexPath: path)
        let viewport = Viewport(offset: .zero, size: Workload.container.size)
        let top = current.attributes(of: key, viewport: viewport)?.frame.minY ?? 0
        buffer.removeAll()
        current.appendElements(
          in: Rect(x: 0, y: top, width: 1024, height: 768),
          viewport: viewport,
          to: &buffer
        )
        for element in buffer.elements { _ = contents.outlinePosition(ofRow: element.indexPath) }
      }
      if isExpanded { times.expand.append(seconds) } else { times.collapse.append(seconds) }
    }
    return (times.collapse.median * 1e6, times.expand.median * 1e6)
  }

  /// Bytes that one viewer takes beyond the others, who all have collapsed another node, over
  /// `viewers`.
  func bytesPerViewer(_ viewers: Int) -> Double {
    var kept: [(CollectionContents, any PreparedLayout)] = []
    kept.reserveCapacity(viewers)
    let before = Memory.allocated ?? 0
    let items = rows.whole.section(at: 0).items.count
    for viewer in 0 ..< viewers {
      // A child with nine items below it.
      let item = (viewer * 7919 * 10 + 1) % items
      let path = IndexPath(section: 0, item: item / 10 * 10 + 1)
      let change = rows.expanding([ItemExpansion(path, isExpanded: false)])
      kept.append((change.new, layout.update(shared, by: change)))
    }
    let bytes = Double((Memory.allocated ?? 0) - before) / Double(viewers)
    withExtendedLifetime(kept) {}
    return bytes
  }
}
