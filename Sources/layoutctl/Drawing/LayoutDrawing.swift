// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// An SVG picture of the elements of a layout.
///
/// Sections differ in hue and cell kinds in shade; headers and footers are dark, badges bright, and
/// backgrounds pale. Elements are drawn back to front with their transforms and alpha; hidden ones
/// are left out. A legend follows below.
struct LayoutDrawing {
  var title: String
  var elements: [ShownElement]
  var contentSize: Size
  /// The part that is drawn, in content coordinates.
  var area: Rect
  /// The visible rect, drawn as a dashed outline; nil = not drawn.
  var viewport: Rect?
  /// Drawn over everything.
  var arrows: [Arrow] = []
  var marks: [Mark] = []
  /// Whether elements are labelled with the keys of items and sections, if they have any.
  var showsKeys = false
  /// The longer side of the picture without its legend is at most this many pixels.
  var maxPixels = 1400.0

  private static let margin = 16.0
  private static let smallestLegend = 360.0
  private static let smallestLabel = 5.0

  var svg: String {
    let scale = min(1, maxPixels / max(area.width, area.height, 1))
    let seen = elements.filter { !$0.attributes.isHidden }.sorted(by: Self.isBehind)
    let palette = Self.palette(of: seen)
    let legend = Legend(
      title: title,
      summary: summary,
      elements: seen,
      palette: palette,
      width: max(area.width * scale, Self.smallestLegend, Legend.extent(ofTitle: title))
    )
    let width = legend.width + 2 * Self.margin
    let drawingHeight = area.height * scale
    let height = drawingHeight + legend.height + 3 * Self.margin
    var svg = SVGText()
    svg.group(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "width": width.text(), "height": height.text(),
        "viewBox": "0 0 \(width.text()) \(height.text())",
        "font-family": "Helvetica, Arial, 'DejaVu Sans', sans-serif",
      ]
    ) { svg in
      svg.element("title", [:], text: title)
      svg.element("rect", ["width": "100%", "height": "100%", "fill": "#eceff1"])
      svg.group("defs", [:]) { svg in
        svg.group("clipPath", ["id": "area"]) { svg in
          svg.element("rect", Self.attributes(of: area))
        }
      }
      let move =
        "translate(\(Self.margin.text()) \(Self.margin.text())) scale(\(scale.text(places: 6))) "
        + "translate(\((-area.x).text()) \((-area.y).text()))"
      svg.group("g", ["transform": move, "clip-path": "url(#area)"]) { svg in
        drawPage(scale, &svg)
        for element in seen { draw(element, palette, scale, &svg) }
        drawViewport(scale, &svg)
        for mark in marks { mark.draw(scale, &svg) }
        for arrow in arrows { arrow.draw(scale, &svg) }
      }
      legend.draw(at: Point(x: Self.margin, y: drawingHeight + 2 * Self.margin), &svg)
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg.text
  }

  private var summary: String {
    let hidden = elements.count { $0.attributes.isHidden }
    let rest = hidden > 0 ? ", \(hidden.grouped) hidden" : ""
    return "content \(contentSize.text), \((elements.count - hidden).grouped) elements drawn\(rest)"
  }

  /// The drawing order, back to front. At the same z-index, decorations are behind cells, and cells
  /// are behind supplementary elements.
  static func isBehind(_ a: ShownElement, _ b: ShownElement) -> Bool {
    func rank(_ element: ShownElement) -> (Int, Int, IndexPath) {
      let category =
        switch element.key.category {
        case .decoration: 0
        case .cell: 1
        case .supplementary: 2
        }
      return (element.attributes.zIndex, category, element.key.indexPath)
    }
    return rank(a) < rank(b)
  }

  /// The colours for some elements.
  static func palette(of elements: [ShownElement]) -> Palette {
    Palette(
      cellKinds: kinds(of: elements) { $0.category == .cell },
      otherKinds: kinds(of: elements) {
        $0.category == .supplementary && $0.kind != StandardKind.header
          && $0.kind != StandardKind.footer
      }
    )
  }

  private static func kinds(
    of elements: [ShownElement],
    _ belongs: (ElementKey) -> Bool
  ) -> [String] {
    Set(elements.lazy.map(\.key).filter(belongs).map(\.kind)).sorted()
  }

  // MARK: - Parts

  static func attributes(of rect: Rect) -> KeyValuePairs<String, String> {
    [
      "x": rect.x.text(), "y": rect.y.text(), "width": rect.width.text(),
      "height": rect.height.text(),
    ]
  }

  private func drawPage(_ scale: Double, _ svg: inout SVGText) {
    let page = Rect(origin: .zero, size: contentSize)
    svg.element(
      "rect",
      [
        "class": "content", "x": page.x.text(), "y": page.y.text(), "width": page.width.text(),
        "height": page.height.text(), "fill": "#ffffff", "stroke": "#b0bec5",
        "stroke-width": (1 / scale).text(places: 4),
      ]
    )
  }

  private func drawViewport(_ scale: Double, _ svg: inout SVGText) {
    guard let viewport else { return }
    let line = 2 / scale
    let inner = Rect(
      x: viewport.x + line / 2,
      y: viewport.y + line / 2,
      width: max(0, viewport.width - line),
      height: max(0, viewport.height - line)
    )
    svg.element(
      "rect",
      [
        "class": "viewport", "x": inner.x.text(), "y": inner.y.text(), "width": inner.width.text(),
        "height": inner.height.text(), "fill": "none", "stroke": "#d81b60",
        "stroke-width": line.text(places: 4),
        "stroke-dasharray": "\((8 / scale).text(places: 3)) \((5 / scale).text(places: 3))",
      ]
    )
  }

  private func draw(
    _ element: ShownElement,
    _ palette: Palette,
    _ scale: Double,
    _ svg: inout SVGText
  ) {
    let colors = palette.colors(of: element.key)
    guard let shape = ElementShape(element.attributes, scale: scale) else { return }
    let isBackground = element.key.category == .decoration
    let opacity = element.attributes.alpha < 1 ? element.attributes.alpha.text(places: 3) : ""
    svg.group(
      "g",
      ["class": element.key.category.name, "opacity": opacity]
    ) { svg in
      let line = (isBackground ? 0.75 : 1) / scale
      shape.draw(fill: colors.fill, stroke: colors.stroke, line: line, &svg)
      let fitting = labels(of: element).lazy.compactMap {
        shape.label($0, smallest: Self.smallestLabel)
      }
      guard let label = fitting.first else { return }
      svg.element(
        "text",
        [
          "transform": label.transform, "font-size": label.size.text(), "fill": colors.text,
          "text-anchor": "middle", "dy": "0.35em",
        ],
        text: label.text
      )
    }
  }

  /// Whether the key of an item or section names an element. Others of a section, such as the
  /// headers of a table's columns, differ in their kind.
  private static func isNamed(_ key: ElementKey) -> Bool {
    switch key.category {
    case .cell: true
    case .supplementary:
      key.indexPath.item != nil || key.kind == StandardKind.header
        || key.kind == StandardKind.footer
    case .decoration: false
    }
  }

  /// Labels in order of preference; the later ones are shorter.
  private func labels(of element: ShownElement) -> [String] {
    let key = element.key
    if showsKeys, Self.isNamed(key), !element.name.isEmpty {
      return [element.name, key.indexPath.text]
    }
    return switch key.category {
    case .cell: [key.indexPath.text]
    case .supplementary: ["\(key.kind) \(key.indexPath.text)", key.indexPath.text]
    case .decoration: []
    }
  }
}
