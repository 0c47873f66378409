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
  /// The size of items for which the data gives none, as these are laid out, in points. It is not
  /// rounded to pixels if it is the mean of measured sizes.
  var defaultSize: Size
  /// Whether items take the sizes that a viewer measures.
  var isSelfSizing = false
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

  /// Stands for any number of items in one line, for items that take no room.
  static let unlimited = 1 << 40

  /// The extents of an item along and across the scroll axis as it is laid out: with defaults, and
  /// rounded if the layout is pixel-aligned.
  func lengths(width: Double?, height: Double?) -> ItemLengths {
    let size = Size(
      width: width.map(aligned) ?? defaultSize.width,
      height: height.map(aligned) ?? defaultSize.height
    )
    return ItemLengths(
      main: axis.main(size),
      cross: isList ? aligned(extent) : axis.cross(size)
    )
  }

  /// A length, rounded if the layout is pixel-aligned.
  private func aligned(_ length: Double) -> Double { pixelGrid?.round(length) ?? length }

  /// The same rule with another size for items for which the data gives none.
  func assuming(_ size: Size) -> LineRule {
    var rule = self
    rule.defaultSize = size
    return rule
  }

  /// The lengths that all items have; nil if items differ.
  ///
  /// - Complexity: O(1), but O(chunks) if the layout is pixel-aligned and items differ
  func uniformLengths(of items: ItemSequence) -> ItemLengths? {
    if case (let main?, let cross?) = commonLengths(of: items.summary) {
      return ItemLengths(main: main, cross: cross)
    }
    guard pixelGrid != nil, !isSelfSizing else { return nil }
    // Items that differ by less than a pixel may become equal.
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

  /// The lengths along and across the scroll axis that all items have, each nil if items differ in
  /// it or there are none. An item without a length has the default, so it does not differ from
  /// items that are given just that.
  func commonLengths(of summary: ItemSummary) -> (main: Double?, cross: Double?) {
    let width = common(summary.width, given: summary.givenWidth, orElse: defaultSize.width)
    let height = common(summary.height, given: summary.givenHeight, orElse: defaultSize.height)
    let (main, cross) = axis == .vertical ? (height, width) : (width, height)
    return (main, isList && summary.count > 0 ? aligned(extent) : cross)
  }

  private func common(
    _ column: UniformColumn,
    given: UniformColumn,
    orElse length: Double
  ) -> Double? {
    switch (column, given) {
    case (.absent, _): length
    case (.constant(let value), _): aligned(value)
    case (.varying, .constant(let value)) where aligned(value) == length: length
    case (.varying, _), (.empty, _): nil
    }
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
