// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel

/// Assigns colours: a hue to each section, and a shade to each category and kind.
struct Palette {
  struct Colors: Equatable {
    var fill: String
    var stroke: String
    var text: String
  }

  /// Twelve hues in degrees. Consecutive ones differ much, so that adjacent sections can be told
  /// apart.
  private static let hues = [210, 24, 140, 280, 48, 340, 180, 100, 255, 8, 160, 310]
  private static let accents = ["#c62828", "#6a1b9a", "#00695c", "#ef6c00", "#283593"]

  let cellKinds: [String]
  let otherKinds: [String]

  /// - Parameters:
  ///   - cellKinds: the kinds that occur, in order; each gets its own shade.
  ///   - otherKinds: the kinds of supplementary elements other than headers and footers.
  init(cellKinds: [String], otherKinds: [String]) {
    self.cellKinds = cellKinds
    self.otherKinds = otherKinds
  }

  static func hue(ofSection section: Int) -> Int { hues[section % hues.count] }

  func colors(of key: ElementKey) -> Colors {
    let hue = Self.hue(ofSection: key.indexPath.section)
    switch key.category {
    case .cell:
      let shade = (cellKinds.firstIndex(of: key.kind) ?? 0) % 4
      return Colors(
        fill: Self.color(hue, 68 - 12 * shade, 84 - 9 * shade),
        stroke: Self.color(hue, 45, 46),
        text: Self.color(hue, 60, 20)
      )
    case .supplementary:
      switch key.kind {
      case StandardKind.header:
        return Colors(
          fill: Self.color(hue, 48, 38),
          stroke: Self.color(hue, 55, 24),
          text: "#ffffff"
        )
      case StandardKind.footer:
        return Colors(
          fill: Self.color(hue, 30, 62),
          stroke: Self.color(hue, 35, 40),
          text: "#ffffff"
        )
      default:
        let index = otherKinds.firstIndex(of: key.kind) ?? 0
        let accent = Self.accents[index % Self.accents.count]
        return Colors(fill: accent, stroke: "#ffffff", text: "#ffffff")
      }
    case .decoration:
      if key.kind == StandardKind.separator || key.kind == StandardKind.topSeparator {
        return Colors(fill: "#90a4ae", stroke: "none", text: "none")
      }
      return Colors(
        fill: Self.color(hue, 55, 95),
        stroke: Self.color(hue, 35, 76),
        text: Self.color(hue, 35, 50)
      )
    }
  }

  /// Converts hue, saturation and lightness to "#rrggbb", which every SVG renderer supports.
  static func color(_ hue: Int, _ saturation: Int, _ lightness: Int) -> String {
    let s = Double(saturation) / 100
    let l = Double(lightness) / 100
    let chroma = s * min(l, 1 - l)
    func channel(_ n: Int) -> String {
      let k = Double((n * 30 + hue) % 360) / 30
      let value = l - chroma * max(-1, min(k - 3, 9 - k, 1))
      let text = String(Int((value * 255).rounded()), radix: 16)
      return text.count < 2 ? "0" + text : text
    }
    return "#" + channel(0) + channel(8) + channel(4)
  }
}
