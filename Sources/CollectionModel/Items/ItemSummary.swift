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
  /// The width that all items with a width have, if they have the same; `empty` = no item has one.
  public var givenWidth: UniformColumn
  /// The height that all items with a height have, if they have the same; `empty` = no item has
  /// one.
  public var givenHeight: UniformColumn
  /// How many items have neither a width nor a height.
  public var unsizedCount: Int
  /// How many items have only one of width and height.
  public var partlySizedCount: Int
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
  /// What the items have in common in an outline.
  public var outline: OutlineSummary

  /// Whether some item has a key.
  @inlinable public var hasKeys: Bool { keyedCount > 0 }

  /// A summary with the given values.
  @inlinable
  public init(
    count: Int,
    width: UniformColumn,
    height: UniformColumn,
    givenWidth: UniformColumn,
    givenHeight: UniformColumn,
    unsizedCount: Int,
    partlySizedCount: Int,
    cellKind: UniformKind,
    hasPositions: Bool,
    keyedCount: Int,
    highestCellKind: Int,
    byteCount: Int,
    outline: OutlineSummary
  ) {
    self.count = count
    self.width = width
    self.height = height
    self.givenWidth = givenWidth
    self.givenHeight = givenHeight
    self.unsizedCount = unsizedCount
    self.partlySizedCount = partlySizedCount
    self.cellKind = cellKind
    self.hasPositions = hasPositions
    self.keyedCount = keyedCount
    self.highestCellKind = highestCellKind
    self.byteCount = byteCount
    self.outline = outline
  }

  /// The summary of no items.
  @inlinable public static var zero: ItemSummary {
    ItemSummary(
      count: 0,
      width: .empty,
      height: .empty,
      givenWidth: .empty,
      givenHeight: .empty,
      unsizedCount: 0,
      partlySizedCount: 0,
      cellKind: .empty,
      hasPositions: false,
      keyedCount: 0,
      highestCellKind: 0,
      byteCount: 0,
      outline: .zero
    )
  }

  /// The summary of a run of items followed by another.
  @inlinable
  public static func + (a: ItemSummary, b: ItemSummary) -> ItemSummary {
    ItemSummary(
      count: a.count + b.count,
      width: a.width + b.width,
      height: a.height + b.height,
      givenWidth: a.givenWidth + b.givenWidth,
      givenHeight: a.givenHeight + b.givenHeight,
      unsizedCount: a.unsizedCount + b.unsizedCount,
      partlySizedCount: a.partlySizedCount + b.partlySizedCount,
      cellKind: a.cellKind + b.cellKind,
      hasPositions: a.hasPositions || b.hasPositions,
      keyedCount: a.keyedCount + b.keyedCount,
      highestCellKind: max(a.highestCellKind, b.highestCellKind),
      byteCount: a.byteCount + b.byteCount,
      outline: a.outline + b.outline
    )
  }
}
