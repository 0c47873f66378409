// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The contents of DATA frames that wait in front of the HTTP/2 handler, for each call that is far
/// behind.
///
/// The handler keeps more than a hundred bytes for each frame that a call does not read, however
/// small it is, and gives all of them to the call in one piece. Here a frame costs its contents.
struct Backlogs {
  /// The most payload bytes of a frame (RFC 9113 §4.2).
  static let mostFrameBytes = 16_384
  /// The most bytes that wait for one call: what fits with a header into a block of memory.
  private static let most = mostFrameBytes - FrameHeader.byteCount

  /// Frames of DATA to be handed on, whose headers lack the length.
  private var frames: [UInt32: ByteBuffer] = [:]
  /// The bytes that wait, without headers.
  private(set) var byteCount = 0

  var streams: Dictionary<UInt32, ByteBuffer>.Keys { frames.keys }

  func hold(_ stream: UInt32) -> Bool { !frames.isEmpty && frames[stream] != nil }

  /// Whether what waits for a call has to be handed on before so many bytes more wait.
  func isFull(_ stream: UInt32, with bytes: Int) -> Bool {
    guard let frame = frames[stream] else { return false }
    return Self.byteCount(of: frame) + bytes > Self.most
  }

  mutating func append(_ contents: ByteBuffer, to stream: UInt32) {
    guard contents.readableBytes > 0 else { return }
    frames[stream, default: ByteBuffer(FrameHeader(dataOf: stream, length: 0))]
      .writeImmutableBuffer(contents)
    byteCount += contents.readableBytes
  }

  /// Takes what waits for a call, as a frame.
  mutating func take(_ stream: UInt32) -> ByteBuffer? {
    guard var frame = frames.removeValue(forKey: stream) else { return nil }
    let length = Self.byteCount(of: frame)
    byteCount -= length
    frame.setHeader(FrameHeader(dataOf: stream, length: length))
    return frame
  }

  mutating func drop(_ stream: UInt32) {
    guard !frames.isEmpty, let frame = frames.removeValue(forKey: stream) else { return }
    byteCount -= Self.byteCount(of: frame)
  }

  private static func byteCount(of frame: ByteBuffer) -> Int {
    frame.readableBytes - FrameHeader.byteCount
  }
}

extension ByteBuffer {
  fileprivate init(_ header: FrameHeader) {
    self.init(repeating: 0, count: FrameHeader.byteCount)
    setHeader(header)
  }

  /// Writes a header over the first bytes.
  fileprivate mutating func setHeader(_ header: FrameHeader) {
    let start = readerIndex
    setInteger(UInt32(header.length) << 8 | UInt32(header.kind.rawValue), at: start)
    setInteger(header.flags, at: start + 4)
    setInteger(header.stream, at: start + 5)
  }
}
