// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// A pile of cards about the viewport's centre. Scrolling takes one card after the other off the
/// pile.
///
/// With step = item extent, card k is on top at the offset k · step. Between two such offsets the
/// top card slides off to the start. A card's frame stays at k · step in the line of all cards, and
/// its transform puts it onto the pile. So frames do not change while the viewer scrolls, and
/// scrolling to a frame's centre puts that card on top. All sections form one pile. Sizes that the
/// data gives are ignored.
public struct StackLayout: CollectionLayout {
  /// The axis along which cards slide off. Default: vertical.
  public var scrollDirection: ScrollAxis
  /// The size of every card, in points. Default 200 × 200.
  public var itemSize: Size
  /// How many cards are seen below the top one, from 0 to `maximumVisibleDepth`. Default 3.
  public var visibleDepth: Int
  /// The vector by which each card is displaced from the one above it, in points. Default (0, 10).
  public var depthOffset: Point
  /// The factor by which each card is scaled compared with the one above it; at least 0. Default
  /// 0.95.
  public var depthScale: Double

  /// More cards than anybody can tell apart. It limits how many cards a query looks at.
  public static let maximumVisibleDepth = 1000

  /// Makes a pile; the defaults show three cards below the top one.
  public init(
    scrollDirection: ScrollAxis = .vertical,
    itemSize: Size = Size(width: 200, height: 200),
    visibleDepth: Int = 3,
    depthOffset: Point = Point(x: 0, y: 10),
    depthScale: Double = 0.95
  ) {
    self.scrollDirection = scrollDirection
    self.itemSize = itemSize
    self.visibleDepth = visibleDepth
    self.depthOffset = depthOffset
    self.depthScale = depthScale
  }

  /// "stack".
  public var kindName: String { "stack" }
}
