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

  /// How items near each other are one element.
  public struct Clusters: Hashable, Sendable {
    /// The least width and height of the grid's cells in points, from 1 to 65,536. Default 64.
    ///
    /// Cells are less than twice as large. On maps they are the world divided by a power of two, so
    /// that a cell is four cells at the next zoom; among points their width is a power of two.
    public var cellSize: Double
    /// A cell with fewer items shows each of them; at least 1. Default 2.
    public var minimumCount: Int
    /// The size of a cluster without growth, in points. Default 40 × 40.
    public var size: Size
    /// What a cluster is wider and higher for each factor of ten in the number of its items, in
    /// points, from 0 to 1,000. Default 8.
    public var growth: Double
    /// Whether clusters cover their cells, as in a map of densities. Otherwise they lie in the
    /// middle of the rect around their items' frames. Default false.
    public var fillsCells: Bool

    /// By default makes clusters of two or more items.
    public init(
      cellSize: Double = 64,
      minimumCount: Int = 2,
      size: Size = Size(width: 40, height: 40),
      growth: Double = 8,
      fillsCells: Bool = false
    ) {
      self.cellSize = cellSize
      self.minimumCount = minimumCount
      self.size = size
      self.growth = growth
      self.fillsCells = fillsCells
    }
  }

  /// The names of the custom attributes of clusters.
  public enum ClusterAttribute {
    /// How many items the cluster stands for: a number.
    public static let count = "cluster_count"
    /// The rect around the frames that the items have by themselves, in content coordinates: an
    /// object of x, y, width and height.
    public static let bounds = "cluster_bounds"
    /// In a first frame, while items are still being indexed: the number of sampled items from
    /// which the count of the cluster is estimated. Absent = the count is exact.
    public static let sample = "cluster_sample"
  }

  /// What the data's coordinates mean. Default: points.
  public var projection: Projection
  /// The zoom of a map, from −8 to 40; ignored for points. Default 0.
  public var zoom: Double
  /// The size of items for which the data gives none, in points. Default 20 × 20.
  public var itemSize: Size
  /// The point of an item that lies on its position, as fractions of its size. Default: the middle.
  public var anchor: Point
  /// Room after the outermost items at the bottom and the right edge, in points; ignored for maps.
  /// Default 0.
  public var contentInset: EdgeInsets
  /// How items near each other are one element; nil = every item is shown. Default nil.
  public var clusters: Clusters?

  /// By default makes a layout of points.
  public init(
    projection: Projection = .points,
    zoom: Double = 0,
    itemSize: Size = Size(width: 20, height: 20),
    anchor: Point = Point(x: 0.5, y: 0.5),
    contentInset: EdgeInsets = .zero,
    clusters: Clusters? = nil
  ) {
    self.projection = projection
    self.zoom = zoom
    self.itemSize = itemSize
    self.anchor = anchor
    self.contentInset = contentInset
    self.clusters = clusters
  }

  /// "spatial".
  public var kindName: String { "spatial" }
}
