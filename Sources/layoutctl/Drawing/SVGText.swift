// SPDX-License-Identifier: Apache-2.0

/// Writes SVG: elements with attributes, escaped and indented.
struct SVGText {
  private(set) var text = ""
  private var open: [String] = []

  /// An element without content.
  mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "\(indentation)<\(name)\(Self.list(attributes))/>\n"
  }

  /// An element with text inside.
  mutating func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String>,
    text content: String
  ) {
    text += "\(indentation)<\(name)\(Self.list(attributes))>\(Self.escaped(content))</\(name)>\n"
  }

  /// An element around what `body` writes.
  mutating func group(
    _ name: String,
    _ attributes: KeyValuePairs<String, String>,
    _ body: (inout SVGText) -> Void
  ) {
    text += "\(indentation)<\(name)\(Self.list(attributes))>\n"
    open.append(name)
    body(&self)
    open.removeLast()
    text += "\(indentation)</\(name)>\n"
  }

  private var indentation: String { String(repeating: " ", count: open.count) }

  /// Those without a value are left out.
  private static func list(_ attributes: KeyValuePairs<String, String>) -> String {
    attributes.map { $0.value.isEmpty ? "" : " \($0.key)=\"\(escaped($0.value))\"" }.joined()
  }

  /// Characters that XML 1.0 has no way to write are replaced.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
