// SPDX-License-Identifier: Apache-2.0

/// Marks the two batches of one transfer, so that a retry is told from other batches whose request identifier
/// happens to be the same in both collections.
public struct TransferMark: Hashable, Sendable {
  /// The same in both batches, and in no others: 64 random bits.
  public var number: UInt64
  /// Whether the batch is that of the source, rather than that of the destination.
  public var isSource: Bool

  /// A mark with the given values.
  public init(number: UInt64, isSource: Bool) {
    self.number = number
    self.isSource = isSource
  }

  /// The mark that `text` wrote; nil = that is none.
  package init?(text: String) {
    guard let side = text.first, side == "s" || side == "d",
      let number = UInt64(text.dropFirst(), radix: 16)
    else { return nil }
    self.init(number: number, isSource: side == "s")
  }

  /// "s" for the source or "d" for the destination, and the number in hexadecimal digits.
  package var text: String { (isSource ? "s" : "d") + String(number, radix: 16) }

  /// The marks of a new transfer.
  static func make() -> (source: TransferMark, destination: TransferMark) {
    let number = UInt64.random(in: .min ... .max)
    return (
      TransferMark(number: number, isSource: true), TransferMark(number: number, isSource: false)
    )
  }
}

/// A request identifier and the mark of its transfer, as one run of bytes in a file: the identifier in UTF-8 and,
/// for a batch of a transfer, the byte 0xFF, which no text has, "s" for the source or "d" for the destination, and
/// the number in hexadecimal digits.
package struct RequestBytes {
  package let bytes: [UInt8]

  private static let separator: UInt8 = 0xFF

  package init(bytes: [UInt8]) { self.bytes = bytes }

  init(id: String, transfer: TransferMark?) {
    bytes = Array(id.utf8) + (transfer.map { [Self.separator] + Array($0.text.utf8) } ?? [])
  }

  /// The identifier.
  package var id: String { String(decoding: parts.id, as: UTF8.self) }

  /// The mark; nil = the batch is not one of a transfer, or the bytes are not what was written.
  package var transfer: TransferMark? {
    TransferMark(text: String(decoding: parts.mark, as: UTF8.self))
  }

  private var parts: (id: ArraySlice<UInt8>, mark: ArraySlice<UInt8>) {
    guard let index = bytes.firstIndex(of: Self.separator) else { return (bytes[...], []) }
    return (bytes[..<index], bytes[(index + 1)...])
  }

  /// What checksums cover: the bytes as a text, as releases that know no marks read them.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
