// SPDX-License-Identifier: Apache-2.0

/// A run of consecutive items: at most 512, or any number where all items have the same values and
/// no keys. Immutable, and shared by all versions of the contents that have these items.
public final class ItemChunk: Sendable {
  /// The number of items; at least one.
  public let count: Int
  /// The widths, in points.
  public let widths: LengthColumn
  /// The heights, in points.
  public let heights: LengthColumn
  /// The horizontal positions, in the unit that the layout's projection expects.
  public let xs: LengthColumn
  /// The vertical positions, in the unit that the layout's projection expects.
  public let ys: LengthColumn
  /// The cell kinds.
  public let cellKinds: KindColumn
  /// The keys.
  public let keys: KeyColumn
  /// The places in the section's outline.
  public let outline: OutlineColumn
  /// The data that the items carry for renderers.
  public let data: DataColumn
  /// What the items have in common.
  public let summary: ItemSummary

  /// - Precondition: every column that varies has `count` values.
  init(
    count: Int,
    widths: LengthColumn,
    heights: LengthColumn,
    xs: LengthColumn,
    ys: LengthColumn,
    cellKinds: KindColumn,
    keys: KeyColumn,
    outline: OutlineColumn,
    data: DataColumn
  ) {
    self.count = count
    self.widths = widths
    self.heights = heights
    self.xs = xs
    self.ys = ys
    self.cellKinds = cellKinds
    self.keys = keys
    self.outline = outline
    self.data = data
    var outlineSummary = outline.summary
    if outlineSummary.hasValues {
      outlineSummary.widths = LengthSum(widths, count: count)
      outlineSummary.heights = LengthSum(heights, count: count)
    }
    let columnBytes =
      widths.byteCount + heights.byteCount + xs.byteCount + ys.byteCount
    summary = ItemSummary(
      count: count,
      width: widths.uniform,
      height: heights.uniform,
      givenWidth: widths.given,
      givenHeight: heights.given,
      unsizedCount: widths.isAbsent && heights.isAbsent ? count : 0,
      partlySizedCount: widths.isAbsent != heights.isAbsent ? count : 0,
      cellKind: cellKinds.uniform,
      hasPositions: !xs.isAbsent || !ys.isAbsent,
      keyedCount: keys.isAbsent ? 0 : count,
      highestCellKind: cellKinds.highest,
      byteCount: Self.overhead + columnBytes + cellKinds.byteCount + keys.byteCount
        + outline.byteCount + data.byteCount,
      outline: outlineSummary
    )
  }

  /// Roughly the bytes of the object, its entry in a leaf and its share of the tree's nodes.
  private static let overhead = 400

  /// Some items of a block.
  ///
  /// - Precondition: the block's columns have 0, 1 or `count` values, and `range` is within
  ///   0 ..< the block's count.
  convenience init(_ block: ItemBlock, in range: Range<Int>) {
    self.init(
      count: range.count,
      widths: LengthColumn(block.widths, in: range),
      heights: LengthColumn(block.heights, in: range),
      xs: LengthColumn(block.xs, in: range),
      ys: LengthColumn(block.ys, in: range),
      cellKinds: KindColumn(block.cellKinds, in: range),
      keys: KeyColumn(block.keys, in: range),
      outline: block.outline.isEmpty ? .absent : OutlineColumn(block.outline, in: range),
      data: DataColumn(block.data, in: range)
    )
  }

  /// The values of one item.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func item(at index: Int) -> ItemValues {
    ItemValues(
      width: widths.value(at: index),
      height: heights.value(at: index),
      x: xs.value(at: index),
      y: ys.value(at: index),
      cellKind: cellKinds.value(at: index),
      key: keys.value(at: index),
      outline: outline.value(at: index),
      data: data.value(at: index)
    )
  }

  /// Whether all items have the same values and no keys, so that any number of them can be one
  /// chunk.
  public var isUniform: Bool {
    guard keys.isAbsent, outline.isAbsent, case .constant = cellKinds, case .constant = data
    else { return false }
    return widths.isUniform && heights.isUniform && xs.isUniform && ys.isUniform
  }
}

extension LengthColumn {
  /// Whether all items have the same value, or none has one.
  var isUniform: Bool {
    switch self {
    case .absent, .constant: true
    case .floats, .doubles: false
    }
  }

  /// The value that all items with a value have, if they have the same; `empty` = no item has one.
  var given: UniformColumn { isAbsent ? .empty : uniform }
}
