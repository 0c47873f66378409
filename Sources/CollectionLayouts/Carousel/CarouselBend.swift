// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Where the styles of a carousel put an item in space.
///
/// The formulas and their constants are iCarousel's `transformForItemView:withOffset:`, on a line
/// that does not wrap. Coordinates: along the line, across it, towards the viewer; the origin is the
/// middle of the screen.
struct CarouselBend: Sendable {
  let style: CarouselLayout.Style
  /// Of an item along the line.
  let extent: Double
  /// Distance between the centres of neighbours, as a multiple of the extent.
  let spacing: Double
  /// How many items a whole ring has.
  let capacity: Int
  let isVertical: Bool

  /// Items in a ring unless more are asked for: iCarousel's bounds, "chosen for aesthetic reasons".
  static func capacity(viewportExtent: Double, step: Double) -> Int {
    guard step > 0 else { return 12 }
    return Int(min(30, max(12, (viewportExtent / step).rounded(.up) * .pi)))
  }

  /// Items seen on each side of the centre where nothing is asked for; nil = no bound.
  static func defaultReach(of style: CarouselLayout.Style, capacity: Int) -> Int? {
    switch style {
    case .linear, .coverFlow: nil
    // The item opposite would be on both sides.
    case .rotary, .invertedRotary, .cylinder, .wheel: (capacity - 1) / 2
    // iCarousel shows thirty items in all.
    case .timeMachine: 15
    }
  }

  /// From an item's own plane to space.
  ///
  /// - Parameter offset: places from the centred item, at most a ring's capacity for rings.
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

  /// The offsets at which an unbounded style may touch a span of the screen: conservative.
  ///
  /// - Parameter span: along the line, from the middle of the screen.
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
    // Items stand up to an extent behind the screen, where things look smaller by up to this.
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

// Matrices for a horizontal line; `inContent` turns them for a vertical one.
extension Matrix4 {
  fileprivate static func translation(
    main: Double = 0,
    cross: Double = 0,
    toViewer: Double = 0
  ) -> Matrix4 {
    Matrix4(rows: [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], SIMD4(main, cross, toViewer, 1))
  }

  /// About the axis across the line: positive angles turn the far side of an item away.
  fileprivate static func turn(_ angle: Double) -> Matrix4 {
    let (sine, cosine) = (angle.sine, angle.cosine)
    return Matrix4(
      rows: SIMD4(cosine, 0, -sine, 0),
      [0, 1, 0, 0],
      SIMD4(sine, 0, cosine, 0),
      [0, 0, 0, 1]
    )
  }

  /// In the plane of the screen, clockwise as seen.
  fileprivate static func spin(_ angle: Double) -> Matrix4 {
    let (sine, cosine) = (angle.sine, angle.cosine)
    return Matrix4(
      rows: SIMD4(cosine, sine, 0, 0),
      SIMD4(-sine, cosine, 0, 0),
      [0, 0, 1, 0],
      [0, 0, 0, 1]
    )
  }

  /// From axis space to content coordinates, mirrored where asked for.
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
