// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Finds the frames in what a connection receives, without copying their payloads.
///
/// Only an incomplete frame header, or PING, is kept until the rest comes.
struct FrameScanner {
  /// Something that was found, in the order of the bytes.
  enum Piece {
    /// Bytes to hand on as they are.
    case bytes(ByteBuffer)
    /// A PING that wants to be answered, with its payload; it is not handed on.
    case ping(ByteBuffer)
  }

  private static let greetingBytes = 24
  private static let pingBytes = FrameHeader.byteCount + 8

  private var input = ByteBuffer()
  /// An incomplete frame header or PING.
  private var kept = ByteBuffer()
  /// Bytes that are not looked at: the client's greeting, then the rest of the current frame.
  private var passing = greetingBytes

  /// Whether the client's greeting has arrived.
  private(set) var isGreeted = false
  /// Whether there is a frame that was not to pass when it was last found.
  private(set) var isHolding = false

  /// Bytes that are held back, or incomplete.
  var byteCount: Int { input.readableBytes + kept.readableBytes }

  /// Takes bytes, which follow those that are held back.
  mutating func append(_ bytes: ByteBuffer) {
    guard input.readableBytes > 0 else {
      input = bytes
      return
    }
    input.writeImmutableBuffer(bytes)
  }

  /// The next piece; nil = more bytes are needed, or a frame is held back (`isHolding`).
  ///
  /// - Parameter passes: called for each frame's header, PINGs included, in their order; false = the
  ///   frame and all that follows are held back, and the next call asks again. PINGs always pass.
  mutating func next(_ passes: (FrameHeader) -> Bool) -> Piece? {
    isHolding = false
    if kept.readableBytes > 0 { return completeKept(passes) }
    let start = input
    while input.readableBytes > 0 {
      if passing > 0 {
        pass(min(passing, input.readableBytes))
        continue
      }
      guard let header = FrameHeader(input) else { break }
      guard header.isPing else {
        guard passes(header) else {
          isHolding = true
          break
        }
        passing = FrameHeader.byteCount + header.length
        continue
      }
      // What comes before a PING is handed on before it is answered.
      if input.readerIndex > start.readerIndex { break }
      guard let ping = input.readSlice(length: Self.pingBytes) else { break }
      _ = passes(header)
      return .ping(Self.payload(of: ping))
    }
    let count = input.readerIndex - start.readerIndex
    guard count == 0 else {
      return start.getSlice(at: start.readerIndex, length: count).map { .bytes($0) }
    }
    guard !isHolding else { return nil }
    // At most 16 bytes, copied so that the buffer they came in is not kept.
    kept.writeBuffer(&input)
    return nil
  }

  /// Fills up what was kept from the last bytes.
  private mutating func completeKept(_ passes: (FrameHeader) -> Bool) -> Piece? {
    fillKept(to: FrameHeader.byteCount)
    guard let header = FrameHeader(kept) else { return nil }
    if header.isPing {
      fillKept(to: Self.pingBytes)
      guard kept.readableBytes == Self.pingBytes else { return nil }
    }
    guard passes(header) || header.isPing else {
      isHolding = true
      return nil
    }
    let whole = kept
    kept = ByteBuffer()
    guard !header.isPing else { return .ping(Self.payload(of: whole)) }
    passing = FrameHeader.byteCount + header.length - whole.readableBytes
    return .bytes(whole)
  }

  private mutating func fillKept(to count: Int) {
    let missing = min(count - kept.readableBytes, input.readableBytes)
    guard missing > 0, var part = input.readSlice(length: missing) else { return }
    kept.writeBuffer(&part)
  }

  private mutating func pass(_ count: Int) {
    input.moveReaderIndex(forwardBy: count)
    passing -= count
    if passing == 0 { isGreeted = true }
  }

  private static func payload(of ping: ByteBuffer) -> ByteBuffer {
    ping.getSlice(at: ping.readerIndex + FrameHeader.byteCount, length: 8) ?? ByteBuffer()
  }
}
