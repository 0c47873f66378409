// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The measured lengths of a section's items along the scroll axis, read chunk by chunk.
struct MeasuredLengths {
  private let items: ItemSequence
  private let axis: ScrollAxis
  private var column = LengthColumn.absent
  private var range = 0 ..< 0

  init(_ items: ItemSequence, along axis: ScrollAxis) {
    self.items = items
    self.axis = axis
  }

  /// The length that an item has in the data; nil = none.
  ///
  /// - Precondition: `index` is within the items.
  @inline(__always)
  mutating func length(at index: Int) -> Double? {
    if !range.contains(index) { goToChunk(of: index) }
    return column.value(at: index - range.lowerBound)
  }

  /// The lengths of the chunk that holds an item, and the items that it has.
  ///
  /// - Precondition: `index` is within the items.
  mutating func chunk(of index: Int) -> (lengths: LengthColumn, range: Range<Int>) {
    if !range.contains(index) { goToChunk(of: index) }
    return (column, range)
  }

  @inline(never)
  private mutating func goToChunk(of index: Int) {
    let (chunk, start) = items.chunk(containing: index)
    column = axis == .vertical ? chunk.heights : chunk.widths
    range = start ..< start + chunk.count
  }
}
