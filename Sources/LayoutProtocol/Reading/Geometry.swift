// SPDX-License-Identifier: Apache-2.0

package import LayoutGeometry

// MARK: - Messages to values

extension FieldReader {
  package mutating func point(_ message: Wire.Point, _ name: StaticString) -> Point {
    within(name) { Point(x: $0.number(message.x, "x"), y: $0.number(message.y, "y")) }
  }

  package mutating func size(_ message: Wire.Size, _ name: StaticString) -> Size {
    within(name) {
      Size(
        width: $0.length(message.width, "width"),
        height: $0.length(message.height, "height")
      )
    }
  }

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
          "\(v[fault]) found; finite numbers of at most 2^40 are allowed"
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

  /// - Returns: nil where the layout decides.
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
  package init(_ value: Point) {
    self.init()
    x = value.x
    y = value.y
  }
}

extension Wire.Size {
  package init(_ value: Size) {
    self.init()
    width = value.width
    height = value.height
  }
}

extension Wire.Rect {
  package init(_ value: Rect) {
    self.init()
    x = value.x
    y = value.y
    width = value.width
    height = value.height
  }
}

extension Wire.EdgeInsets {
  package init(_ value: EdgeInsets) {
    self.init()
    top = value.top
    leading = value.leading
    bottom = value.bottom
    trailing = value.trailing
  }
}

extension Wire.Transform {
  /// Empty for the identity, which is better left out.
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
  package init(_ axis: ScrollAxis) {
    self = axis == .vertical ? .vertical : .horizontal
  }
}
