// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A carousel in closed form. Frames follow from the item's ordinal, transforms from its distance
/// to the centre.
struct PreparedCarousel: PreparedItemLine {
  let context: LayoutContext
  let line: ItemLine

  private let bend: CarouselBend
  private let cameraDistance: Double
  /// How many items are seen on each side of the centre; nil = no bound.
  private let reach: Int?

  init(_ layout: CarouselLayout, _ context: LayoutContext) {
    self.context = context
    let line = ItemLine(
      context,
      axis: layout.scrollDirection,
      itemSize: layout.itemSize,
      stepFactor: layout.spacing
    )
    let most = min(CarouselLayout.maximumVisibleItemsPerSide, line.count)
    let isCrowded = !(line.step >= CarouselLayout.leastStep)
    let wanted = layout.visibleItemsPerSide.map { min(max(0, $0), most) }
    let capacity = max(
      CarouselBend.capacity(viewportExtent: line.viewportExtent, step: line.step),
      2 * (wanted ?? 0) + 1
    )
    self.line = line
    cameraDistance = layout.cameraDistance > 0 ? layout.cameraDistance : .infinity
    reach =
      wanted ?? CarouselBend.defaultReach(of: layout.style, capacity: capacity)
      ?? (isCrowded ? most : nil)
    bend = CarouselBend(
      style: layout.style,
      extent: line.extent,
      spacing: max(0, layout.spacing),
      capacity: capacity,
      isVertical: layout.scrollDirection == .vertical
    )
  }

  /// The offset that centres the item, whatever position is asked for: bent items are not seen
  /// where their frames are, so an edge of the viewport means nothing to them. A straight line
  /// follows the position.
  func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? {
    bend.style == .linear && position != .center
      ? nil : line.offset(centering: key, viewport: viewport)
  }

  func position(atOffset offset: Double) -> Double { line.position(atOffset: offset) }

  func candidates(in rect: Rect, offset: Double, position: Double) -> Range<Int> {
    if let reach {
      let distance = Double(reach) + 1
      return Range(from: position - distance, through: position + distance, count: line.count)
    }
    let span = line.span(of: rect, atOffset: offset)
    let touching = bend.offsets(
      touching: span.lowerBound - line.slack ... span.upperBound + line.slack,
      cameraDistance: cameraDistance
    )
    return Range(
      from: position + touching.lowest - 1e-6,
      through: position + touching.highest + 1e-6,
      count: line.count
    )
  }

  func attributes(of ordinal: Int, offset: Double, position: Double) -> LayoutAttributes {
    let places = Double(ordinal) - position
    var attributes = LayoutAttributes(
      frame: line.frame(of: ordinal),
      alpha: alpha(at: places),
      zIndex: zIndex(of: ordinal, position: position)
    )
    attributes.isHidden = attributes.alpha <= 0
    guard bend.style != .linear else { return attributes }
    // A ring ends at the item opposite the centre. Items beyond that are hidden and lie where it
    // is.
    let farthest = Double(reach.map { $0 + 1 } ?? .max)
    let transform = transform(
      at: min(max(places, -farthest), farthest),
      lineOffset: Double(ordinal) * line.step - offset
    )
    guard let transform else {
      attributes.isHidden = true
      return attributes
    }
    attributes.transform = transform
    return attributes
  }

  /// Bends the item in space, projects it as seen from before the middle of the viewport, and moves
  /// the result by the distance of the frame from that middle.
  ///
  /// - Parameter places: the distance from the centred item, in items.
  /// - Parameter lineOffset: the distance in points from the middle of the viewport to the frame's
  ///   centre.
  /// - Returns: nil = the item is behind the viewer, or so near that it would be magnified more
  ///   than ten times.
  private func transform(at places: Double, lineOffset: Double) -> Transform? {
    // An array literal with variables would allocate memory; `SIMD4(…)` does not.
    let perspective = Matrix4(
      rows: [1, 0, 0, 0],
      [0, 1, 0, 0],
      SIMD4(0, 0, 1, -1 / cameraDistance),
      [0, 0, 0, 1]
    )
    let back = Matrix4(
      rows: [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 1, 0],
      SIMD4(-lineOffset, 0, 0, 1)
    )
    let matrix = bend.model(at: places).concatenating(perspective).concatenating(back)
    let nearest =
      matrix.rows.3.w
      - (abs(matrix.rows.0.w) * line.extent
        + abs(matrix.rows.1.w) * line.axis.cross(line.itemSize)) / 2
    guard nearest >= 0.1 else { return nil }
    return .projective(
      matrix.inContent(axis: line.axis, mirrored: line.isRightToLeft)
    )
  }

  /// The opacity of an item: 1 within reach. The next item on either side fades in or out within
  /// one step, and so does what a time machine has left behind the viewer.
  private func alpha(at places: Double) -> Double {
    var alpha = 1.0
    if let reach { alpha = min(max(Double(reach) + 1 - abs(places), 0), 1) }
    if bend.style == .timeMachine { alpha *= min(max(1 - places, 0), 1) }
    return alpha
  }

  /// The z-index of an item: minus its rank by distance from the centre, so that nothing covers the
  /// nearest item. In a time machine it grows from item to item, because later items are nearer to
  /// the viewer.
  private func zIndex(of ordinal: Int, position: Double) -> Int {
    // `ItemLine.position` is from −2⁴⁰ to 2⁴⁰, so the conversion cannot trap.
    let center = Int((position - 0.5).rounded(.up))
    let places = ordinal - center
    if bend.style == .timeMachine { return places }
    let isNearer = Double(center) < position ? places > 0 : places < 0
    return -2 * abs(places) + (isNearer && Double(center) != position ? 1 : 0)
  }
}
