// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// A frame drawn over an element, mostly with a short text.
struct Mark: Hashable {
  /// Why the element is marked.
  enum Reason: Hashable {
    /// It is a prefetch candidate; number 1 is the most urgent.
    case prefetched(Int)
    /// It has been seen.
    case seen
    /// The user holds it.
    case held
  }

  var box: Rect
  var reason: Reason

  private static let textSize = 13.0

  private var color: String {
    switch reason {
    case .prefetched: "#6a1b9a"
    case .seen: "#2e7d32"
    case .held: "#c62828"
    }
  }

  /// Held elements lie on top of one another, and texts would too.
  private var text: String? {
    switch reason {
    case .prefetched(let number): "prefetch \(number)"
    case .seen: "seen"
    case .held: nil
    }
  }

  /// - Parameter scale: pixels per point.
  func draw(_ scale: Double, _ svg: inout SVGText) {
    let line = 3 / scale
    svg.group("g", ["class": "mark"]) { svg in
      svg.element(
        "rect",
        [
          "x": (box.x + line / 2).text(), "y": (box.y + line / 2).text(),
          "width": max(0, box.width - line).text(), "height": max(0, box.height - line).text(),
          "fill": "none", "stroke": color, "stroke-width": line.text(places: 4),
        ]
      )
      guard let text else { return }
      svg.element(
        "text",
        [
          "x": (box.x + 6 / scale).text(), "y": (box.y + 17 / scale).text(),
          "font-size": (Self.textSize / scale).text(), "fill": color, "font-weight": "bold",
        ],
        text: text
      )
    }
  }
}
