// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Converts dimensions to points. Whatever was given, results are finite, and lengths are not
/// negative.
enum DimensionResolver {
  /// The length, cut off to 0…`Limit.length`; 0 if it is not a number.
  static func length(_ value: Double) -> Double {
    value > 0 ? min(value, CompositionalLayout.Limit.length) : 0
  }

  /// The distance, cut off to ±`Limit.length`; 0 if it is not finite.
  static func distance(_ value: Double) -> Double {
    let limit = CompositionalLayout.Limit.length
    return value.isFinite ? min(max(value, -limit), limit) : 0
  }

  static func insets(_ insets: EdgeInsets) -> EdgeInsets {
    EdgeInsets(
      top: distance(insets.top),
      leading: distance(insets.leading),
      bottom: distance(insets.bottom),
      trailing: distance(insets.trailing)
    )
  }

  /// The size in points of something with these dimensions in a container.
  static func size(_ size: LayoutSize, in container: Size) -> Size {
    Size(
      width: length(of: size.width, whole: container.width, in: container),
      height: length(of: size.height, whole: container.height, in: container)
    )
  }

  /// The size as elements have it: fractions rounded down to whole pixels, as recorded from UIKit,
  /// other lengths to the nearest pixel.
  ///
  /// - Parameter size: what the dimensions come to.
  static func aligned(_ size: Size, of dimensions: LayoutSize, grid: PixelGrid?) -> Size {
    guard let grid else { return size }
    return Size(
      width: dimensions.width.isFraction ? grid.floor(size.width) : grid.round(size.width),
      height: dimensions.height.isFraction ? grid.floor(size.height) : grid.round(size.height)
    )
  }

  private static func length(
    of dimension: LayoutDimension,
    whole: Double,
    in container: Size
  ) -> Double {
    switch dimension {
    case .unspecified: length(whole)
    case .fractionalWidth(let fraction): length(fraction * container.width)
    case .fractionalHeight(let fraction): length(fraction * container.height)
    case .absolute(let value), .estimated(let value), .uniformAcrossSiblings(let value):
      length(value)
    }
  }

  /// The size of a supplementary element in a container, rounded to pixels.
  static func supplementarySize(_ size: LayoutSize, in container: Size, grid: PixelGrid?) -> Size {
    aligned(Self.size(size, in: container), of: size, grid: grid)
  }

  /// The frame of a badge on its host.
  ///
  /// - Parameter whole: the size of which the badge's fractions are taken.
  static func frame(
    of badge: AnchoredSupplementaryItem,
    on host: Rect,
    fractionsOf whole: Size,
    grid: PixelGrid?
  ) -> Rect {
    let size = supplementarySize(badge.size, in: whole, grid: grid)
    let container = badge.containerAnchor
    let moved = offset(of: container, size: size)
    var origin: Point
    if let itemAnchor = badge.itemAnchor {
      let own = offset(of: itemAnchor, size: size)
      origin = Point(
        x: fraction(container.leading, container.trailing) * host.width
          - fraction(itemAnchor.leading, itemAnchor.trailing) * size.width + own.x,
        y: fraction(container.top, container.bottom) * host.height
          - fraction(itemAnchor.top, itemAnchor.bottom) * size.height + own.y
      )
    } else {
      origin = Point(
        x: fraction(container.leading, container.trailing) * (host.width - size.width),
        y: fraction(container.top, container.bottom) * (host.height - size.height)
      )
    }
    origin = origin + moved + host.origin
    return Rect(origin: origin, size: size)
  }

  /// The point of a badge that stays where it is when the badge gets another size, in fractions of
  /// the size.
  static func pivot(of badge: AnchoredSupplementaryItem) -> Point {
    let container = badge.containerAnchor
    let own = badge.itemAnchor ?? container
    let moved = [container, badge.itemAnchor].compactMap(\.self)
      .reduce(Point.zero) { $0 + scaledOffset(of: $1) }
    return Point(
      x: fraction(own.leading, own.trailing) - moved.x,
      y: fraction(own.top, own.bottom) - moved.y
    )
  }

  /// Where an anchor lies along one axis, as a fraction: 0 at the start, 1 at the end, 0.5 if it
  /// names neither or both.
  private static func fraction(_ start: Bool, _ end: Bool) -> Double {
    start == end ? 0.5 : (start ? 0 : 1)
  }

  private static func offset(of anchor: LayoutAnchor, size: Size) -> Point {
    switch anchor.offset {
    case .absolute(let point): Point(x: distance(point.x), y: distance(point.y))
    case .fractional(let point):
      Point(x: distance(point.x * size.width), y: distance(point.y * size.height))
    }
  }

  /// By how much an anchor's offset grows with the size.
  private static func scaledOffset(of anchor: LayoutAnchor) -> Point {
    guard case .fractional(let point) = anchor.offset else { return .zero }
    return Point(x: distance(point.x), y: distance(point.y))
  }
}
