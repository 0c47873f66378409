// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// A step from one item to another, as arrow keys, game pads and screen readers take it.
public enum NeighborStep: UInt8, Hashable, Sendable, CaseIterable {
  /// To the nearest item above.
  case up
  /// To the nearest item below.
  case down
  /// To the nearest item on the left.
  case left
  /// To the nearest item on the right.
  case right
  /// To the next item in the order of index paths.
  case next
  /// To the previous item in the order of index paths.
  case previous
  /// Against the scroll axis, by as many whole rows as the viewport shows.
  case pageUp
  /// Along the scroll axis, by as many whole rows as the viewport shows.
  case pageDown
  /// To the first item of all.
  case first
  /// To the last item of all.
  case last
}

/// Where a step begins.
public enum NeighborOrigin: Hashable, Sendable {
  /// At an element.
  case element(ElementKey)
  /// At a point in content coordinates.
  case point(Point)
  /// Nowhere, for `NeighborStep.first` and `.last`.
  case nowhere
}

/// The item that a step leads to.
public struct Neighbor: Hashable, Sendable {
  /// The attributes of the item's cell once scrolling has ended.
  public var attributes: LayoutAttributes
  /// The item's key; "" = it has none.
  public var itemKey: String
  /// The item's place in its outline.
  public var outline: OutlineMark

  /// Makes a neighbour.
  public init(
    attributes: LayoutAttributes,
    itemKey: String = "",
    outline: OutlineMark = .none
  ) {
    self.attributes = attributes
    self.itemKey = itemKey
    self.outline = outline
  }
}
