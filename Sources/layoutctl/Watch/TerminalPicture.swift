// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// How many colours a terminal shows.
enum TerminalColors: Equatable {
  case none
  case palette
  case full

  /// According to the environment variables. NO_COLOR asks for none (https://no-color.org).
  init(_ variables: [String: String]) {
    let (term, color) = (variables["TERM"] ?? "", variables["COLORTERM"] ?? "")
    if !(variables["NO_COLOR"] ?? "").isEmpty || term == "dumb" || term.isEmpty {
      self = .none
    } else if color == "truecolor" || color == "24bit" || term.hasSuffix("-direct") {
      self = .full
    } else {
      self =
        term.contains("256color") || term.hasPrefix("xterm") || !color.isEmpty ? .palette : .none
    }
  }
}

/// A raster as lines of text: each character shows two pixels, one above the other.
struct TerminalPicture {
  let raster: Raster
  let colors: TerminalColors

  var lines: [String] {
    stride(from: 0, to: raster.height, by: 2).map { y in
      var line = ""
      var last: (RGB, RGB)?
      for x in 0 ..< raster.width {
        let pair = (raster[x, y], y + 1 < raster.height ? raster[x, y + 1] : raster[x, y])
        if colors == .none {
          line += Self.shade(pair)
          continue
        }
        if last.map({ $0 != pair }) ?? true {
          line += escape(pair.0, "38") + escape(pair.1, "48")
          last = pair
        }
        line += "▀"
      }
      return colors == .none ? line : line + "\u{1B}[0m"
    }
  }

  /// The sequence that selects a colour.
  ///
  /// - Parameter layer: "38" for the character, "48" for its background.
  private func escape(_ color: RGB, _ layer: String) -> String {
    if colors == .full {
      return "\u{1B}[\(layer);2;\(color.red);\(color.green);\(color.blue)m"
    }
    // The cube of six levels for each of red, green and blue.
    func level(_ value: UInt8) -> Int { (Int(value) * 5 + 127) / 255 }
    let index = 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue)
    return "\u{1B}[\(layer);5;\(index)m"
  }

  /// Darker pixels are denser.
  private static func shade(_ pair: (RGB, RGB)) -> String {
    let shades = ["█", "▓", "▒", "░", " "]
    let light = (pair.0.luminance + pair.1.luminance) / 2
    return shades[min(shades.count - 1, Int(light * Double(shades.count)))]
  }
}
