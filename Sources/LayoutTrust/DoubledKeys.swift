// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Finds a key that occurs twice in an object of a JSON text. Foundation's decoders silently read
/// one of the two, so half of what somebody wrote would be ignored.
package enum DoubledKeys {
  /// The first key that occurs twice in one object, even if it is escaped differently; nil = there
  /// is none, or the text is not JSON.
  ///
  /// - Complexity: O(bytes)
  package static func first(in json: some Collection<UInt8>) -> String? {
    // The keys so far of each open object; nil = it is a list.
    var open: [Set<String>?] = []
    var isKeyNext = false
    var index = json.startIndex
    while index < json.endIndex {
      let byte = json[index]
      index = json.index(after: index)
      switch byte {
      case UInt8(ascii: "{"):
        open.append([])
        isKeyNext = true
      case UInt8(ascii: "["):
        open.append(nil)
        isKeyNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        isKeyNext = false
      case UInt8(ascii: ","): isKeyNext = open.last.map { $0 != nil } ?? false
      case UInt8(ascii: "\""):
        let text = string(in: json, from: &index)
        guard isKeyNext, let last = open.indices.last else { continue }
        isKeyNext = false
        let key = key(text)
        if open[last]?.insert(key).inserted == false { return key }
      default: break
      }
    }
    return nil
  }

  /// The key that a string stands for, with its escapes resolved. A text that is not a string is
  /// not valid JSON, which decoders report.
  private static func key(_ text: [UInt8]) -> String {
    let quote = [UInt8(ascii: "\"")]
    let key =
      text.contains(UInt8(ascii: "\\"))
      ? try? JSONDecoder().decode(String.self, from: Data(quote + text + quote)) : nil
    return key ?? String(decoding: text, as: UTF8.self)
  }

  /// The bytes up to the quotation mark that ends a string, which is skipped.
  private static func string<Bytes: Collection<UInt8>>(
    in json: Bytes,
    from index: inout Bytes.Index
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    while index < json.endIndex, json[index] != UInt8(ascii: "\"") {
      let isEscape = json[index] == UInt8(ascii: "\\")
      bytes.append(json[index])
      index = json.index(after: index)
      guard isEscape, index < json.endIndex else { continue }
      bytes.append(json[index])
      index = json.index(after: index)
    }
    if index < json.endIndex { index = json.index(after: index) }
    return bytes
  }
}
