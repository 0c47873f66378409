// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Computes an item's frame from its data.
///
/// Between them is the item's **position**, which is the same at every zoom: on maps in parts of
/// the world's width, otherwise in points.
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

  // MARK: - Sizes

  /// An item's size, rounded to pixels if the layout is pixel-aligned.
  func size(width: Double?, height: Double?) -> Size {
    let size = Size(width: width ?? itemSize.width, height: height ?? itemSize.height)
    return grid?.round(size) ?? size
  }

  /// The size of an item in a chunk.
  func size(of index: Int, in chunk: ItemChunk) -> Size {
    size(width: chunk.widths.value(at: index), height: chunk.heights.value(at: index))
  }

  // MARK: - Positions

  /// The position of an item in a chunk; nil if it has no place.
  func position(of index: Int, in chunk: ItemChunk) -> SIMD2<Double>? {
    guard let x = chunk.xs.value(at: index), let y = chunk.ys.value(at: index) else { return nil }
    return position(x: x, y: y)
  }

  /// The position for coordinates of the data.
  @inline(__always)
  func position(x: Double, y: Double) -> SIMD2<Double> {
    switch projection {
    case .points:
      return [x, y]
    case .webMercator:
      return [(x + 180) / 360, (1 - Mercator.north(of: SIMD2(repeating: y)).x / .pi) / 2]
    case .equirectangular:
      return [(x + 180) / 360, (90 - y) / 360]
    }
  }

  /// Two positions for coordinates of the data.
  @inline(__always)
  private func positions(
    xs: SIMD2<Double>,
    ys: SIMD2<Double>
  ) -> (first: SIMD2<Double>, second: SIMD2<Double>) {
    let x: SIMD2<Double>
    let y: SIMD2<Double>
    switch projection {
    case .points: (x, y) = (xs, ys)
    case .webMercator: (x, y) = ((xs + 180) / 360, (1 - Mercator.north(of: ys) / .pi) / 2)
    case .equirectangular: (x, y) = ((xs + 180) / 360, (90 - ys) / 360)
    }
    return ([x.x, y.x], [x.y, y.y])
  }

  /// Writes the positions for coordinates of the data.
  ///
  /// - Parameter positions: filled from its start; has room for at least that many.
  @inline(__always)
  private func writePositions<Value: BinaryFloatingPoint>(
    _ xs: Span<Value>,
    _ ys: Span<Value>,
    to positions: inout MutableSpan<SIMD2<Double>>
  ) {
    precondition(xs.count == ys.count && xs.count <= positions.count)
    var index = 0
    // All indices are within the coordinates, and there are at least as many positions.
    while index &+ 2 <= xs.count {
      let (first, second) = unsafe self.positions(
        xs: SIMD2(Double(xs[unchecked: index]), Double(xs[unchecked: index &+ 1])),
        ys: SIMD2(Double(ys[unchecked: index]), Double(ys[unchecked: index &+ 1]))
      )
      unsafe positions[unchecked: index] = first
      unsafe positions[unchecked: index &+ 1] = second
      index &+= 2
    }
    if index < xs.count { positions[index] = position(x: Double(xs[index]), y: Double(ys[index])) }
  }

  /// Writes the positions of items of a chunk that has both coordinates.
  ///
  /// - Parameter positions: filled from its start; has room for at least that many.
  func writePositions(
    of range: Range<Int>,
    in chunk: ItemChunk,
    to positions: inout MutableSpan<SIMD2<Double>>
  ) {
    switch (chunk.xs, chunk.ys) {
    case (.doubles(let xs), .doubles(let ys)):
      writePositions(xs.span.extracting(range), ys.span.extracting(range), to: &positions)
    case (.floats(let xs), .floats(let ys)):
      writePositions(xs.span.extracting(range), ys.span.extracting(range), to: &positions)
    default:
      for (place, index) in range.enumerated() {
        positions[place] = position(of: index, in: chunk) ?? .zero
      }
    }
  }

  /// The coordinates of the data at a position; infinite beyond the poles.
  func coordinates(at position: SIMD2<Double>) -> SIMD2<Double> {
    switch projection {
    case .points: return position
    case .equirectangular: return [position.x * 360 - 180, 90 - position.y * 360]
    case .webMercator:
      let x = position.x * 360 - 180
      if position.y <= 0 { return [x, .infinity] }
      if position.y >= 1 { return [x, -.infinity] }
      let north = Double.power(2.718_281_828_459_045, (1 - 2 * position.y) * .pi)
      return [x, (2 * north.arctangent - .pi / 2) * 180 / .pi]
    }
  }

  // MARK: - Frames

  /// The frame of an item of this size at a position.
  @inline(__always)
  func frame(at position: SIMD2<Double>, size: Size) -> Rect {
    let place = worldWidth > 0 ? position * worldWidth : position
    let origin = Point(
      x: Self.bounded(place.x - anchor.x * size.width),
      y: Self.bounded(place.y - anchor.y * size.height)
    )
    return Rect(origin: grid?.round(origin) ?? origin, size: size)
  }

  /// A frame in the middle of another one, rounded to pixels if the layout is pixel-aligned.
  func frame(size: Size, inMiddleOf frame: Rect) -> Rect {
    let size = grid?.round(size) ?? size
    let origin = Rect(center: frame.center, size: size).origin
    return Rect(origin: grid?.round(origin) ?? origin, size: size)
  }

  /// How far rounding may move a frame, in points.
  var slack: Double { grid.slack }

  /// How far from an item's position its frame may reach, in points.
  ///
  /// - Parameter size: the greatest size of items.
  func reach(of size: Size) -> Double {
    let horizontal = max(anchor.x.magnitude, (1 - anchor.x).magnitude) * size.width
    let vertical = max(anchor.y.magnitude, (1 - anchor.y).magnitude) * size.height
    return max(horizontal, vertical) + slack
  }

  /// A box that holds all frames of items whose positions are in another box.
  ///
  /// - Parameter positions: left, top, right and bottom.
  /// - Parameter largest: the greatest size of the items.
  func box(aroundFramesAt positions: SIMD4<Double>, largest: SIMD2<Double>) -> SIMD4<Double> {
    let unit = worldWidth > 0 ? worldWidth : 1
    let anchor = SIMD2(anchor.x, anchor.y)
    let before = pointwiseMax(anchor, .zero) * largest
    let behind = pointwiseMax(1 - anchor, .zero) * largest
    let slack = slack
    var low = positions.lowHalf * unit - before - slack
    var high = positions.highHalf * unit + behind + slack
    // Places beyond all measure are cut off. If a sum is not a number, the box is as large as
    // possible.
    low.replace(with: -.infinity, where: low .!= low)
    high.replace(with: .infinity, where: high .!= high)
    low = pointwiseMin(low, SIMD2(repeating: Self.greatest - slack))
    high = pointwiseMax(high, SIMD2(repeating: slack - Self.greatest) + largest)
    return SIMD4(lowHalf: low, highHalf: high)
  }

  /// Whether the frame of an item at a position may meet a rect.
  ///
  /// - Parameter largest: a size that is at least as large as the item's.
  func mayMeet(_ rect: Rect, at position: SIMD2<Double>, largest: Size) -> Bool {
    let box = box(
      aroundFramesAt: SIMD4(lowHalf: position, highHalf: position),
      largest: SIMD2(largest.width, largest.height)
    )
    return box.x <= rect.maxX && box.y <= rect.maxY && box.z >= rect.minX && box.w >= rect.minY
  }

  /// The box around the frames of items of one size whose positions have another box around them:
  /// exact, as a frame does not move left or up when its position moves right or down.
  func exactBox(aroundFramesAt positions: SIMD4<Double>, size: Size) -> SIMD4<Double> {
    let first = frame(at: positions.lowHalf, size: size)
    let last = frame(at: positions.highHalf, size: size)
    return [first.minX, first.minY, last.maxX, last.maxY]
  }

  /// The farthest that a frame is from (0, 0).
  private static let greatest = 1e15

  /// The coordinate cut off to ±10¹⁵ points, so that sums of coordinates stay finite and rounding
  /// errors stay below a point. NaN, such as the difference of two infinite numbers, becomes 0.
  private static func bounded(_ value: Double) -> Double {
    value.isNaN ? 0 : min(max(value, -greatest), greatest)
  }
}
