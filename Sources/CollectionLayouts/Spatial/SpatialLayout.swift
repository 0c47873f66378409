// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Items at the positions that the data gives, as on a map.
///
/// An item without both coordinates has no place and therefore no element. Items have the width and
/// the height that the data gives, or those of `itemSize` if it gives none. The layout is not
/// mirrored in right-to-left environments.
public struct SpatialLayout: BoundedLayout {
  /// What the data's coordinates mean.
  public enum Projection: UInt8, Hashable, Sendable, CaseIterable {
    /// Points in content coordinates.
    case points
    /// Longitude and latitude in degrees. The world is a square, 256 · 2^zoom points wide, which
    /// ends at the latitudes ±85.0511…°. Items beyond these are placed at its edge.
    case webMercator
    /// Longitude and latitude in degrees. The world is 256 · 2^zoom points wide and half as high.
    case equirectangular
  }

  /// What the data's coordinates mean. Default: points.
  public var projection: Projection
  /// The zoom of a map, from −8 to 40; ignored for points. Default 0.
  public var zoom: Double
  /// The size of items for which the data gives none, in points. Default 20 × 20.
  public var itemSize: Size
  /// The point of an item that lies on its position, as fractions of its size. Default: the middle.
  public var anchor: Point
  /// Room behind the outermost items at the bottom and the right edge, in points; ignored for maps.
  /// Default 0.
  public var contentInset: EdgeInsets

  /// Makes a layout of points unless told otherwise.
  public init(
    projection: Projection = .points,
    zoom: Double = 0,
    itemSize: Size = Size(width: 20, height: 20),
    anchor: Point = Point(x: 0.5, y: 0.5),
    contentInset: EdgeInsets = .zero
  ) {
    self.projection = projection
    self.zoom = zoom
    self.itemSize = itemSize
    self.anchor = anchor
    self.contentInset = contentInset
  }

  /// "spatial".
  public var kindName: String { "spatial" }
}
