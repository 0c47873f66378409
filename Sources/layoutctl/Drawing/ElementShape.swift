// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

/// The shape of one element in the picture: a rounded rectangle, or a quadrilateral if the element
/// has a transform.
struct ElementShape {
  private let frame: Rect
  private let transform: Transform
  /// The transformed corners: top left, top right, bottom right, bottom left.
  private let corners: [Point]
  private let scale: Double

  struct Label: Equatable {
    var text: String
    /// In points.
    var size: Double
    /// The SVG transform that moves the label's middle from the origin to its place.
    var transform: String
  }

  /// The average width of a character as a fraction of the font size.
  private static let characterWidth = 0.58

  /// The shape of an element.
  ///
  /// - Parameter scale: pixels per point.
  /// - Returns: nil if nothing is visible, for example because the element lies behind the viewer.
  init?(_ attributes: LayoutAttributes, scale: Double) {
    frame = attributes.frame
    transform = attributes.transform
    self.scale = scale
    if case .projective(let matrix) = attributes.transform {
      for x in [-frame.width / 2, frame.width / 2] {
        for y in [-frame.height / 2, frame.height / 2]
        where x * matrix.rows.0.w + y * matrix.rows.1.w + matrix.rows.3.w <= 0.01 {
          return nil
        }
      }
    }
    let quad = attributes.transform.quad(of: frame)
    corners = [quad[0], quad[1], quad[2], quad[3]]
  }

  /// Whether the element shows its back: the corners then run counterclockwise.
  var isBackside: Bool {
    let a = corners[1] - corners[0]
    let b = corners[3] - corners[0]
    return a.x * b.y - a.y * b.x < 0
  }

  func draw(fill: String, stroke: String, line: Double, _ svg: inout SVGText) {
    let width = line.text(places: 4)
    guard case .identity = transform else {
      let points = corners.map { "\($0.x.text()) \($0.y.text())" }.joined(separator: " ")
      svg.element(
        "polygon",
        [
          "points": points, "fill": fill, "stroke": stroke, "stroke-width": width,
          "stroke-linejoin": "round", "fill-opacity": isBackside ? "0.55" : "",
        ]
      )
      return
    }
    // The stroke stays inside the frame, so that adjacent elements do not cover each other's
    // stroke.
    let inset = stroke == "none" ? 0 : min(line / 2, frame.width / 2, frame.height / 2)
    let radius = min(3 / scale, frame.width / 4, frame.height / 4)
    svg.element(
      "rect",
      [
        "x": (frame.x + inset).text(), "y": (frame.y + inset).text(),
        "width": (frame.width - 2 * inset).text(), "height": (frame.height - 2 * inset).text(),
        "rx": radius.text(), "fill": fill, "stroke": stroke, "stroke-width": width,
      ]
    )
  }

  /// The label at a size that fits into the shape.
  ///
  /// - Parameter smallest: the smallest readable size, in pixels.
  /// - Returns: nil if the label would be smaller than that.
  func label(_ text: String, smallest: Double) -> Label? {
    guard !text.isEmpty, !isBackside, frame.width > 0, frame.height > 0 else { return nil }
    let room = frame.width * 0.9 / (Double(text.count) * Self.characterWidth)
    let size = min(14 / max(scale, 0.35), frame.height * 0.7, room)
    // The text follows the directions of the edges. An affine transform can only approximate
    // perspective.
    let across = corners[1] - corners[0] + corners[2] - corners[3]
    let down = corners[3] - corners[0] + corners[2] - corners[1]
    let a = across.x / (2 * frame.width)
    let b = across.y / (2 * frame.width)
    let c = down.x / (2 * frame.height)
    let d = down.y / (2 * frame.height)
    let shrinkage = min((a * a + b * b).squareRoot(), (c * c + d * d).squareRoot())
    guard size * scale * shrinkage >= smallest else { return nil }
    let middle = Self.crossing(corners) ?? frame.center
    let transform: String
    if case .identity = self.transform {
      transform = "translate(\(middle.x.text()) \(middle.y.text()))"
    } else {
      let numbers = [a, b, c, d].map { $0.text(places: 4) } + [middle.x.text(), middle.y.text()]
      transform = "matrix(\(numbers.joined(separator: " ")))"
    }
    return Label(text: text, size: size, transform: transform)
  }

  /// The intersection of the diagonals, which is the image of the middle even in perspective.
  private static func crossing(_ p: [Point]) -> Point? {
    let a = p[2] - p[0]
    let b = p[3] - p[1]
    let cross = a.x * b.y - a.y * b.x
    guard cross.magnitude > 1e-9 else { return nil }
    let between = p[1] - p[0]
    let t = (between.x * b.y - between.y * b.x) / cross
    return Point(x: p[0].x + t * a.x, y: p[0].y + t * a.y)
  }
}
