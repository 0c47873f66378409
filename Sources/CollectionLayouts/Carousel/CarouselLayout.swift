// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One line of items bent in three dimensions about the viewport's centre, in the styles of
/// iCarousel.
///
/// With step = item extent · spacing, item k is centred at the offset k · step. Its frame stays at
/// its place in the unbent line; all bending is in its transform. So frames do not change as the
/// viewer scrolls, and scrolling to a frame's centre centres the item. All sections form one line;
/// sizes that the data gives do not count.
public struct CarouselLayout: CollectionLayout {
  /// How the line is bent.
  public enum Style: UInt8, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case linear
    /// The centred item faces the viewer; the others turn aside and stand close together.
    case coverFlow
    /// A ring seen from outside, its items facing the viewer.
    case rotary
    /// A ring seen from inside, its items facing the viewer.
    case invertedRotary
    /// A ring seen from outside, its items facing outwards.
    case cylinder
    /// A wheel in the plane of the screen; its hub is below, or to the left of a vertical one.
    case wheel
    /// Later items come from behind the viewer; earlier ones recede.
    case timeMachine
  }

  public var style: Style
  public var scrollDirection: ScrollAxis
  public var itemSize: Size
  /// Distance between the centres of neighbours, as a multiple of the item's extent.
  public var spacing: Double
  /// Points from the viewer to the screen: m34 = −1 / cameraDistance.
  public var cameraDistance: Double
  /// At most `maximumVisibleItemsPerSide`. nil = as many as fit: those in the rect that is asked for,
  /// at most half a ring, and at most 15 of a time machine.
  public var visibleItemsPerSide: Int?

  /// More items than anybody can tell apart; bounds what a query looks at. It also bounds a line whose
  /// items stand nearer to each other than `leastStep`.
  public static let maximumVisibleItemsPerSide = 1000
  /// In points.
  static let leastStep = 1.0 / 16

  public init(
    style: Style = .coverFlow,
    scrollDirection: ScrollAxis = .horizontal,
    itemSize: Size = Size(width: 200, height: 200),
    spacing: Double = 1,
    cameraDistance: Double = 500,
    visibleItemsPerSide: Int? = nil
  ) {
    self.style = style
    self.scrollDirection = scrollDirection
    self.itemSize = itemSize
    self.spacing = spacing
    self.cameraDistance = cameraDistance
    self.visibleItemsPerSide = visibleItemsPerSide
  }

  public var kindName: String { "carousel" }
}
