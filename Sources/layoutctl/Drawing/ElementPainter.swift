// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

/// Paints elements into a raster, as `LayoutDrawing` draws them but without labels.
struct ElementPainter {
  /// The part that is painted, in content coordinates.
  let area: Rect
  /// Pixels per point.
  let scale: Double

  static let outside = RGB(0xEC, 0xEF, 0xF1)
  static let page = RGB(0xFF, 0xFF, 0xFF)

  /// A raster with the elements, back to front.
  ///
  /// - Parameter elements: in any order.
  /// - Parameter outline: whether elements have outlines, a pixel wide.
  func raster(of elements: [ShownElement], contentSize: Size, outline: Bool) -> Raster {
    var raster = Raster(
      width: Int(min(20_000, max(1, (area.width * scale).rounded(.up)))),
      height: Int(min(20_000, max(1, (area.height * scale).rounded(.up)))),
      Self.outside
    )
    raster.fill(corners(of: Rect(origin: .zero, size: contentSize)), Self.page)
    let seen = elements.filter { !$0.attributes.isHidden }.sorted(by: LayoutDrawing.isBehind)
    let palette = LayoutDrawing.palette(of: seen)
    for element in seen { paint(element, palette, outline, &raster) }
    return raster
  }

  private func paint(
    _ element: ShownElement,
    _ palette: Palette,
    _ outline: Bool,
    _ raster: inout Raster
  ) {
    let attributes = element.attributes
    guard ElementShape(attributes, scale: scale) != nil else { return }
    let colors = palette.colors(of: element.key)
    let quad = attributes.transform.quad(of: attributes.frame)
    let shape = [quad[0], quad[1], quad[2], quad[3]].map(pixel)
    if outline, let stroke = RGB(hex: colors.stroke) {
      raster.fill(shape, stroke, alpha: attributes.alpha)
      guard let fill = RGB(hex: colors.fill) else { return }
      raster.fill(Self.shrunk(shape), fill, alpha: attributes.alpha)
    } else if let fill = RGB(hex: colors.fill) {
      raster.fill(shape, fill, alpha: attributes.alpha)
    }
  }

  private func pixel(_ point: Point) -> Point {
    Point(x: (point.x - area.x) * scale, y: (point.y - area.y) * scale)
  }

  private func corners(of rect: Rect) -> [Point] {
    [
      Point(x: rect.minX, y: rect.minY), Point(x: rect.maxX, y: rect.minY),
      Point(x: rect.maxX, y: rect.maxY), Point(x: rect.minX, y: rect.maxY),
    ].map(pixel)
  }

  /// The quadrilateral with all corners a pixel closer to its middle on both axes.
  private static func shrunk(_ shape: [Point]) -> [Point] {
    let sum = shape.reduce(Point.zero) { $0 + $1 }
    let middle = Point(x: sum.x / 4, y: sum.y / 4)
    func closer(_ value: Double, _ middle: Double) -> Double {
      value < middle ? min(value + 1, middle) : max(value - 1, middle)
    }
    return shape.map { Point(x: closer($0.x, middle.x), y: closer($0.y, middle.y)) }
  }
}
