// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Finds the frames in the bytes that a connection receives, without copying their payloads.
///
/// Keeps only an incomplete frame header, PING or frame that is asked for until the rest comes.
struct FrameScanner {
  /// A piece of the input, in order.
  enum Piece {
    /// Bytes to hand on unchanged.
    case bytes(ByteBuffer)
    /// The payload of a PING that needs an answer; the PING is not handed on.
    case ping(ByteBuffer)
    /// A whole frame that is asked for.
    case frame(FrameHeader, ByteBuffer)
  }

  /// What to do with a frame.
  enum Verdict: Hashable {
    case pass
    /// Hold back the frame and all that follow; the next call of `next` asks again.
    case hold
    /// Drop the frame.
    case drop
    /// Give it as a piece of its own, once it has arrived completely. Each time that more of it
    /// arrives, it is asked for again.
    case take
    /// Hand on these bytes instead of the frame.
    case replace(ByteBuffer)
    /// Hand on these bytes before the frame, and ask again.
    case insert(ByteBuffer)
  }

  private static let greetingBytes = 24
  private static let pingBytes = FrameHeader.byteCount + 8

  private var input = ByteBuffer()
  /// An incomplete frame header, PING or frame that is asked for.
  private var kept = ByteBuffer()
  /// Bytes left to pass unexamined: of the client's greeting, then of the current frame.
  private var passing = greetingBytes
  /// Bytes of a dropped frame that have not arrived.
  private var dropping = 0
  /// The bytes to hand on instead of a dropped frame, or before the next.
  private var replacement: ByteBuffer?
  /// The next frame, if it is asked for.
  private var taking: FrameHeader?

  /// Whether the client's greeting has arrived.
  private(set) var isGreeted = false
  /// Whether a part of a frame was handed on, so that its rest has to come next.
  var isInFrame: Bool { passing > 0 }
  /// Whether the newest frame found was held back.
  private(set) var isHolding = false

  /// The number of bytes held back or incomplete.
  var byteCount: Int { input.readableBytes + kept.readableBytes }

  /// Adds bytes after those that are held back.
  mutating func append(_ bytes: ByteBuffer) {
    guard input.readableBytes > 0 else {
      input = bytes
      return
    }
    input.writeImmutableBuffer(bytes)
  }

  /// The next piece; nil = more bytes are needed, or a frame is held back (`isHolding`).
  ///
  /// - Parameter verdict: called for the header of each frame in order, PINGs included, and told
  ///   whether the frame has arrived completely. PINGs always pass.
  mutating func next(_ verdict: (FrameHeader, _ isWhole: Bool) -> Verdict) -> Piece? {
    isHolding = false
    if let replaced = takeReplacement() { return replaced }
    if let taken = takeFrame() { return taken }
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
        let isWhole = input.readableBytes - FrameHeader.byteCount >= header.length
        switch verdict(header, isWhole) {
        case .take where isWhole:
          taking = header
          // Bytes before it are handed on first.
          if input.readerIndex > start.readerIndex { break scanning }
          return takeFrame()
        case .take:
          // Bytes before it are handed on first.
          if input.readerIndex > start.readerIndex { break scanning }
          // Copied so that the buffer is not kept.
          kept.writeBuffer(&input)
          return nil
        case .pass: passing = FrameHeader.byteCount + header.length
        case .hold:
          isHolding = true
          break scanning
        case .drop: dropping = FrameHeader.byteCount + header.length
        case .replace(let bytes):
          dropping = FrameHeader.byteCount + header.length
          replacement = bytes
        case .insert(let bytes):
          replacement = bytes
          // Bytes before it are handed on first.
          if input.readerIndex > start.readerIndex { break scanning }
          return takeReplacement()
        }
        if dropping > 0 {
          // Bytes before it are handed on first.
          if input.readerIndex > start.readerIndex { break scanning }
          if let replaced = takeReplacement() { return replaced }
          drop()
          start = input
        }
        continue
      }
      // Bytes before a PING are handed on before it is answered.
      if input.readerIndex > start.readerIndex { break }
      guard let ping = input.readSlice(length: Self.pingBytes) else { break }
      _ = verdict(header, true)
      return .ping(Self.payload(of: ping))
    }
    let count = input.readerIndex - start.readerIndex
    guard count == 0 else {
      return start.getSlice(at: start.readerIndex, length: count).map { .bytes($0) }
    }
    guard !isHolding else { return nil }
    // At most 16 bytes, copied so that their buffer is not kept.
    kept.writeBuffer(&input)
    return nil
  }

  /// Completes the kept bytes from the new ones; nil = they are still incomplete, held back or
  /// dropped.
  private mutating func completeKept(_ verdict: (FrameHeader, Bool) -> Verdict) -> Piece? {
    fillKept(to: FrameHeader.byteCount)
    guard let header = FrameHeader(kept) else { return nil }
    if header.isPing {
      fillKept(to: Self.pingBytes)
      guard kept.readableBytes == Self.pingBytes else { return nil }
    }
    let verdict = verdict(header, false)
    guard verdict != .hold || header.isPing else {
      isHolding = true
      return nil
    }
    if verdict == .take, !header.isPing {
      fillKept(to: FrameHeader.byteCount + header.length)
      guard kept.readableBytes == FrameHeader.byteCount + header.length else { return nil }
    }
    if case .insert(let bytes) = verdict {
      replacement = bytes
      return takeReplacement()
    }
    let whole = kept
    kept = ByteBuffer()
    if verdict == .take, !header.isPing { return .frame(header, whole) }
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

  private mutating func takeFrame() -> Piece? {
    guard let header = taking else { return nil }
    taking = nil
    return input.readSlice(length: FrameHeader.byteCount + header.length).map {
      .frame(header, $0)
    }
  }

  private mutating func takeReplacement() -> Piece? {
    guard let bytes = replacement else { return nil }
    replacement = nil
    drop()
    return .bytes(bytes)
  }

  /// Skips the bytes of a dropped frame that have arrived.
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
