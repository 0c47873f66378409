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

  /// What becomes of a frame.
  enum Verdict: Hashable {
    case pass
    /// The frame and all that follows are held back; the next call of `next` asks again.
    case hold
    /// The frame is left out.
    case drop
    /// These bytes are handed on instead of the frame.
    case replace(ByteBuffer)
  }

  private static let greetingBytes = 24
  private static let pingBytes = FrameHeader.byteCount + 8

  private var input = ByteBuffer()
  /// An incomplete frame header or PING.
  private var kept = ByteBuffer()
  /// Bytes that are not looked at: the client's greeting, then the rest of the current frame.
  private var passing = greetingBytes
  /// Bytes of a dropped frame that are still to come.
  private var dropping = 0
  /// What is handed on instead of it.
  private var replacement: ByteBuffer?

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
  /// - Parameter verdict: called for each frame's header, PINGs included, in their order. PINGs always
  ///   pass.
  mutating func next(_ verdict: (FrameHeader) -> Verdict) -> Piece? {
    isHolding = false
    if let replaced = takeReplacement() { return replaced }
    if kept.readableBytes > 0, let whole = completeKept(verdict) { return whole }
    guard kept.readableBytes == 0, !isHolding else { return nil }
    drop()
    var start = input
    scanning: while input.readableBytes > 0 {
      if passing > 0 {
        pass(min(passing, input.readableBytes))
        continue
      }
      guard let header = FrameHeader(input) else { break }
      guard header.isPing else {
        switch verdict(header) {
        case .pass: passing = FrameHeader.byteCount + header.length
        case .hold:
          isHolding = true
          break scanning
        case .drop: dropping = FrameHeader.byteCount + header.length
        case .replace(let bytes):
          dropping = FrameHeader.byteCount + header.length
          replacement = bytes
        }
        if dropping > 0 {
          // What comes before it is handed on first.
          if input.readerIndex > start.readerIndex { break scanning }
          if let replaced = takeReplacement() { return replaced }
          drop()
          start = input
        }
        continue
      }
      // What comes before a PING is handed on before it is answered.
      if input.readerIndex > start.readerIndex { break }
      guard let ping = input.readSlice(length: Self.pingBytes) else { break }
      _ = verdict(header)
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

  /// Fills up what was kept from the last bytes; nil = it is still incomplete, held back or dropped.
  private mutating func completeKept(_ verdict: (FrameHeader) -> Verdict) -> Piece? {
    fillKept(to: FrameHeader.byteCount)
    guard let header = FrameHeader(kept) else { return nil }
    if header.isPing {
      fillKept(to: Self.pingBytes)
      guard kept.readableBytes == Self.pingBytes else { return nil }
    }
    let verdict = verdict(header)
    guard verdict != .hold || header.isPing else {
      isHolding = true
      return nil
    }
    let whole = kept
    kept = ByteBuffer()
    guard !header.isPing else { return .ping(Self.payload(of: whole)) }
    let rest = FrameHeader.byteCount + header.length - whole.readableBytes
    guard verdict == .pass else {
      dropping = rest
      if case .replace(let bytes) = verdict { replacement = bytes }
      return takeReplacement()
    }
    passing = rest
    return .bytes(whole)
  }

  private mutating func takeReplacement() -> Piece? {
    guard let bytes = replacement else { return nil }
    replacement = nil
    drop()
    return .bytes(bytes)
  }

  /// Drops what has come of the frame that is left out.
  private mutating func drop() {
    let count = min(dropping, input.readableBytes)
    input.moveReaderIndex(forwardBy: count)
    dropping -= count
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
