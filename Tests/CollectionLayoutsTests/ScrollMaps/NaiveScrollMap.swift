// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// What is where along an axis of a content, by the rule of the contract: every item is looked at.
struct NaiveScrollMap {
  private let line: NaiveLine
  /// The extents of all items that have a place, in order, by their frames without effects.
  private let items: [(path: IndexPath, ordinal: Int, start: Double, end: Double)]
  private let count: Int

  /// An axis in reading direction.
  private struct NaiveLine {
    let axis: ScrollAxis
    let isReversed: Bool
    let extent: Double

    func span(_ frame: Rect) -> (start: Double, end: Double) {
      let start = axis.main(frame.origin)
      let end = start + axis.main(frame.size)
      return isReversed ? (extent - end, extent - start) : (start, end)
    }
  }

  init(_ prepared: any PreparedLayout, along axis: ScrollAxis, _ viewport: Viewport) {
    line = NaiveLine(
      axis: axis,
      isReversed: axis == .horizontal && viewport.isRightToLeft,
      extent: axis.main(prepared.contentSize)
    )
    var items: [(path: IndexPath, ordinal: Int, start: Double, end: Double)] = []
    for (ordinal, key) in prepared.cellKeys.enumerated() {
      guard let attributes = prepared.attributes(of: key, viewport: viewport) else { continue }
      let (start, end) = line.span(attributes.frame)
      items.append((key.indexPath, ordinal, start, end))
    }
    self.items = items
    count = prepared.cellKeys.count
  }

  /// The number of items before the first that ends behind a place.
  func passed(_ place: Double) -> Int {
    items.first { $0.end > place }?.ordinal ?? count
  }

  /// The number of items that start before a place.
  func started(_ place: Double) -> Int { items.count { $0.start < place } }

  /// The first item that meets the point behind a place.
  func inView(_ place: Double) -> IndexPath? {
    items.first { $0.end > place && $0.start < place + 1 }?.path
  }

  /// The ordinal of an item.
  func ordinal(of path: IndexPath) -> Int? { items.first { $0.path == path }?.ordinal }
}
