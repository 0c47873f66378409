// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Finds where the frames of a WebSocket end in the bytes that a client sends (RFC 6455 §5.2).
struct WebSocketScanner {
  /// The beginning of an incomplete frame header.
  private var header: [UInt8] = []
  /// Bytes of the current frame's payload that have not arrived.
  private var payload: UInt64 = 0
  /// Whether a frame has begun and not ended.
  var isInFrame: Bool { payload > 0 || !header.isEmpty }
  /// The number of complete frames.
  private(set) var frames = 0
  /// Whether a closing frame has begun.
  private(set) var hasSeenClosing = false

  /// The number of bytes up to the end of this many frames; all bytes if fewer frames end in them.
  ///
  /// - Parameter bytes: the bytes that follow those of earlier calls.
  mutating func length(of bytes: ByteBufferView, frames: Int) -> Int {
    var index = bytes.startIndex
    var ended = 0
    while index < bytes.endIndex, ended < frames {
      if payload > 0 {
        let count = Int(min(payload, UInt64(bytes.endIndex - index)))
        index += count
        payload -= UInt64(count)
      } else {
        header.append(bytes[index])
        index += 1
        guard let length = Self.payloadLength(header) else { continue }
        payload = length
        if header[0] & 0x0F == Self.closing { hasSeenClosing = true }
        header.removeAll(keepingCapacity: true)
      }
      if payload == 0, header.isEmpty { ended += 1 }
    }
    self.frames += ended
    return index - bytes.startIndex
  }

  /// The opcode of closing frames.
  private static let closing: UInt8 = 8

  /// The payload length in a complete header; nil = the header is incomplete.
  private static func payloadLength(_ header: [UInt8]) -> UInt64? {
    guard header.count >= 2 else { return nil }
    let short = header[1] & 0x7F
    let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
    let maskBytes = header[1] & 0x80 == 0 ? 0 : 4
    guard header.count == 2 + lengthBytes + maskBytes else { return nil }
    guard lengthBytes > 0 else { return UInt64(short) }
    return header[2 ..< 2 + lengthBytes].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
