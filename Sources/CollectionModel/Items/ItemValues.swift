// SPDX-License-Identifier: Apache-2.0

/// All that the data says about one item.
public struct ItemValues: Hashable, Sendable {
  /// In points; nil = the layout decides.
  public var width: Double?
  public var height: Double?
  public var x: Double?
  public var y: Double?
  /// An index into `CollectionContents.cellKindNames`.
  public var cellKind: Int
  public var key: String?

  public init(
    width: Double? = nil,
    height: Double? = nil,
    x: Double? = nil,
    y: Double? = nil,
    cellKind: Int = 0,
    key: String? = nil
  ) {
    self.width = width
    self.height = height
    self.x = x
    self.y = y
    self.cellKind = cellKind
    self.key = key
  }
}
