// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Follows the frames that the HTTP/2 handler sends. Each frame begins a write, and only the
/// payload of DATA is a separate write.
struct OutboundFrames {
  enum Verdict: Hashable {
    /// A frame with this header; nil = only the payload of the frame before.
    case frame(FrameHeader?)
    /// A GOAWAY that says that the client broke the protocol, as it has to be sent.
    case violation(ByteBuffer)
    /// The bytes to send instead of the frame.
    case replaced(ByteBuffer)
  }

  private static let protocolError: UInt32 = 1
  /// ENHANCE_YOUR_CALM
  private static let tooMuch: UInt32 = 11
  private static let errorOffset = FrameHeader.byteCount + 4

  /// Bytes of the current frame that are not written yet.
  private var passing = 0
  /// Whether a GOAWAY without an error was sent.
  private(set) var hasSaidGoodbye = false
  /// The last call that may have been processed, as told to the client. It must not grow (RFC 9113
  /// §6.8).
  private(set) var lastStream = UInt32(Int32.max)
  private(set) var hasReportedError = false

  /// - Parameter bytes: one write.
  mutating func next(_ bytes: ByteBuffer) -> Verdict {
    guard passing == 0 else {
      passing = max(0, passing - bytes.readableBytes)
      return .frame(nil)
    }
    guard let header = FrameHeader(bytes) else { return .frame(nil) }
    passing = max(0, FrameHeader.byteCount + header.length - bytes.readableBytes)
    guard header.kind == .goAway,
      let error: UInt32 = bytes.getInteger(at: bytes.readerIndex + Self.errorOffset)
    else { return .frame(header) }
    guard error != 0 else {
      hasSaidGoodbye = true
      let told = bytes.getInteger(at: bytes.readerIndex + FrameHeader.byteCount, as: UInt32.self)
      lastStream = min(lastStream, told ?? lastStream)
      return .frame(header)
    }
    hasReportedError = true
    // When the last call has ended after the GOAWAY, the HTTP/2 handler treats any frame as an
    // error, even the answer to its own PING. The client could not know, and the connection ends
    // anyway.
    guard hasSaidGoodbye, error == Self.protocolError else {
      // The HTTP/2 handler says that no call was processed, whatever was answered; clients would
      // repeat them.
      return .violation(goodbye(bytes, error))
    }
    var farewell = bytes
    farewell.setInteger(UInt32(0), at: farewell.readerIndex + Self.errorOffset)
    return .replaced(farewell)
  }

  private func goodbye(_ bytes: ByteBuffer, _ error: UInt32) -> ByteBuffer {
    guard passing == 0 else {
      // Its reason text comes in the next write.
      var goodbye = bytes
      goodbye.setInteger(lastStream, at: goodbye.readerIndex + FrameHeader.byteCount)
      return goodbye
    }
    return ByteBuffer(
      goingAwayWith: error,
      reason: error == Self.tooMuch
        ? "too many resets or control frames" : "the client broke HTTP/2",
      lastStream: lastStream,
      allocator: ByteBufferAllocator()
    )
  }
}
