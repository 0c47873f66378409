// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The nine bytes before each frame (RFC 9113 §4.1).
struct FrameHeader: Hashable, Sendable {
  static let byteCount = 9

  /// The type of a frame by its number; peers may send unknown ones, which are ignored.
  struct Kind: RawRepresentable, Hashable, Sendable {
    var rawValue: UInt8

    static let data = Kind(rawValue: 0)
    static let headers = Kind(rawValue: 1)
    static let priority = Kind(rawValue: 2)
    static let reset = Kind(rawValue: 3)
    static let ping = Kind(rawValue: 6)
    static let settings = Kind(rawValue: 4)
    static let goAway = Kind(rawValue: 7)
    static let windowUpdate = Kind(rawValue: 8)
  }

  private static let acknowledgement: UInt8 = 1
  private static let endOfStream: UInt8 = 1
  private static let padding: UInt8 = 8
  private static let pingBytes = 8
  private static let priorityBytes = 5

  /// The length of the payload in bytes.
  var length: Int
  var kind: Kind
  var flags: UInt8
  /// The number of the stream; 0 = the connection.
  var stream: UInt32

  /// The header of plain DATA.
  init(dataOf stream: UInt32, length: Int) {
    (self.length, kind, flags, self.stream) = (length, .data, 0, stream)
  }

  /// Reads a header without moving the reader index; nil = there are fewer than nine bytes.
  init?(_ bytes: ByteBuffer) {
    guard bytes.readableBytes >= Self.byteCount,
      let word: UInt32 = bytes.getInteger(at: bytes.readerIndex),
      let flags: UInt8 = bytes.getInteger(at: bytes.readerIndex + 4),
      let stream: UInt32 = bytes.getInteger(at: bytes.readerIndex + 5)
    else { return nil }
    length = Int(word >> 8)
    kind = Kind(rawValue: UInt8(truncatingIfNeeded: word))
    self.flags = flags
    // The highest bit is reserved.
    self.stream = stream & UInt32(Int32.max)
  }

  /// For HEADERS and DATA: whether it is the last frame of its side of a call.
  var endsStream: Bool { flags & Self.endOfStream != 0 }

  /// Whether it is DATA without padding that does not end its side of a call.
  var isPlainData: Bool { kind == .data && flags == 0 }

  /// Whether it is DATA that changes nothing.
  var isEmptyData: Bool { kind == .data && length == 0 && !endsStream && !isPadded }

  /// For DATA: whether it has padding, and the length of that before its payload.
  var isPadded: Bool { flags & Self.padding != 0 }

  /// Whether it is a well-formed PRIORITY, which changes nothing (RFC 9113 §5.3.2).
  var isPriority: Bool { kind == .priority && length == Self.priorityBytes && stream != 0 }

  /// Whether it is a PING that needs an answer. A PING of a call breaks the protocol (RFC 9113
  /// §6.7), which the HTTP/2 handler finds.
  var isPing: Bool {
    kind == .ping && stream == 0 && length == Self.pingBytes && flags & Self.acknowledgement == 0
  }
}

extension ByteBuffer {
  /// The acknowledgement of a PING.
  init(answeringPing payload: ByteBuffer, allocator: ByteBufferAllocator) {
    self = allocator.buffer(capacity: FrameHeader.byteCount + payload.readableBytes)
    writeInteger(UInt32(payload.readableBytes) << 8 | UInt32(FrameHeader.Kind.ping.rawValue))
    writeInteger(UInt8(1))
    writeInteger(UInt32(0))
    writeImmutableBuffer(payload)
  }

  /// The payload of a whole frame of DATA, without padding; nil = it is malformed.
  func contents(of header: FrameHeader) -> ByteBuffer? {
    let start = readerIndex + FrameHeader.byteCount
    guard header.isPadded else { return getSlice(at: start, length: header.length) }
    guard let padding: UInt8 = getInteger(at: start), Int(padding) < header.length else {
      return nil
    }
    return getSlice(at: start + 1, length: header.length - 1 - Int(padding))
  }

  /// An empty DATA frame that ends the client's side of a call.
  init(ending stream: UInt32) {
    self.init()
    writeInteger(UInt32(FrameHeader.Kind.data.rawValue))
    writeInteger(UInt8(1))
    writeInteger(stream)
  }

  /// A WINDOW_UPDATE.
  ///
  /// - Parameters:
  ///   - stream: the call; 0 = the connection.
  ///   - credit: how many more bytes the peer may send, more than 0.
  init(widening stream: UInt32, by credit: Int, allocator: ByteBufferAllocator) {
    self = allocator.buffer(capacity: FrameHeader.byteCount + 4)
    writeInteger(UInt32(4) << 8 | UInt32(FrameHeader.Kind.windowUpdate.rawValue))
    writeInteger(UInt8(0))
    writeInteger(stream)
    writeInteger(UInt32(clamping: credit))
  }

  /// A GOAWAY frame.
  ///
  /// - Parameters:
  ///   - error: a code of RFC 9113 §7; 0 = none, 11 = ENHANCE_YOUR_CALM.
  ///   - reason: for people, in ASCII.
  ///   - lastStream: the last call that may have been processed; by default all may have been.
  init(
    goingAwayWith error: UInt32,
    reason: String,
    lastStream: UInt32 = UInt32(Int32.max),
    allocator: ByteBufferAllocator
  ) {
    let length = 8 + reason.utf8.count
    self = allocator.buffer(capacity: FrameHeader.byteCount + length)
    writeInteger(UInt32(length) << 8 | UInt32(FrameHeader.Kind.goAway.rawValue))
    writeInteger(UInt8(0))
    writeInteger(UInt32(0))
    writeInteger(lastStream)
    writeInteger(error)
    writeString(reason)
  }
}
