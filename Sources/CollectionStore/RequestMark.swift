// SPDX-License-Identifier: Apache-2.0

/// Tells a batch from others whose request identifier happens to be the same, so that only a retry is taken for one.
public struct RequestMark: Hashable, Sendable {
  /// What a batch was.
  public enum Kind: Character, Hashable, Sendable {
    /// That of the source of a transfer.
    case source = "s"
    /// That of the destination of a transfer.
    case destination = "d"
    /// One by itself.
    case batch = "b"
  }

  /// Of a transfer: the same in both batches, and in no others: 64 random bits. Of another batch: a digest of it.
  public var number: UInt64
  /// What the batch was.
  public var kind: Kind

  /// A mark with the given values.
  public init(number: UInt64, kind: Kind) {
    self.number = number
    self.kind = kind
  }

  /// The mark of a batch by itself: its length and its checksum.
  ///
  /// - Parameter payload: the batch as it is stored.
  init(ofBatch payload: [UInt8]) {
    var checksum = Checksum()
    checksum.add(payload)
    let digest = UInt64(truncatingIfNeeded: checksum.value)
    self.init(number: UInt64(truncatingIfNeeded: payload.count) << 32 | digest, kind: .batch)
  }

  /// The mark that `text` wrote; nil = that is none.
  package init?(text: String) {
    guard let kind = text.first.flatMap({ Kind(rawValue: $0) }),
      let number = UInt64(text.dropFirst(), radix: 16)
    else { return nil }
    self.init(number: number, kind: kind)
  }

  /// The letter of its kind, and the number in hexadecimal digits.
  package var text: String { String(kind.rawValue) + String(number, radix: 16) }

  /// The marks of a new transfer.
  static func ofTransfer() -> (source: RequestMark, destination: RequestMark) {
    let number = UInt64.random(in: .min ... .max)
    return (
      RequestMark(number: number, kind: .source), RequestMark(number: number, kind: .destination)
    )
  }
}

/// A request identifier and its mark, as one run of bytes in a file: the identifier in UTF-8 and, where there is a mark,
/// the byte 0xFF, which no text has, and the text of the mark.
package struct RequestBytes {
  package let bytes: [UInt8]

  private static let separator: UInt8 = 0xFF

  package init(bytes: [UInt8]) { self.bytes = bytes }

  init(id: String, mark: RequestMark?) {
    bytes = Array(id.utf8) + (mark.map { [Self.separator] + Array($0.text.utf8) } ?? [])
  }

  /// The identifier.
  package var id: String { String(decoding: parts.id, as: UTF8.self) }

  /// The mark; nil = there is none, or the bytes are not what was written.
  package var mark: RequestMark? {
    RequestMark(text: String(decoding: parts.mark, as: UTF8.self))
  }

  private var parts: (id: ArraySlice<UInt8>, mark: ArraySlice<UInt8>) {
    guard let index = bytes.firstIndex(of: Self.separator) else { return (bytes[...], []) }
    return (bytes[..<index], bytes[(index + 1)...])
  }

  /// What checksums cover: the bytes as a text, as releases that know no marks read them.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
