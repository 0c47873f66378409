// SPDX-License-Identifier: Apache-2.0

package import LayoutGeometry

// MARK: - Messages to values

extension FieldReader {
  /// Reads a point.
  package mutating func point(_ message: Wire.Point, _ name: StaticString) -> Point {
    within(name) { Point(x: $0.number(message.x, "x"), y: $0.number(message.y, "y")) }
  }

  /// Reads a size, whose lengths must not be negative.
  package mutating func size(_ message: Wire.Size, _ name: StaticString) -> Size {
    within(name) {
      Size(
        width: $0.length(message.width, "width"),
        height: $0.length(message.height, "height")
      )
    }
  }

  /// Reads a rect, whose lengths must not be negative.
  package mutating func rect(_ message: Wire.Rect, _ name: StaticString) -> Rect {
    within(name) { $0.rect(message) }
  }

  mutating func rect(_ message: Wire.Rect) -> Rect {
    Rect(
      x: number(message.x, "x"),
      y: number(message.y, "y"),
      width: length(message.width, "width"),
      height: length(message.height, "height")
    )
  }

  /// Reads insets, which may be negative.
  package mutating func insets(_ message: Wire.EdgeInsets, _ name: StaticString) -> EdgeInsets {
    within(name) {
      EdgeInsets(
        top: $0.number(message.top, "top"),
        leading: $0.number(message.leading, "leading"),
        bottom: $0.number(message.bottom, "bottom"),
        trailing: $0.number(message.trailing, "trailing")
      )
    }
  }

  /// Reads a transform of 6 (affine) or 16 numbers (projective, row by row); the identity if it is
  /// refused.
  package mutating func transform(_ message: Wire.Transform, _ name: StaticString) -> Transform {
    within(name) { reader in
      let v = message.values
      guard v.count == 6 || v.count == 16 else {
        reader.reject("values", "\(v.count) numbers found; 6 or 16 are allowed")
        return .identity
      }
      if let fault = v.firstIndex(where: { !($0.magnitude <= reader.limit) }) {
        reader.reject(
          "values",
          at: fault,
          "\(v[fault]) found; finite numbers of at most 2^40 in magnitude are allowed"
        )
        return .identity
      }
      if v.count == 6 {
        return .affine(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
      }
      return .projective(
        Matrix4(
          rows: [v[0], v[1], v[2], v[3]],
          [v[4], v[5], v[6], v[7]],
          [v[8], v[9], v[10], v[11]],
          [v[12], v[13], v[14], v[15]]
        )
      )
    }
  }

  /// Reads a scroll direction.
  ///
  /// - Returns: nil = it is unspecified, and the layout decides; or it is refused.
  package mutating func scrollAxis(
    _ message: Wire.ScrollDirection,
    _ name: StaticString
  ) -> ScrollAxis? {
    choice(message, name) { direction -> ScrollAxis?? in
      switch direction {
      case .unspecified: .some(nil)
      case .vertical: .vertical
      case .horizontal: .horizontal
      case .UNRECOGNIZED: nil
      }
    } ?? nil
  }
}

// MARK: - Values to messages

extension Wire.Point {
  /// The message of a point.
  package init(_ value: Point) {
    self.init()
    x = value.x
    y = value.y
  }
}

extension Wire.Size {
  /// The message of a size.
  package init(_ value: Size) {
    self.init()
    width = value.width
    height = value.height
  }
}

extension Wire.Rect {
  /// The message of a rect.
  package init(_ value: Rect) {
    self.init()
    x = value.x
    y = value.y
    width = value.width
    height = value.height
  }
}

extension Wire.EdgeInsets {
  /// The message of insets.
  package init(_ value: EdgeInsets) {
    self.init()
    top = value.top
    leading = value.leading
    bottom = value.bottom
    trailing = value.trailing
  }
}

extension Wire.Transform {
  /// The message of a transform. That of the identity is empty; callers leave it out.
  package init(_ value: Transform) {
    self.init()
    switch value {
    case .identity: break
    case .affine(let a, let b, let c, let d, let tx, let ty): values = [a, b, c, d, tx, ty]
    case .projective(let matrix): values = matrix.values
    }
  }
}

extension Wire.ScrollDirection {
  /// The direction of an axis.
  package init(_ axis: ScrollAxis) {
    self = axis == .vertical ? .vertical : .horizontal
  }
}
