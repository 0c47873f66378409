// SPDX-License-Identifier: Apache-2.0

/// A transform applied about the centre of an element's untransformed frame.
///
/// Row vectors are multiplied from the left, as in Core Animation: a point (x, y, 0, 1) goes to
/// (x', y', z', w') = (x, y, 0, 1) · M.
public enum Transform: Hashable, Sendable {
  case identity
  /// CSS `matrix(a, b, c, d, tx, ty)`, CGAffineTransform.
  case affine(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double)
  /// CSS `matrix3d()`, CATransform3D, row by row: m11, m12, … m44. Always sixteen numbers.
  case projective(Matrix4)

  /// Larger or smaller by one factor.
  public static func scale(_ factor: Double) -> Transform {
    .affine(a: factor, b: 0, c: 0, d: factor, tx: 0, ty: 0)
  }

  /// Moved by a vector, in points.
  public static func translation(x: Double, y: Double) -> Transform {
    .affine(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// - Parameter angle: radians, clockwise as seen, since y grows downwards.
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

  /// The matrix with sixteen numbers, whatever the case.
  public var matrix: Matrix4 {
    switch self {
    case .identity: .identity
    case .affine(let a, let b, let c, let d, let tx, let ty):
      Matrix4(rows: SIMD4(a, b, 0, 0), SIMD4(c, d, 0, 0), [0, 0, 1, 0], SIMD4(tx, ty, 0, 1))
    case .projective(let matrix): matrix
    }
  }

  /// First `self`, then `next`.
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

  /// The smallest rectangle around `frame` once it is transformed about its centre.
  ///
  /// **Edge cases:** corners at or behind the viewer (w' ≤ 0) are taken at a small positive w', so
  /// the box is finite and errs on the large side.
  public func boundingBox(of frame: Rect) -> Rect {
    if case .identity = self { return frame }
    let corners = quad(of: frame)
    var box = Rect(origin: corners[0], size: .zero)
    for index in 1 ..< 4 { box = box.union(Rect(origin: corners[index], size: .zero)) }
    return box
  }

  /// Where the corners of `frame` go: top left, top right, bottom right, bottom left.
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

/// Four by four numbers, row by row, as CATransform3D names them: `rows.0.x` is m11, `rows.0.y`
/// m12, `rows.3.w` m44.
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

  /// Leaves everything as it is.
  public static let identity = Matrix4(
    rows: [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1]
  )

  /// First `self`, then `next`.
  public func concatenating(_ next: Matrix4) -> Matrix4 {
    func image(_ row: SIMD4<Double>) -> SIMD4<Double> {
      row.x * next.rows.0 + row.y * next.rows.1 + row.z * next.rows.2 + row.w * next.rows.3
    }
    return Matrix4(rows: image(rows.0), image(rows.1), image(rows.2), image(rows.3))
  }

  /// m11, m12, … m44.
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
