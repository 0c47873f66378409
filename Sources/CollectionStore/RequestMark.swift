// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Tells a batch from others that happen to have the same request identifier, so that only a true
/// retry counts as one.
public struct RequestMark: Hashable, Sendable {
  /// The role of a batch.
  public enum Kind: Character, Hashable, Sendable {
    /// The source's batch of a transfer.
    case source = "s"
    /// The destination's batch of a transfer.
    case destination = "d"
    /// A batch by itself.
    case batch = "b"
  }

  /// A digest of the request that brought the batch. For a transfer the same in both batches, and
  /// 64 random bits if it did not come with a request.
  public var number: UInt64
  /// The role of the batch.
  public var kind: Kind

  /// A mark with the given values.
  public init(number: UInt64, kind: Kind) {
    self.number = number
    self.kind = kind
  }

  /// The mark of a batch by itself.
  ///
  /// - Parameters:
  ///   - digest: the digest of its request; nil = it did not come with one.
  ///   - payload: the batch as it is stored.
  init(ofBatch digest: UInt64?, payload: [UInt8]) {
    self.init(number: digest ?? Checksum.digest(of: payload), kind: .batch)
  }

  /// Decodes what `text` returned; nil = malformed.
  package init?(text: String) {
    guard let kind = text.first.flatMap({ Kind(rawValue: $0) }),
      let number = UInt64(text.dropFirst(), radix: 16)
    else { return nil }
    self.init(number: number, kind: kind)
  }

  /// The letter of its kind, and the number in hexadecimal digits.
  package var text: String { String(kind.rawValue) + String(number, radix: 16) }

  /// The marks of a new transfer.
  ///
  /// - Parameter digest: the digest of its request; nil = it did not come with one.
  static func ofTransfer(
    _ digest: UInt64?
  ) -> (source: RequestMark, destination: RequestMark) {
    let number = digest ?? .random(in: .min ... .max)
    return (
      RequestMark(number: number, kind: .source), RequestMark(number: number, kind: .destination)
    )
  }
}

/// A request identifier and its mark as bytes in a file: the identifier in UTF-8 and, if there is a
/// mark, the byte 0xFF, which never occurs in UTF-8, and the text of the mark.
package struct RequestBytes {
  package let bytes: [UInt8]

  private static let separator: UInt8 = 0xFF

  package init(bytes: [UInt8]) { self.bytes = bytes }

  init(id: String, mark: RequestMark?) {
    bytes = Array(id.utf8) + (mark.map { [Self.separator] + Array($0.text.utf8) } ?? [])
  }

  /// The identifier.
  package var id: String { String(decoding: parts.id, as: UTF8.self) }

  /// The mark; nil = there is none, or it is malformed.
  package var mark: RequestMark? {
    RequestMark(text: String(decoding: parts.mark, as: UTF8.self))
  }

  private var parts: (id: ArraySlice<UInt8>, mark: ArraySlice<UInt8>) {
    guard let index = bytes.firstIndex(of: Self.separator) else { return (bytes[...], []) }
    return (bytes[..<index], bytes[(index + 1)...])
  }

  /// The text that checksums cover: the bytes as releases without marks read them.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
