// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// An item that a spatial layout has placed.
struct PlacedItem: Sendable {
  var position: SIMD2<Double>
  var size: Size
  /// The key of its position; 0 if there are no clusters.
  var key: UInt64
}

extension SpatialPlacement {
  func frame(of item: PlacedItem) -> Rect { frame(at: item.position, size: item.size) }
}

/// Reads where items are, one after the other. Consecutive items need no search.
struct PlacedItemReader {
  private let contents: CollectionContents
  private let placement: SpatialPlacement
  /// Gives the keys; nil = there are no clusters.
  private let curve: CurveGrid?
  private var section = -1
  private var items = ItemSequence()
  private var chunk: ItemChunk?
  /// The items of the chunk in its section.
  private var range = 0 ..< 0

  init(_ contents: CollectionContents, _ placement: SpatialPlacement) {
    (self.contents, self.placement) = (contents, placement)
    curve = placement.cells?.curve
  }

  /// Where an item is; nil if it has no place.
  ///
  /// - Precondition: there is such an item.
  mutating func item(at path: IndexPath) -> PlacedItem? {
    let item = path.item ?? 0
    if path.section != section {
      section = path.section
      items = contents.section(at: section).items
      range = 0 ..< 0
    }
    if !range.contains(item) {
      let (found, start) = items.chunk(containing: item)
      (chunk, range) = (found, start ..< start + found.count)
    }
    let index = item - range.lowerBound
    guard let chunk, let position = placement.position(of: index, in: chunk) else { return nil }
    return PlacedItem(
      position: position,
      size: placement.size(of: index, in: chunk),
      key: curve?.key(of: position) ?? 0
    )
  }
}
