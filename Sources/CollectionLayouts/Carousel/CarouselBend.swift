// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Where the styles of a carousel put an item in space.
///
/// The formulas and constants are those of iCarousel's `transformForItemView:withOffset:` for a
/// line that does not wrap. The coordinates run along the line, across it and towards the viewer;
/// the origin is the middle of the screen.
struct CarouselBend: Sendable {
  let style: CarouselLayout.Style
  /// The extent of an item along the line, in points.
  let extent: Double
  /// The distance between the centres of neighbours, as a multiple of `extent`.
  let spacing: Double
  /// The number of items in a whole ring.
  let capacity: Int
  let isVertical: Bool

  /// The number of items in a ring unless more are asked for. iCarousel has the same bounds, 12 and
  /// 30, "chosen for aesthetic reasons".
  static func capacity(viewportExtent: Double, step: Double) -> Int {
    guard step > 0 else { return 12 }
    // From 12 to 30: `max` returns its first argument if the other is not a number.
    return Int(min(30, max(12, (viewportExtent / step).rounded(.up) * .pi)))
  }

  /// How many items are seen on each side of the centre if the layout does not say; nil = no bound.
  static func defaultReach(of style: CarouselLayout.Style, capacity: Int) -> Int? {
    switch style {
    case .linear, .coverFlow: nil
    // Less than half a ring: the item opposite the centre would be on both sides.
    case .rotary, .invertedRotary, .cylinder, .wheel: (capacity - 1) / 2
    // iCarousel shows thirty items in all.
    case .timeMachine: 15
    }
  }

  /// The matrix from an item's own plane to space.
  ///
  /// - Parameter offset: the distance from the centred item, in items. In a ring it is at most the
  ///   capacity.
  func model(at offset: Double) -> Matrix4 {
    switch style {
    case .linear:
      return .translation(main: offset * extent * spacing)
    case .coverFlow:
      let turn = min(max(offset, -1), 1)
      let quarter = -turn * .pi / 2 * Self.coverFlowTilt
      return Matrix4.turn(quarter).concatenating(
        .translation(
          main: coverFlowPlace(at: offset),
          toViewer: -abs(turn) * extent / 2
        )
      )
    case .rotary, .invertedRotary:
      let angle = 2 * .pi * offset / Double(capacity)
      let depth = ringRadius * (angle.cosine - 1)
      return .translation(
        main: ringRadius * angle.sine,
        toViewer: style == .rotary ? depth : -depth
      )
    case .cylinder:
      let angle = 2 * .pi * offset / Double(capacity)
      return Matrix4.translation(toViewer: ringRadius)
        .concatenating(.turn(angle))
        .concatenating(.translation(toViewer: -ringRadius))
    case .wheel:
      // A vertical wheel turns about a hub on the other side of the line.
      let radius =
        (isVertical ? -1 : 1) * extent * spacing * Double(capacity) / (2 * .pi)
      let angle = (isVertical ? -1 : 1) * 2 * .pi * offset / Double(capacity)
      return Matrix4.translation(cross: -radius)
        .concatenating(.spin(angle))
        .concatenating(.translation(cross: radius))
    case .timeMachine:
      return .translation(
        main: offset * extent * Self.timeMachineTilt,
        toViewer: offset * extent * spacing
      )
    }
  }

  /// The radius at which neighbours on a ring touch side by side.
  private var ringRadius: Double {
    max(0.01, extent * spacing / 2 / (Double.pi / Double(capacity)).tangent)
  }

  private func coverFlowPlace(at offset: Double) -> Double {
    (min(max(offset, -1), 1) * Self.coverFlowTilt / 2 + offset * Self.coverFlowSpacing * spacing)
      * extent
  }

  /// The offsets in items between which an unbounded style may touch a span of the screen. The
  /// range may be larger than necessary.
  ///
  /// - Parameter span: along the line, in points from the middle of the screen.
  func offsets(
    touching span: ClosedRange<Double>,
    cameraDistance: Double
  ) -> (lowest: Double, highest: Double) {
    let half = extent / 2
    guard style == .coverFlow else {
      let step = extent * spacing
      guard step > 0 else { return (-.infinity, .infinity) }
      return ((span.lowerBound - half) / step, (span.upperBound + half) / step)
    }
    // Items stand up to one extent behind the screen and look smaller there, by up to this factor.
    let shrinking = 1 + extent / cameraDistance
    let step = extent * Self.coverFlowSpacing * spacing
    guard step > 0 else { return (-.infinity, .infinity) }
    let lowest = min(span.lowerBound, span.lowerBound * shrinking) - half
    let highest = max(span.upperBound, span.upperBound * shrinking) + half
    let turned = extent * Self.coverFlowTilt / 2
    return ((lowest - turned) / step, (highest + turned) / step)
  }

  private static let coverFlowTilt = 0.9
  private static let coverFlowSpacing = 0.25
  private static let timeMachineTilt = 0.3
}

// Matrices for a horizontal line, which `inContent` adapts to a vertical one.
extension Matrix4 {
  fileprivate static func translation(
    main: Double = 0,
    cross: Double = 0,
    toViewer: Double = 0
  ) -> Matrix4 {
    Matrix4(rows: [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], SIMD4(main, cross, toViewer, 1))
  }

  /// Rotates about the axis across the line. A positive angle turns the far side of an item away.
  fileprivate static func turn(_ angle: Double) -> Matrix4 {
    let (sine, cosine) = (angle.sine, angle.cosine)
    return Matrix4(
      rows: SIMD4(cosine, 0, -sine, 0),
      [0, 1, 0, 0],
      SIMD4(sine, 0, cosine, 0),
      [0, 0, 0, 1]
    )
  }

  /// Rotates in the plane of the screen, clockwise as seen.
  fileprivate static func spin(_ angle: Double) -> Matrix4 {
    let (sine, cosine) = (angle.sine, angle.cosine)
    return Matrix4(
      rows: SIMD4(cosine, sine, 0, 0),
      SIMD4(-sine, cosine, 0, 0),
      [0, 0, 1, 0],
      [0, 0, 0, 1]
    )
  }

  /// Converts a matrix from axis space to content coordinates, mirrored if asked for.
  func inContent(axis: ScrollAxis, mirrored: Bool) -> Matrix4 {
    func arranged(_ row: SIMD4<Double>) -> SIMD4<Double> {
      var row = axis == .vertical ? SIMD4(row.y, row.x, row.z, row.w) : row
      if mirrored { row.x = -row.x }
      return row
    }
    let along = arranged(rows.0)
    let across = arranged(rows.1)
    let x = axis == .vertical ? across : along
    let y = axis == .vertical ? along : across
    return Matrix4(
      rows: mirrored ? -x : x,
      y,
      arranged(rows.2),
      arranged(rows.3)
    )
  }
}
