// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry
import LayoutProtocol

/// Draws what a viewer sees on the whole terminal, with a status line below.
struct TerminalScreen {
  private let colors: TerminalColors
  private var shown: Shown?
  /// The last message for the user.
  var message = ""

  private struct Shown: Equatable {
    var frame: UInt64
    var offset: Point
    var viewport: Size
    var columns: Int
    var rows: Int
    var message: String
  }

  static let hints = "arrows, space, g, G scroll; q quits"

  init(colors: TerminalColors) { self.colors = colors }

  /// The text that draws the state; nil = it is on the screen already.
  ///
  /// - Parameter size: the size of the terminal, in characters.
  mutating func update(
    _ mirror: ElementMirror,
    in viewport: Rect,
    status: String,
    size: (columns: Int, rows: Int)
  ) -> String? {
    let next = Shown(
      frame: mirror.frameSequence,
      offset: viewport.origin,
      viewport: viewport.size,
      columns: size.columns,
      rows: size.rows,
      message: message
    )
    guard next != shown, size.columns > 0, size.rows > 1 else { return nil }
    let isResized = shown.map { ($0.columns, $0.rows) != (size.columns, size.rows) } ?? true
    shown = next
    // Each character is about twice as high as it is wide, and shows two pixels.
    let scale = min(
      Double(size.columns) / max(1, viewport.width),
      Double((size.rows - 1) * 2) / max(1, viewport.height)
    )
    let elements = mirror.elements.values.map {
      ShownElement(key: $0.key, attributes: $0.attributes, itemKey: $0.itemKey)
    }
    let raster = ElementPainter(area: viewport, scale: scale).raster(
      of: elements,
      contentSize: mirror.contentSize,
      outline: false
    )
    let lines = TerminalPicture(raster: raster, colors: colors).lines.prefix(size.rows - 1)
    var text = isResized ? "\u{1B}[2J" : ""
    for (row, line) in lines.enumerated() { text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K" }
    text += "\u{1B}[\(size.rows);1H"
    let bottom = message.isEmpty ? "\(status)  \(Self.hints)" : "\(status)  \(message)"
    return text + String(bottom.prefix(size.columns)) + "\u{1B}[K"
  }
}
