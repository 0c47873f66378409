// SPDX-License-Identifier: Apache-2.0

/// A text that equals others with the same UTF-8 only, as keys and names do on the wire and in
/// stores.
///
/// Strings also equal others that look the same, and to find that out for texts with accents takes
/// a thousand times as long as to compare bytes.
package struct ExactText: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Wraps a text.
  package init(_ text: String) { self.text = text }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.hasSameBytes(as: b.text) }

  package func hash(into hasher: inout Hasher) {
    // Bytes in words: a call of the hasher for each byte would take several times as long.
    var (word, filled) = (UInt64.zero, 0)
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte)
      filled += 1
      if filled == 8 {
        hasher.combine(word)
        (word, filled) = (0, 0)
      }
    }
    hasher.combine(word)
    hasher.combine(UInt8(filled))
  }
}

extension String {
  /// Whether both texts have the same UTF-8.
  ///
  /// - Complexity: O(1) if the lengths differ, otherwise O(bytes)
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
