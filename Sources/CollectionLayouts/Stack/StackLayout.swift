// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// A pile of cards about the viewport's centre, of which scrolling takes one after the other.
///
/// With step = item extent, card k is on top at the offset k · step; between two such offsets the
/// top card slides off to the start. A card's frame stays at k · step in the line of all cards, and
/// its transform puts it onto the pile: so frames do not change as the viewer scrolls, and scrolling
/// to a frame's centre puts that card on top. All sections form one pile; sizes that the data gives
/// do not count.
public struct StackLayout: CollectionLayout {
  public var scrollDirection: ScrollAxis
  public var itemSize: Size
  /// Cards seen below the top one; at most `maximumVisibleDepth`.
  public var visibleDepth: Int
  /// Each deeper card is moved by this,
  public var depthOffset: Point
  /// and scaled by this factor.
  public var depthScale: Double

  /// More cards than anybody can tell apart; bounds what a query looks at.
  public static let maximumVisibleDepth = 1000

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

  public var kindName: String { "stack" }
}
