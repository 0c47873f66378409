// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// The legend of a drawing: the colours of categories and kinds, then of sections.
struct Legend {
  private struct Entry {
    var colors: Palette.Colors
    var text: String
  }

  let width: Double
  private let title: String
  private let summary: String
  private let lines: [[Entry]]

  private static let lineHeight = 20.0
  private static let titleHeight = 44.0
  private static let characterWidth = 7.0
  private static let maxSections = 12

  init(
    title: String,
    summary: String,
    elements: [ShownElement],
    palette: Palette,
    width: Double
  ) {
    self.title = title
    self.width = width
    self.summary = summary
    var counts: [ElementKey: Int] = [:]
    var sections: [Int: Int] = [:]
    for element in elements {
      // One entry for each category and kind, in the colours of the first section.
      var key = element.key
      key.indexPath = .init(section: 0)
      counts[key, default: 0] += 1
      sections[element.key.indexPath.section, default: 0] += 1
    }
    let kinds = counts.sorted {
      ($0.key.category, $0.key.kind) < ($1.key.category, $1.key.kind)
    }.map { key, count in
      let name = key.kind.isEmpty ? key.category.name : "\(key.category.name) \"\(key.kind)\""
      return Entry(colors: palette.colors(of: key), text: "\(name) (\(count.grouped))")
    }
    let numbers = sections.keys.sorted()
    var places = numbers.prefix(Self.maxSections).map { section in
      Entry(
        colors: palette.colors(of: .cell(section, 0, kind: palette.cellKinds.first ?? "")),
        text: "section \(section)"
      )
    }
    if numbers.count > Self.maxSections {
      places.append(
        Entry(
          colors: .init(fill: "none", stroke: "none", text: ""),
          text: "and \((numbers.count - Self.maxSections).grouped) more"
        )
      )
    }
    lines =
      Self.wrapped(kinds, width: width)
      + (numbers.count > 1 ? Self.wrapped(places, width: width) : [])
  }

  var height: Double { Self.titleHeight + Double(lines.count) * Self.lineHeight }

  static func extent(ofTitle title: String) -> Double { 9 * Double(title.count) }

  private static func extent(of entry: Entry) -> Double {
    34 + Double(entry.text.count) * characterWidth
  }

  private static func wrapped(_ entries: [Entry], width: Double) -> [[Entry]] {
    var lines: [[Entry]] = []
    var used = Double.infinity
    for entry in entries {
      let extent = extent(of: entry)
      if used + extent > width {
        lines.append([])
        used = 0
      }
      lines[lines.count - 1].append(entry)
      used += extent
    }
    return lines
  }

  func draw(at origin: Point, _ svg: inout SVGText) {
    svg.group(
      "g",
      ["class": "legend", "transform": "translate(\(origin.x.text()) \(origin.y.text()))"]
    ) { svg in
      svg.element(
        "text",
        ["y": "12", "font-size": "15", "font-weight": "bold", "fill": "#263238"],
        text: title
      )
      svg.element("text", ["y": "31", "font-size": "12", "fill": "#546e7a"], text: summary)
      for (row, line) in lines.enumerated() {
        var x = 0.0
        let y = Self.titleHeight + Double(row) * Self.lineHeight
        for entry in line {
          svg.element(
            "rect",
            [
              "x": x.text(), "y": y.text(), "width": "18", "height": "13", "rx": "2",
              "fill": entry.colors.fill, "stroke": entry.colors.stroke,
            ]
          )
          svg.element(
            "text",
            ["x": (x + 24).text(), "y": (y + 11).text(), "font-size": "12", "fill": "#37474f"],
            text: entry.text
          )
          x += Self.extent(of: entry)
        }
      }
    }
  }
}
