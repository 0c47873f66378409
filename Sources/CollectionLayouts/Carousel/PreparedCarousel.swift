// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A carousel in closed form: frames from the item's number, transforms from its distance to the
/// centre.
struct PreparedCarousel: PreparedItemLine {
  let context: LayoutContext
  let line: ItemLine

  private let bend: CarouselBend
  private let cameraDistance: Double
  /// Items seen on each side; nil = no bound.
  private let reach: Int?

  init(_ layout: CarouselLayout, _ context: LayoutContext) {
    self.context = context
    let line = ItemLine(
      context,
      axis: layout.scrollDirection,
      itemSize: layout.itemSize,
      spacing: layout.spacing
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

  /// Bent items are seen best in the middle, whatever position is asked for: the edges of the viewport
  /// are not where their frames say.
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
    let touching = bend.offsets(
      touching: line.span(of: rect, atOffset: offset),
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
    // Rings end at the item opposite; those beyond are hidden and stay with it.
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

  /// Bent in space, seen in perspective from before the middle of the viewport, then moved by what
  /// the frame is off that middle.
  ///
  /// - Parameter lineOffset: from the middle of the viewport to the frame's centre.
  /// - Returns: nil for what is behind the viewer, or so near that it would be magnified more than
  ///   ten times.
  private func transform(at places: Double, lineOffset: Double) -> Transform? {
    // Rows of variables are no array literals: those would be allocated first.
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

  /// Whole within reach; the next item on either side comes and goes gradually. What a time machine
  /// has left behind the viewer fades within one step.
  private func alpha(at places: Double) -> Double {
    var alpha = 1.0
    if let reach { alpha = min(max(Double(reach) + 1 - abs(places), 0), 1) }
    if bend.style == .timeMachine { alpha *= min(max(1 - places, 0), 1) }
    return alpha
  }

  /// Minus the rank by distance to the centre, so that the nearest item is never covered; in a time
  /// machine by depth, which falls from the last item to the first.
  private func zIndex(of ordinal: Int, position: Double) -> Int {
    let center = Int((position - 0.5).rounded(.up))
    let places = ordinal - center
    if bend.style == .timeMachine { return places }
    let isNearer = Double(center) < position ? places > 0 : places < 0
    return -2 * abs(places) + (isNearer && Double(center) != position ? 1 : 0)
  }
}
