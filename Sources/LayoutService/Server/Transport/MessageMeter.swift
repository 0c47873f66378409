// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Follows the messages of a call through its DATA, without keeping any: five bytes before each tell
/// its length (gRPC's "Length-Prefixed-Message").
struct MessageMeter: Hashable, Sendable {
  /// What a message may not be.
  enum Fault: Error, Hashable {
    /// It announces more bytes than are allowed.
    case tooLarge(found: Int)
    /// Its first byte is not 0, though the server accepts no compression.
    case compressed(flag: UInt8)
  }

  private static let prefixBytes = 5

  private let limit: Int
  /// Of the prefix that is being read, from 0 to 4.
  private var prefixCount = 0
  private var length = 0
  /// Bytes of the current message that are still to come.
  private var missing = 0
  /// Messages that arrived whole.
  private(set) var messageCount = 0
  /// Bytes of the message that has not arrived whole, its prefix included.
  private(set) var unfinishedBytes = 0

  /// - Parameter limit: bytes of one message.
  init(limit: Int) { self.limit = limit }

  /// O(messages in the bytes).
  mutating func read(_ bytes: ByteBuffer) throws(Fault) {
    var index = bytes.readerIndex
    while index < bytes.writerIndex {
      if missing > 0 {
        let count = min(missing, bytes.writerIndex - index)
        index += count
        missing -= count
        unfinishedBytes += count
        if missing == 0 { finishMessage() }
      } else if let byte: UInt8 = bytes.getInteger(at: index) {
        index += 1
        try readPrefix(byte)
      }
    }
  }

  private mutating func readPrefix(_ byte: UInt8) throws(Fault) {
    // The first byte says whether the message is compressed.
    if prefixCount > 0 {
      length = length << 8 | Int(byte)
    } else if byte != 0 {
      throw .compressed(flag: byte)
    }
    prefixCount += 1
    unfinishedBytes += 1
    guard prefixCount == Self.prefixBytes else { return }
    guard length <= limit else { throw .tooLarge(found: length) }
    missing = length
    if missing == 0 { finishMessage() }
    prefixCount = 0
    length = 0
  }

  private mutating func finishMessage() {
    messageCount += 1
    unfinishedBytes = 0
  }
}
