// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text as a terminal may show it. What moves the cursor, changes colours or turns the direction
  /// of writing comes as an escape: "\\u{1B}". Such characters come from other clients' data.
  var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isUnprintable {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether it controls a terminal rather than being shown: control characters, line and paragraph
  /// separators, and the marks that turn the direction of writing.
  fileprivate var isUnprintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    case .format:
      // Others join emoji and letters, which is what they are for.
      switch value {
      case 0x061C, 0x200E, 0x200F, 0x202A ... 0x202E, 0x2066 ... 0x2069, 0xFEFF: true
      default: false
      }
    default: false
    }
  }
}
