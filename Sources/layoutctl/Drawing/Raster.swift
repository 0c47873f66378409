// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// A colour of three bytes.
struct RGB: Hashable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// A colour of the form "#rrggbb"; nil = it is something else, such as "none".
  init?(hex: String) {
    guard hex.utf8.count == 7, hex.hasPrefix("#"), let value = UInt32(hex.dropFirst(), radix: 16)
    else { return nil }
    self.init(
      UInt8(truncatingIfNeeded: value >> 16),
      UInt8(truncatingIfNeeded: value >> 8),
      UInt8(truncatingIfNeeded: value)
    )
  }

  /// This colour with another one over it.
  ///
  /// - Parameter alpha: the opacity of the other one, 0…1.
  func covered(by other: RGB, alpha: Double) -> RGB {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8(min(255, max(0, (Double(a) + (Double(b) - Double(a)) * alpha).rounded())))
    }
    return RGB(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
  }

  /// How bright it is, 0…1.
  var luminance: Double {
    (0.2126 * Double(red) + 0.7152 * Double(green) + 0.0722 * Double(blue)) / 255
  }
}

/// A picture of pixels.
struct Raster {
  let width: Int
  let height: Int
  /// Row by row, from the top left corner on.
  private(set) var pixels: [RGB]

  /// A picture of one colour; at least one pixel wide and high.
  init(width: Int, height: Int, _ color: RGB) {
    self.width = max(1, width)
    self.height = max(1, height)
    pixels = Array(repeating: color, count: self.width * self.height)
  }

  subscript(x: Int, y: Int) -> RGB { pixels[y * width + x] }

  /// Fills what lies within a convex polygon: the pixels whose centres do.
  ///
  /// - Parameter corners: in pixels.
  /// - Parameter alpha: the opacity, 0…1.
  mutating func fill(_ corners: [Point], _ color: RGB, alpha: Double = 1) {
    guard alpha > 0, corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return }
    let ys = corners.map(\.y)
    for y in Self.centers(from: ys.min() ?? 0, to: ys.max() ?? 0, limit: height) {
      let (left, right) = Self.span(of: corners, at: Double(y) + 0.5)
      for x in Self.centers(from: left, to: right, limit: width) {
        let index = y * width + x
        pixels[index] = alpha < 1 ? pixels[index].covered(by: color, alpha: alpha) : color
      }
    }
  }

  /// The pixels whose centres lie between two places.
  private static func centers(from start: Double, to end: Double, limit: Int) -> Range<Int> {
    let (most, half) = (Double(limit), 0.5)
    let first = Int(min(max((start - half).rounded(.up), 0), most))
    let last = Int(min(max((end - half).rounded(.up), 0), most))
    return first ..< max(first, last)
  }

  /// Where a horizontal line enters and leaves a convex polygon.
  private static func span(of corners: [Point], at y: Double) -> (Double, Double) {
    var span = (Double.infinity, -Double.infinity)
    for index in corners.indices {
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      guard min(a.y, b.y) <= y, max(a.y, b.y) > y else { continue }
      let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)
      span = (min(span.0, x), max(span.1, x))
    }
    return span
  }
}
