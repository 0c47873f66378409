// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

/// The action of a key in an interactive viewer.
enum ScrollKey: Equatable {
  case up
  case down
  case left
  case right
  case pageUp
  case pageDown
  case start
  case end
  case quit

  /// Decodes the bytes that a terminal sends. Unknown keys are skipped.
  static func decode(_ bytes: [UInt8]) -> [ScrollKey] {
    var keys: [ScrollKey] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1B, rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") else {
        if let key = plain[byte] { keys.append(key) }
        continue
      }
      rest.removeFirst()
      // An escape sequence has parameters, then a letter or a tilde.
      let parameters = rest.prefix { $0 < 0x40 }
      rest = rest.dropFirst(parameters.count)
      guard let final = rest.popFirst() else { break }
      let code = final == UInt8(ascii: "~") ? parameters.first ?? 0 : final
      if let key = sequences[code] { keys.append(key) }
    }
    return keys
  }

  private static let plain: [UInt8: ScrollKey] = [
    UInt8(ascii: "q"): .quit, 0x03: .quit, 0x04: .quit, UInt8(ascii: " "): .pageDown,
    UInt8(ascii: "j"): .down, UInt8(ascii: "k"): .up, UInt8(ascii: "h"): .left,
    UInt8(ascii: "l"): .right, UInt8(ascii: "g"): .start, UInt8(ascii: "G"): .end,
  ]

  private static let sequences: [UInt8: ScrollKey] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .start, UInt8(ascii: "F"): .end,
    UInt8(ascii: "1"): .start, UInt8(ascii: "4"): .end, UInt8(ascii: "5"): .pageUp,
    UInt8(ascii: "6"): .pageDown, UInt8(ascii: "7"): .start, UInt8(ascii: "8"): .end,
  ]

  /// The content offset after this key. Page keys scroll along the axis on which the content
  /// overflows.
  func offset(from offset: Point, viewport: Size, content: Size) -> Point {
    let line = 40.0
    let goesDown = content.height > viewport.height || content.width <= viewport.width
    let page = 0.9 * (goesDown ? viewport.height : viewport.width)
    func along(_ distance: Double) -> Point {
      goesDown ? Point(x: 0, y: distance) : Point(x: distance, y: 0)
    }
    let wanted: Point =
      switch self {
      case .up: offset - Point(x: 0, y: line)
      case .down: offset + Point(x: 0, y: line)
      case .left: offset - Point(x: line, y: 0)
      case .right: offset + Point(x: line, y: 0)
      case .pageUp: offset - along(page)
      case .pageDown: offset + along(page)
      case .start: .zero
      case .end: Point(x: offset.x, y: offset.y) + along(.greatestFiniteMagnitude / 4)
      case .quit: offset
      }
    return wanted.limited(to: content, viewport: viewport, from: offset)
  }
}

extension Point {
  /// This content offset within the content.
  ///
  /// - Parameter offset: where the viewport is. Content that is shorter stays where it is aligned.
  func limited(to content: Size, viewport: Size, from offset: Point) -> Point {
    func limited(_ wanted: Double, _ room: Double, _ current: Double) -> Double {
      room > 0 ? min(max(wanted, 0), room) : min(current, 0)
    }
    return Point(
      x: limited(x, content.width - viewport.width, offset.x),
      y: limited(y, content.height - viewport.height, offset.y)
    )
  }
}
