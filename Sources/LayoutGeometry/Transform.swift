// SPDX-License-Identifier: Apache-2.0

/// A transform applied about the centre of an element's untransformed frame.
///
/// Row vectors are multiplied from the left, as in Core Animation: a point (x, y, 0, 1) goes to
/// (x', y', z', w') = (x, y, 0, 1) · M.
public enum Transform: Hashable, Sendable {
  /// Leaves elements where they are.
  case identity
  /// A transform of the plane, as CSS `matrix(a, b, c, d, tx, ty)` and CGAffineTransform. `tx` and
  /// `ty` are in points.
  case affine(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double)
  /// A transform in space, as CSS `matrix3d()` and CATransform3D: sixteen numbers, row by row.
  case projective(Matrix4)

  /// Scales by the same factor in both directions.
  public static func scale(_ factor: Double) -> Transform {
    .affine(a: factor, b: 0, c: 0, d: factor, tx: 0, ty: 0)
  }

  /// Moves by a vector, in points.
  public static func translation(x: Double, y: Double) -> Transform {
    .affine(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// Rotates about the element's centre.
  ///
  /// - Parameter angle: in radians, clockwise as seen, since y grows downwards.
  public static func rotation(_ angle: Double) -> Transform {
    .affine(
      a: angle.cosine,
      b: angle.sine,
      c: -angle.sine,
      d: angle.cosine,
      tx: 0,
      ty: 0
    )
  }

  /// The transform as a matrix of sixteen numbers.
  public var matrix: Matrix4 {
    switch self {
    case .identity: .identity
    case .affine(let a, let b, let c, let d, let tx, let ty):
      Matrix4(rows: SIMD4(a, b, 0, 0), SIMD4(c, d, 0, 0), [0, 0, 1, 0], SIMD4(tx, ty, 0, 1))
    case .projective(let matrix): matrix
    }
  }

  /// The transform that applies `self` first and `next` second.
  public func concatenating(_ next: Transform) -> Transform {
    switch (self, next) {
    case (.identity, _): return next
    case (_, .identity): return self
    case (
      .affine(let a, let b, let c, let d, let tx, let ty),
      .affine(let na, let nb, let nc, let nd, let ntx, let nty)
    ):
      return .affine(
        a: a * na + b * nc,
        b: a * nb + b * nd,
        c: c * na + d * nc,
        d: c * nb + d * nd,
        tx: tx * na + ty * nc + ntx,
        ty: tx * nb + ty * nd + nty
      )
    default: return .projective(matrix.concatenating(next.matrix))
    }
  }

  /// The smallest axis-parallel rectangle around `frame` transformed about its centre.
  ///
  /// **Edge cases:** a corner at or behind the viewer (w' ≤ 0) is projected with w' = 1e-6. So the
  /// box stays finite, and is too large rather than too small.
  public func boundingBox(of frame: Rect) -> Rect {
    if case .identity = self { return frame }
    let corners = quad(of: frame)
    var box = Rect(origin: corners[0], size: .zero)
    for index in 1 ..< 4 { box = box.union(Rect(origin: corners[index], size: .zero)) }
    return box
  }

  /// The images of the corners of `frame`: top left, top right, bottom right, bottom left.
  public func quad(of frame: Rect) -> [4 of Point] {
    let m = matrix
    let center = frame.center
    func image(_ dx: Double, _ dy: Double) -> Point {
      let w = max(dx * m.rows.0.w + dy * m.rows.1.w + m.rows.3.w, 1e-6)
      return Point(
        x: center.x + (dx * m.rows.0.x + dy * m.rows.1.x + m.rows.3.x) / w,
        y: center.y + (dx * m.rows.0.y + dy * m.rows.1.y + m.rows.3.y) / w
      )
    }
    let halfWidth = frame.width / 2
    let halfHeight = frame.height / 2
    return [
      image(-halfWidth, -halfHeight), image(halfWidth, -halfHeight),
      image(halfWidth, halfHeight), image(-halfWidth, halfHeight),
    ]
  }
}

/// A matrix of four rows and four columns, named as in CATransform3D: `rows.0.x` is m11, `rows.0.y`
/// is m12, `rows.3.w` is m44.
public struct Matrix4: Hashable, Sendable {
  /// The rows from the first to the fourth.
  public var rows: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

  /// Makes a matrix from its four rows.
  public init(
    rows row1: SIMD4<Double>,
    _ row2: SIMD4<Double>,
    _ row3: SIMD4<Double>,
    _ row4: SIMD4<Double>
  ) {
    rows = (row1, row2, row3, row4)
  }

  /// The matrix that leaves everything as it is.
  public static let identity = Matrix4(
    rows: [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1]
  )

  /// The matrix that applies `self` first and `next` second.
  public func concatenating(_ next: Matrix4) -> Matrix4 {
    func image(_ row: SIMD4<Double>) -> SIMD4<Double> {
      row.x * next.rows.0 + row.y * next.rows.1 + row.z * next.rows.2 + row.w * next.rows.3
    }
    return Matrix4(rows: image(rows.0), image(rows.1), image(rows.2), image(rows.3))
  }

  /// The sixteen numbers row by row: m11, m12, … m44.
  public var values: [Double] {
    [rows.0, rows.1, rows.2, rows.3].flatMap { [$0.x, $0.y, $0.z, $0.w] }
  }

  /// Whether all sixteen numbers are equal; NaN equals nothing.
  public static func == (a: Matrix4, b: Matrix4) -> Bool { a.rows == b.rows }

  /// Hashes all sixteen numbers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rows.0)
    hasher.combine(rows.1)
    hasher.combine(rows.2)
    hasher.combine(rows.3)
  }
}
