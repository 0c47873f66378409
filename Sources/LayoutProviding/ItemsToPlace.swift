// SPDX-License-Identifier: Apache-2.0

/// All items of a collection, section after section.
public struct ItemsToPlace: Sendable {
  /// What the data says of one item.
  public struct Item: Hashable, Sendable {
    /// The index of its section.
    public var section: Int
    /// The index in its section.
    public var index: Int
    /// In points; nil = the data gives none, as in the following.
    public var width: Double?
    /// In points.
    public var height: Double?
    /// The data's coordinates, which layouts may use as they like.
    public var x: Double?
    /// The other coordinate.
    public var y: Double?
    /// The reuse kind; "" = the unnamed one.
    public var kind: String
    /// "" = it has none.
    public var key: String
  }

  /// What the data says of one section.
  public struct Section: Hashable, Sendable {
    /// "" = it has none.
    public var key: String
    /// Its items among all.
    public var items: Range<Int>
  }

  /// The items.
  public internal(set) var items: [Item] = []
  /// The sections, those included that have no items.
  public internal(set) var sections: [Section] = []

  /// Places each item by its number among all.
  public func placed(_ cell: (_ number: Int, _ item: Item) -> PlacedElement?) -> PlacedItems {
    var result = PlacedItems()
    result.cells.reserveCapacity(items.count)
    for (number, item) in items.enumerated() { result.cells.append(cell(number, item)) }
    return result
  }
}
