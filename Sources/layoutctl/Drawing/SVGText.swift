// SPDX-License-Identifier: Apache-2.0

/// Writes SVG elements, with escaping and indentation.
struct SVGText {
  private(set) var text = ""
  private var open: [String] = []

  /// Writes an element without content.
  mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "\(indentation)<\(name)\(Self.list(attributes))/>\n"
  }

  /// Writes an element that contains text.
  mutating func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String>,
    text content: String
  ) {
    text += "\(indentation)<\(name)\(Self.list(attributes))>\(Self.escaped(content))</\(name)>\n"
  }

  /// Writes an element that contains what `body` writes.
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

  /// The attributes as text. Attributes with an empty value are left out.
  private static func list(_ attributes: KeyValuePairs<String, String>) -> String {
    attributes.map { $0.value.isEmpty ? "" : " \($0.key)=\"\(escaped($0.value))\"" }.joined()
  }

  /// Escapes text for XML. Characters that XML 1.0 cannot represent are replaced.
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
