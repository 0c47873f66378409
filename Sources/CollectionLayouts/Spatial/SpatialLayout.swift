// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Items where the data says they are, as on a map.
///
/// An item without both coordinates has no place and therefore no element. An item has the width
/// and the height that the data gives, and those of `itemSize` where it gives none. Right-to-left
/// environments do not mirror it.
public struct SpatialLayout: CollectionLayout {
  /// What the data's coordinates mean.
  public enum Projection: UInt8, Hashable, Sendable, CaseIterable {
    /// Points in content coordinates.
    case points
    /// Longitude and latitude in degrees; the world is a square 256 · 2^zoom points wide, which
    /// ends at the latitudes ±85.0511…°. What lies beyond is drawn at the edge.
    case webMercator
    /// Longitude and latitude in degrees; the same width, half as high.
    case equirectangular
  }

  public var projection: Projection
  public var zoom: Double
  /// For items without a size of their own.
  public var itemSize: Size
  /// The point of the item that lies on its position, as fractions of its size.
  public var anchor: Point
  /// Of points: content beyond the outermost items at the bottom and the right edge.
  public var contentInset: EdgeInsets

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

  public var kindName: String { "spatial" }
}
