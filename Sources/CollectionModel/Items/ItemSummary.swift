// SPDX-License-Identifier: Apache-2.0

/// What a run of items has in common.
@frozen
public struct ItemSummary: Hashable, TreeSummary {
  /// The number of items.
  public var count: Int
  /// The width that all items have, if they have the same.
  public var width: UniformColumn
  /// The height that all items have, if they have the same.
  public var height: UniformColumn
  /// The cell kind that all items have, if they have the same.
  public var cellKind: UniformKind
  /// Whether some item has a position.
  public var hasPositions: Bool
  /// How many items have a key.
  public var keyedCount: Int
  /// The highest cell kind in use; 0 for no items.
  public var highestCellKind: Int
  /// Roughly the memory that the items use, in bytes.
  public var byteCount: Int

  /// Whether some item has a key.
  @inlinable public var hasKeys: Bool { keyedCount > 0 }

  /// A summary with the given values.
  @inlinable
  public init(
    count: Int,
    width: UniformColumn,
    height: UniformColumn,
    cellKind: UniformKind,
    hasPositions: Bool,
    keyedCount: Int,
    highestCellKind: Int,
    byteCount: Int
  ) {
    self.count = count
    self.width = width
    self.height = height
    self.cellKind = cellKind
    self.hasPositions = hasPositions
    self.keyedCount = keyedCount
    self.highestCellKind = highestCellKind
    self.byteCount = byteCount
  }

  /// The summary of no items.
  @inlinable public static var zero: ItemSummary {
    ItemSummary(
      count: 0,
      width: .empty,
      height: .empty,
      cellKind: .empty,
      hasPositions: false,
      keyedCount: 0,
      highestCellKind: 0,
      byteCount: 0
    )
  }

  /// The summary of a run of items followed by another.
  @inlinable
  public static func + (a: ItemSummary, b: ItemSummary) -> ItemSummary {
    ItemSummary(
      count: a.count + b.count,
      width: a.width + b.width,
      height: a.height + b.height,
      cellKind: a.cellKind + b.cellKind,
      hasPositions: a.hasPositions || b.hasPositions,
      keyedCount: a.keyedCount + b.keyedCount,
      highestCellKind: max(a.highestCellKind, b.highestCellKind),
      byteCount: a.byteCount + b.byteCount
    )
  }
}
