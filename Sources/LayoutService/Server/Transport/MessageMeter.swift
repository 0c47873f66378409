// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Follows the messages of a call through its DATA without storing them: five bytes before each
/// tell its length (gRPC's "Length-Prefixed-Message").
struct MessageMeter: Hashable, Sendable {
  /// What is wrong with a message.
  enum Fault: Error, Hashable {
    /// It announces more bytes than allowed.
    case tooLarge(found: Int)
    /// Its first byte is not 0, although the server accepts no compression.
    case compressed(flag: UInt8)
  }

  private static let prefixBytes = 5

  private let limit: Int
  /// How much of the current prefix has been read, from 0 to 4 bytes.
  private var prefixCount = 0
  private var length = 0
  /// Bytes of the current message that have not arrived.
  private var missing = 0
  /// The number of complete messages.
  private(set) var messageCount = 0
  /// Bytes of the incomplete message, including its prefix.
  private(set) var unfinishedBytes = 0

  /// - Parameter limit: the most bytes of one message.
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
      } else if prefixCount == 0, bytes.writerIndex - index >= Self.prefixBytes,
        let flag: UInt8 = bytes.getInteger(at: index),
        let length: UInt32 = bytes.getInteger(at: index + 1)
      {
        // Most prefixes come whole.
        guard flag == 0 else { throw .compressed(flag: flag) }
        index += Self.prefixBytes
        unfinishedBytes += Self.prefixBytes
        try begin(Int(length))
      } else if let byte: UInt8 = bytes.getInteger(at: index) {
        index += 1
        try readPrefix(byte)
      }
    }
  }

  /// Whether bytes are exactly the next message.
  func isNext(_ bytes: ByteBuffer) -> Bool {
    guard unfinishedBytes == 0, bytes.readableBytes >= Self.prefixBytes,
      let flag: UInt8 = bytes.getInteger(at: bytes.readerIndex),
      let length: UInt32 = bytes.getInteger(at: bytes.readerIndex + 1)
    else { return false }
    return flag == 0 && Int(length) == bytes.readableBytes - Self.prefixBytes
      && Int(length) <= limit
  }

  /// Notes a whole message that was not read.
  mutating func noteWhole() { messageCount += 1 }

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
    let found = length
    try begin(found)
    prefixCount = 0
    length = 0
  }

  /// Begins a message whose prefix has been read.
  private mutating func begin(_ length: Int) throws(Fault) {
    guard length <= limit else { throw .tooLarge(found: length) }
    missing = length
    if missing == 0 { finishMessage() }
  }

  private mutating func finishMessage() {
    messageCount += 1
    unfinishedBytes = 0
  }
}
