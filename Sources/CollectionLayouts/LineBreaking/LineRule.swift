// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Everything that decides which items share a line and how long lines are. Equal rules break equal
/// items into equal lines.
struct LineRule: Hashable, Sendable {
  let axis: ScrollAxis
  /// The extent of a line across the scroll axis, in points; finite.
  let extent: Double
  /// The least distance between the items of a line, in points; at least 0.
  let itemSpacing: Double
  /// The distance between lines, in points; at least 0.
  let lineSpacing: Double
  /// The size of items for which the data gives none, in points.
  let defaultSize: Size
  /// Whether each item has a line of its own and fills it, as in a list.
  let isList: Bool
  let pixelGrid: PixelGrid?

  /// Added to a line's extent, in points. Otherwise rounding errors could send the last of items
  /// that fit exactly to the next line.
  static let tolerance = 1e-7

  /// What remains of a line before its first item: see `LineBreaker`.
  var offered: Double { extent + Self.tolerance }

  /// How many items of one extent across the scroll axis a line holds; at least 1.
  ///
  /// Up to 4096 items it subtracts one by one, as `LineBreaker` does for different items, so that
  /// both agree to the last bit. Beyond that it divides; nobody could see the difference.
  func capacity(itemExtent: Double) -> Int {
    if isList { return 1 }
    let step = itemExtent + itemSpacing
    guard step > 0 else { return Self.unlimited }
    var remaining = offered - step
    var count = 1
    while itemExtent <= remaining {
      count += 1
      remaining -= step
      if count == 4096 {
        let more = ((remaining + itemSpacing) / step).rounded(.down)
        return more.isFinite ? count + Int(min(max(more, 0), Double(Self.unlimited))) : count
      }
    }
    return count
  }

  /// Stands for any number of items in one line, where items take no room.
  static let unlimited = 1 << 40

  /// The extents of an item along and across the scroll axis as it is laid out: with defaults, and
  /// rounded if the layout is pixel-aligned.
  func lengths(width: Double?, height: Double?) -> ItemLengths {
    var size = Size(width: width ?? defaultSize.width, height: height ?? defaultSize.height)
    if let pixelGrid { size = pixelGrid.round(size) }
    return ItemLengths(
      main: axis.main(size),
      cross: isList ? alignedExtent : axis.cross(size)
    )
  }

  /// The extent of a line, rounded if the layout is pixel-aligned.
  private var alignedExtent: Double { pixelGrid?.round(extent) ?? extent }

  /// The lengths that all items have; nil if items differ.
  ///
  /// - Complexity: O(1) if the summary of the items tells, else O(chunks).
  func uniformLengths(of items: ItemSequence) -> ItemLengths? {
    let summary = items.summary
    if let lengths = uniformLengths(width: summary.width, height: summary.height) { return lengths }
    // Items without a size take the default, so they do not differ from items with just that size.
    var common: ItemLengths?
    var isUniform = true
    items.forEachChunk(in: 0 ..< items.count) { chunk, _ in
      let lengths = uniformLengths(width: chunk.widths.uniform, height: chunk.heights.uniform)
      isUniform = lengths != nil && (common == nil || common == lengths)
      common = lengths
      return isUniform
    }
    return isUniform ? common : nil
  }

  /// The lengths that all items have, from summaries of their columns; nil if they differ or there
  /// are no items.
  func uniformLengths(width: UniformColumn, height: UniformColumn) -> ItemLengths? {
    // A list's rows are as wide as the list.
    guard let width = isList ? .some(nil) : value(width), let height = value(height)
    else { return nil }
    return lengths(width: width, height: height)
  }

  /// The value of a column: `.some(nil)` if it is absent, nil if it varies or there are no items.
  private func value(_ column: UniformColumn) -> Double?? {
    switch column {
    case .absent: .some(nil)
    case .constant(let value): value
    case .empty, .varying: nil
    }
  }
}

/// The extents of an item along and across the scroll axis, in points.
struct ItemLengths: Hashable, Sendable {
  var main: Double
  var cross: Double
}
