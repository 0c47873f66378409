// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One line of items that is bent in three dimensions about the viewport's centre, in iCarousel's
/// styles.
///
/// With step = item extent · spacing, item k is centred at the offset k · step. Its frame stays at
/// its place in the straight line, and its transform does all the bending. So frames do not change
/// while the viewer scrolls, and scrolling to a frame's centre centres the item. All sections form
/// one line. Sizes that the data gives are ignored.
public struct CarouselLayout: CollectionLayout {
  /// How the line is bent.
  public enum Style: UInt8, Hashable, Sendable, CaseIterable {
    /// The line stays straight.
    case linear
    /// The centred item faces the viewer; the others turn aside and stand close together.
    case coverFlow
    /// A ring seen from outside, with all items facing the viewer.
    case rotary
    /// A ring seen from inside, with all items facing the viewer.
    case invertedRotary
    /// A ring seen from outside, with items facing outwards.
    case cylinder
    /// A wheel in the plane of the screen. Its hub is below a horizontal line, or to the left of a
    /// vertical one.
    case wheel
    /// Later items come from behind the viewer, earlier ones recede.
    case timeMachine
  }

  /// How the line is bent. Default: cover flow.
  public var style: Style
  /// The axis of the line. Default: horizontal.
  public var scrollDirection: ScrollAxis
  /// The size of every item, in points. Default 200 × 200.
  public var itemSize: Size
  /// The distance between the centres of neighbours, as a multiple of the item's extent; at least
  /// 0. Default 1.
  public var spacing: Double
  /// The distance from the viewer to the screen, in points; at least 0.001. It sets the
  /// perspective: m34 = −1 / cameraDistance. Default 500.
  public var cameraDistance: Double
  /// How many items are seen on each side of the centred one, from 0 to
  /// `maximumVisibleItemsPerSide`.
  ///
  /// nil, the default, means as many as are in the queried rect, at most half a ring, and at most
  /// 15 of a time machine.
  public var visibleItemsPerSide: Int?

  /// More items than anybody can tell apart. Bounds the items that a query looks at, also if they
  /// are closer together than `leastStep`.
  public static let maximumVisibleItemsPerSide = 1000
  /// The least distance in points between neighbours at which the rect alone bounds a query.
  static let leastStep = 1.0 / 16

  /// Makes a carousel in the style of a cover flow unless told otherwise.
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

  /// "carousel".
  public var kindName: String { "carousel" }
}
