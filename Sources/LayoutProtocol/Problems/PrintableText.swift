// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text with control characters escaped ("\\u{1B}"), so that data of other clients cannot
  /// move the cursor, change colours or reverse the writing direction in a terminal.
  package var printable: String {
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

  /// In quotation marks, for messages about what was found: printable, its first 80 characters.
  package var quotedAsFound: String {
    // A character may consist of any number of scalars; this looks at a limited number.
    let found = String(String(unicodeScalars.prefix(160)).prefix(80))
    return "\"\(found.printable)\(found.utf8.count < utf8.count ? "…" : "")\""
  }
}

extension String {
  /// The text, printable and not longer than this in UTF-8.
  func shown(inBytes limit: Int) -> String {
    // Cut before, since escaping megabytes takes time, and after, since escapes are longer.
    cut(toBytes: limit).printable.cut(toBytes: limit)
  }

  /// The text; if it has more bytes than this in UTF-8, as much of its beginning as fits, and "…".
  package func cut(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit - "…".utf8.count))
    // Not within a scalar.
    while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(self[..<end]) + "…"
  }
}

extension Unicode.Scalar {
  /// Whether the character controls a terminal instead of being shown: control characters, line and
  /// paragraph separators, and marks of the writing direction.
  fileprivate var isUnprintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    case .format:
      // Other format characters join emoji and letters, so they stay.
      switch value {
      case 0x061C, 0x200E, 0x200F, 0x202A ... 0x202E, 0x2066 ... 0x2069, 0xFEFF: true
      default: false
      }
    default: false
    }
  }
}
