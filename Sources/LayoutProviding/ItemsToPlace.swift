// SPDX-License-Identifier: Apache-2.0

/// All items of a collection, section by section.
public struct ItemsToPlace: Sendable {
  /// The data of one item.
  public struct Item: Hashable, Sendable {
    /// The index of its section.
    public var section: Int
    /// The index in its section.
    public var index: Int
    /// The width in points; nil = the data give none, as with the following values.
    public var width: Double?
    /// The height in points.
    public var height: Double?
    /// The data's first coordinate, which layouts may use as they like.
    public var x: Double?
    /// The data's second coordinate.
    public var y: Double?
    /// The reuse kind; "" = the unnamed one.
    public var kind: String
    /// The item's key; "" = none.
    public var key: String
  }

  /// The data of one section.
  public struct Section: Hashable, Sendable {
    /// The section's key; "" = none.
    public var key: String
    /// The range of its items among all items.
    public var items: Range<Int>
  }

  /// The items.
  public internal(set) var items: [Item] = []
  /// The sections, including empty ones.
  public internal(set) var sections: [Section] = []

  /// Places each item with a function of its number among all items; nil = the item is not shown.
  public func placed(_ cell: (_ number: Int, _ item: Item) -> PlacedElement?) -> PlacedItems {
    var result = PlacedItems()
    result.cells.reserveCapacity(items.count)
    for (number, item) in items.enumerated() { result.cells.append(cell(number, item)) }
    return result
  }
}
