// SPDX-License-Identifier: Apache-2.0

/// A run of consecutive items: up to some hundreds, or any number where all columns are uniform and
/// there are no keys. Immutable, and shared by all versions of the contents that have these items.
public final class ItemChunk: Sendable {
  public let count: Int
  public let widths: LengthColumn
  public let heights: LengthColumn
  public let xs: LengthColumn
  public let ys: LengthColumn
  public let cellKinds: KindColumn
  public let keys: KeyColumn
  public let summary: ItemSummary

  init(
    count: Int,
    widths: LengthColumn,
    heights: LengthColumn,
    xs: LengthColumn,
    ys: LengthColumn,
    cellKinds: KindColumn,
    keys: KeyColumn
  ) {
    self.count = count
    self.widths = widths
    self.heights = heights
    self.xs = xs
    self.ys = ys
    self.cellKinds = cellKinds
    self.keys = keys
    let columnBytes =
      widths.byteCount + heights.byteCount + xs.byteCount + ys.byteCount
    summary = ItemSummary(
      count: count,
      width: widths.uniform,
      height: heights.uniform,
      cellKind: cellKinds.uniform,
      hasPositions: !xs.isAbsent || !ys.isAbsent,
      keyedCount: keys.isAbsent ? 0 : count,
      highestCellKind: cellKinds.highest,
      byteCount: Self.overhead + columnBytes + cellKinds.byteCount + keys.byteCount
    )
  }

  /// The object, its entry in a leaf and its share of the tree's nodes.
  private static let overhead = 400

  /// Part of a block.
  ///
  /// - Precondition: the block's columns have 0, 1 or `count` values.
  convenience init(_ block: ItemBlock, in range: Range<Int>) {
    self.init(
      count: range.count,
      widths: LengthColumn(block.widths, in: range),
      heights: LengthColumn(block.heights, in: range),
      xs: LengthColumn(block.xs, in: range),
      ys: LengthColumn(block.ys, in: range),
      cellKinds: KindColumn(block.cellKinds, in: range),
      keys: KeyColumn(block.keys, in: range)
    )
  }

  /// - Precondition: `index` is within 0 ..< count.
  public func item(at index: Int) -> ItemValues {
    ItemValues(
      width: widths.value(at: index),
      height: heights.value(at: index),
      x: xs.value(at: index),
      y: ys.value(at: index),
      cellKind: cellKinds.value(at: index),
      key: keys.value(at: index)
    )
  }

  /// Whether one value holds for all items in every column, so that any number of them is one chunk.
  public var isUniform: Bool {
    guard keys.isAbsent, case .constant = cellKinds else { return false }
    return widths.isUniform && heights.isUniform && xs.isUniform && ys.isUniform
  }
}

extension LengthColumn {
  var isUniform: Bool {
    switch self {
    case .absent, .constant: true
    case .floats, .doubles: false
    }
  }
}
