// SPDX-License-Identifier: Apache-2.0

/// The values that the data gives for one item.
public struct ItemValues: Hashable, Sendable {
  /// The width in points, finite and not negative; nil = the layout decides.
  public var width: Double?
  /// The height in points, finite and not negative; nil = the layout decides.
  public var height: Double?
  /// The horizontal position, in the unit that the layout's projection expects; nil = none.
  public var x: Double?
  /// The vertical position, in the unit that the layout's projection expects; nil = none.
  public var y: Double?
  /// An index into `CollectionContents.cellKindNames`.
  public var cellKind: Int
  /// A key that no other item of the collection has; nil = none.
  public var key: String?
  /// Its place in the section's outline.
  public var outline: OutlineItem
  /// A text for renderers, to which layouts give no meaning; "" = none.
  public var data: String

  /// An item with the given values, which are not checked.
  public init(
    width: Double? = nil,
    height: Double? = nil,
    x: Double? = nil,
    y: Double? = nil,
    cellKind: Int = 0,
    key: String? = nil,
    outline: OutlineItem = .root,
    data: String = ""
  ) {
    self.width = width
    self.height = height
    self.x = x
    self.y = y
    self.cellKind = cellKind
    self.key = key
    self.outline = outline
    self.data = data
  }
}
