// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The measured sizes of a section's items, read chunk by chunk.
struct MeasuredSizeReader {
  let items: ItemSequence
  private var chunk: ItemChunk?
  private var range = 0 ..< 0

  init(_ items: ItemSequence) { self.items = items }

  /// The measured lengths of an item; nil = not measured, or there is no such item.
  mutating func size(at index: Int) -> (width: Double?, height: Double?) {
    guard index >= 0, index < items.count else { return (nil, nil) }
    if !range.contains(index) {
      let found = items.chunk(containing: index)
      chunk = found.chunk
      range = found.start ..< found.start + found.chunk.count
    }
    guard let chunk else { return (nil, nil) }
    let offset = index - range.lowerBound
    return (chunk.widths.value(at: offset), chunk.heights.value(at: offset))
  }

  /// The first chunk of items, from an item on, of which some length was measured along the axes
  /// asked for; nil if there is none. The range is that of the whole chunk.
  ///
  /// - Complexity: O(log n + chunks passed)
  static func nextRange(
    in items: ItemSequence,
    from start: Int,
    widths: Bool,
    heights: Bool
  ) -> Range<Int>? {
    let summary = items.summary
    guard start < items.count,
      (widths && !isAbsent(summary.width)) || (heights && !isAbsent(summary.height))
    else { return nil }
    var result: Range<Int>?
    items.forEachChunk(in: start ..< items.count) { chunk, first in
      guard
        (widths && !isAbsent(chunk.widths.uniform)) || (heights && !isAbsent(chunk.heights.uniform))
      else { return true }
      result = first ..< first + chunk.count
      return false
    }
    return result
  }

  private static func isAbsent(_ column: UniformColumn) -> Bool {
    switch column {
    case .absent, .empty: true
    case .constant, .varying: false
    }
  }
}
