// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Computes an item's frame from its data.
struct SpatialPlacement: Sendable {
  /// The width of the world in points; 0 if the data is in points.
  let worldWidth: Double
  /// The size of items for which the data gives none, in points.
  let itemSize: Size

  private let projection: SpatialLayout.Projection
  private let anchor: Point
  private let grid: PixelGrid?
  /// The cells by which items are counted; nil = there are no clusters.
  let cells: ClusterGrid?

  init(_ layout: SpatialLayout, _ context: LayoutContext) {
    projection = layout.projection
    let worldWidth =
      layout.projection == .points
      ? 0 : 256 * Double.power(2, min(max(layout.zoom, -64), SpatialLayout.highestZoom))
    self.worldWidth = worldWidth
    itemSize = layout.itemSize
    anchor = layout.anchor
    grid = context.pixelGrid
    cells = layout.clusters.map { ClusterGrid($0, worldWidth: worldWidth) }
  }

  /// An item's size, rounded to pixels if the layout is pixel-aligned.
  func size(width: Double?, height: Double?) -> Size {
    let size = Size(width: width ?? itemSize.width, height: height ?? itemSize.height)
    return grid?.round(size) ?? size
  }

  /// The frame of an item of this size at these coordinates of the data.
  func frame(x: Double, y: Double, size: Size) -> Rect {
    let point = place(x: x, y: y)
    let origin = Point(
      x: Self.bounded(point.x - anchor.x * size.width),
      y: Self.bounded(point.y - anchor.y * size.height)
    )
    return Rect(origin: grid?.round(origin) ?? origin, size: size)
  }

  /// A frame in the middle of another one, rounded to pixels if the layout is pixel-aligned.
  func frame(size: Size, inMiddleOf frame: Rect) -> Rect {
    let size = grid?.round(size) ?? size
    let origin = Rect(center: frame.center, size: size).origin
    return Rect(origin: grid?.round(origin) ?? origin, size: size)
  }

  /// The key of an item in a chunk by which clusters order items; nil if it has no place. 0 if there are no
  /// clusters.
  func key(of index: Int, in chunk: ItemChunk) -> UInt64? {
    guard let x = chunk.xs.value(at: index), let y = chunk.ys.value(at: index) else { return nil }
    return cells?.key(of: place(x: x, y: y)) ?? 0
  }

  /// How far from an item's position its frame may reach, in points.
  ///
  /// - Parameter size: the greatest size of items.
  func reach(of size: Size) -> Double {
    let horizontal = max(anchor.x.magnitude, (1 - anchor.x).magnitude) * size.width
    let vertical = max(anchor.y.magnitude, (1 - anchor.y).magnitude) * size.height
    // One point more, because frames are rounded.
    return max(horizontal, vertical) + 1
  }

  /// The frame of an item in a chunk; nil if it has no place.
  func frame(of index: Int, in chunk: ItemChunk) -> Rect? {
    guard let x = chunk.xs.value(at: index), let y = chunk.ys.value(at: index) else { return nil }
    return frame(
      x: x,
      y: y,
      size: size(width: chunk.widths.value(at: index), height: chunk.heights.value(at: index))
    )
  }

  private func place(x: Double, y: Double) -> Point {
    switch projection {
    case .points:
      return Point(x: x, y: y)
    case .webMercator:
      let latitude = min(max(y, -Self.mercatorLimit), Self.mercatorLimit) * .pi / 180
      let north = (latitude.tangent + 1 / latitude.cosine).naturalLogarithm
      return Point(x: (x + 180) / 360 * worldWidth, y: (1 - north / .pi) / 2 * worldWidth)
    case .equirectangular:
      return Point(x: (x + 180) / 360 * worldWidth, y: (90 - y) / 360 * worldWidth)
    }
  }

  /// The latitude at which the world of Web Mercator is a square: atan(sinh π) in degrees.
  private static let mercatorLimit = 85.051_128_779_806_59

  /// The coordinate cut off to ±10¹⁵ points, so that sums of coordinates stay finite and rounding
  /// errors stay below a point. NaN, such as the difference of two infinite numbers, becomes 0.
  private static func bounded(_ value: Double) -> Double {
    value.isNaN ? 0 : min(max(value, -1e15), 1e15)
  }
}
