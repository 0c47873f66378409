// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Workloads

/// Scroll steps over the elements that a provider placed, against the same elements of a layout of
/// the server's own. Nothing is fetched: the provider's elements are in the cache.
struct ProvidedTrial {
  private let own: any CollectionLayout
  private let provided: PlacedLayout
  private let contents: CollectionContents
  /// Points from one step to the next, which brings about ten elements and takes ten.
  private static let step = 103.0

  /// - Throws: `PlacementFault` if the layout places what no provider may.
  init(_ layout: any CollectionLayout, _ contents: CollectionContents) throws {
    let prepared = layout.prepare(Workload.context(contents))
    own = layout
    provided = PlacedLayout(try Self.placement(of: prepared), kindName: "custom:provided")
    self.contents = contents
  }

  /// What a provider places that knows the layout: the items in their order.
  private static func placement(of prepared: any PreparedLayout) throws -> Placement {
    let contents = prepared.context.contents
    var builder = PlacementBuilder(contents, elementLimit: contents.itemCount)
    let viewport = Viewport(offset: .zero, size: Workload.container.size)
    var columns = PlacedColumns()
    for section in 0 ..< contents.sectionCount {
      for item in 0 ..< contents.section(at: section).items.count {
        let key = ElementKey(
          category: .cell,
          kind: "",
          indexPath: IndexPath(section: section, item: item)
        )
        guard
          let frame = prepared.attributes(of: key, viewport: viewport)?.frame
        else { continue }
        columns.count += 1
        columns.sections.append(UInt32(section))
        columns.items.append(Int32(item))
        columns.xs.append(frame.x)
        columns.ys.append(frame.y)
        columns.widths.append(frame.width)
        columns.heights.append(frame.height)
      }
    }
    var next: Int? = 0
    while let first = next { next = try builder.add(columns, from: first, atMost: .max) }
    return try builder.finish(
      contentSize: prepared.contentSize,
      elementCount: UInt64(columns.count),
      kindNames: [],
      scrollAxis: prepared.scrollAxis
    )
  }

  /// Microseconds of a step over the server's own elements and over the provider's, and the second
  /// over the first. Both take turns, so that other activity of the machine affects both.
  func steps() -> (own: Double, provided: Double, ratio: Double) {
    var sessions = [
      ScrollingSession(contents, layout: own), ScrollingSession(contents, layout: provided),
    ]
    var times: [[Double]] = [[], []]
    for block in 0 ..< 41 {
      for index in sessions.indices {
        let seconds = Clock.time {
          for step in 1 ... 500 {
            sessions[index].step(to: Double(block * 500 + step) * Self.step)
          }
        }
        times[index].append(seconds * 1e6 / 500)
      }
    }
    let (own, provided) = (times[0].median, times[1].median)
    return (own, provided, provided / own)
  }
}

extension ProvidedTrial {
  /// The layouts of which each shows ten items side by side, or about as many.
  static func all(
    _ count: Int
  ) -> [(name: String, layout: any CollectionLayout, CollectionContents)] {
    let cell = Size(width: 93, height: 93)
    let flow = FlowLayout(
      itemSize: cell,
      minimumLineSpacing: 10,
      minimumInteritemSpacing: 10,
      alignment: .leading
    )
    let grid = GridLayout(itemSize: cell, interitemSpacing: 10, lineSpacing: 10)
    let rows = (0 ..< max(1, count / 10)).map { _ in
      SectionContents(blocks: [ItemBlock(count: 10)])
    }
    return [
      ("flow", flow, Workload.contents(count, .equal)),
      ("grid", grid, CollectionContents(sections: rows)),
      ("spatial", SpatialLayout(), scattered(count)),
    ]
  }

  /// Items of one size at random places, a hundred of them in a viewport.
  private static func scattered(_ count: Int) -> CollectionContents {
    var random = SplitMix64(seed: 3)
    let viewport = Workload.container.size
    let height = Double(max(1, count)) / 1000 * viewport.height
    return CollectionContents(
      sections: [
        SectionContents(
          blocks: [
            ItemBlock(
              count: count,
              widths: [30],
              heights: [30],
              xs: (0 ..< count).map { _ in random.unit() * viewport.width * 10 },
              ys: (0 ..< count).map { _ in random.unit() * height }
            )
          ]
        )
      ]
    )
  }
}
