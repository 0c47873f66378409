// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Which of some rules are for a text, such as a kind or a key: a bit for each rule, by its index.
///
/// Rules name texts that clients choose, and are asked about each element. So the names of all
/// rules are in one table of bytes.
package struct TextMasks: Sendable {
  private var named: [ExactText: UInt64] = [:]
  /// The rules that name no text, which are for all.
  private var others: UInt64 = 0

  /// - Parameter rules: the texts that each rule names; none = the rule is for all. Rules from the
  ///   65th on are for no text.
  /// - Complexity: O(texts)
  package init(_ rules: some Sequence<some Collection<String>>) {
    for (index, texts) in rules.enumerated() where index < UInt64.bitWidth {
      let bit: UInt64 = 1 << UInt64(index)
      if texts.isEmpty { others |= bit }
      for text in texts { named[ExactText(text), default: 0] |= bit }
    }
  }

  /// Whether no rule names a text.
  package var isEmpty: Bool { named.isEmpty }

  /// Whether some rule names a text.
  ///
  /// - Complexity: O(bytes of the text)
  func names(_ text: String) -> Bool { named[ExactText(text)] != nil }

  /// The rules that are for a text.
  ///
  /// - Complexity: O(bytes of the text)
  package func mask(of text: String) -> UInt64 {
    named.isEmpty ? others : others | (named[ExactText(text)] ?? 0)
  }
}
