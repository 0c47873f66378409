// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// Which items became candidates for prefetching, and which ceased to be.
public struct PrefetchChange: Hashable, Sendable {
  /// An item that the client should prepare.
  public struct Item: Hashable, Sendable {
    /// The candidate's number in the session, which it keeps while it is a candidate.
    public var number: UInt64
    /// The cell, at the data version of the change.
    public var key: ElementKey
    /// The key of the item; "" = it has none, or the client did not ask for item keys.
    public var itemKey: String
    /// The renderer's data of the item; "" = none, or the client did not ask for it.
    public var itemData: String

    /// An item with the given values.
    public init(number: UInt64, key: ElementKey, itemKey: String = "", itemData: String = "") {
      self.number = number
      self.key = key
      self.itemKey = itemKey
      self.itemData = itemData
    }
  }

  /// Whether the client forgets all candidates that are not in `items`.
  public var isReset: Bool
  /// The data version of the newest frame, to which the keys refer.
  public var dataVersion: UInt64
  /// New candidates, the most urgent first.
  public var items: [Item]
  /// The numbers of candidates that have come into sight.
  public var shown: [UInt64]
  /// The numbers of those that are no longer candidates, without having come into sight.
  public var cancelled: [UInt64]

  /// A change with the given values.
  public init(
    isReset: Bool = false,
    dataVersion: UInt64 = 0,
    items: [Item] = [],
    shown: [UInt64] = [],
    cancelled: [UInt64] = []
  ) {
    self.isReset = isReset
    self.dataVersion = dataVersion
    self.items = items
    self.shown = shown
    self.cancelled = cancelled
  }

  /// Whether there is no change.
  public var isEmpty: Bool { items.isEmpty && shown.isEmpty && cancelled.isEmpty }
}
