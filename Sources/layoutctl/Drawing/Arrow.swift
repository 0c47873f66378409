// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// An arrow from one element to another, with its ends inside both.
struct Arrow: Hashable {
  let tail: Point
  let tip: Point

  /// The part of the way in a box that the arrow runs over.
  private static let part = 0.5

  /// - Parameters:
  ///   - start: the box of the element where the arrow begins.
  ///   - end: the box of the element where it ends.
  init(from start: Rect, to end: Rect) {
    let way = end.center - start.center
    tail = start.center + Self.scaled(way, by: Self.part * Self.wayInside(start.size, way))
    tip = end.center - Self.scaled(way, by: Self.part * Self.wayInside(end.size, way))
  }

  /// The part of a vector that lies in a box of this size, from the box's middle on.
  private static func wayInside(_ size: Size, _ way: Point) -> Double {
    let parts = [(size.width, way.x), (size.height, way.y)].map { length, way in
      way == 0 ? 1 : min(1, length / 2 / abs(way))
    }
    return min(parts[0], parts[1])
  }

  private static func scaled(_ point: Point, by factor: Double) -> Point {
    Point(x: point.x * factor, y: point.y * factor)
  }

  /// - Parameter scale: pixels per point.
  func draw(_ scale: Double, _ svg: inout SVGText) {
    let way = tip - tail
    let length = (way.x * way.x + way.y * way.y).squareRoot()
    guard length > 0 else { return }
    let along = Self.scaled(way, by: 1 / length)
    let across = Point(x: -along.y, y: along.x)
    let head = min(10 / scale, length)
    let neck = tip - Self.scaled(along, by: head)
    let corners = [
      tip, neck + Self.scaled(across, by: head * 0.45), neck - Self.scaled(across, by: head * 0.45),
    ]
    let points = corners.map { "\($0.x.text()) \($0.y.text())" }.joined(separator: " ")
    svg.group("g", ["class": "arrow"]) { svg in
      svg.element(
        "line",
        [
          "x1": tail.x.text(), "y1": tail.y.text(), "x2": neck.x.text(), "y2": neck.y.text(),
          "stroke": "#102027", "stroke-width": (2.5 / scale).text(places: 4),
        ]
      )
      svg.element(
        "circle",
        [
          "cx": tail.x.text(), "cy": tail.y.text(), "r": (3.5 / scale).text(places: 4),
          "fill": "#102027",
        ]
      )
      svg.element("polygon", ["points": points, "fill": "#102027"])
    }
  }
}
