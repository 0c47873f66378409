// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The calls of a connection whose requests have not ended, according to the frames.
///
/// A call may be answered before its request has ended. Many libraries then reset it, which costs
/// nobody anything and must not count as giving up a call.
struct OpenRequests {
  private static let resetBytes = 4
  /// Far more calls than a connection may have.
  private static let most = 10_000
  /// A call in which about as many frames of DATA wait gets no more of them one by one.
  private static let fewFrames = 16

  private struct Call {
    /// Whether its answer has ended.
    var isAnswered = false
    /// The bytes of DATA that the HTTP/2 handler was given, without padding.
    var handedOn = 0
    /// `handedOn` when the count of frames began, and the frames since. The count begins again once
    /// the call has got `mark` bytes. So up to twice the counted frames may wait in the call.
    var (mark, frames) = (0, 0)
    /// Tells what the call has got; nil = it has not begun, or is over.
    var reader: (any ReadsData)?
    /// What takes whole messages past the HTTP/2 handler; nil = nothing does.
    var taker: (any TakesMessages)?
    /// The bytes of such messages that the client's window does not have back.
    var owed = 0

    /// Whether the call has got all DATA that was handed on.
    var hasCaughtUp: Bool { reader.map { $0.readBytes == handedOn } ?? true }
    /// Whether so many frames wait in the call that it gets no more of them one by one.
    var isBehind: Bool {
      guard frames >= OpenRequests.fewFrames, let reader else { return false }
      return reader.readBytes < mark
    }

    mutating func noteData(_ bytes: Int) {
      if let reader, reader.readBytes >= mark { (mark, frames) = (handedOn, 0) }
      frames += 1
      handedOn += bytes
    }
  }

  private var calls: [UInt32: Call] = [:]
  /// The DATA that calls get later.
  private var backlogs = Backlogs()

  /// The number of known calls.
  var count: Int { calls.count }

  /// Follows a frame from the client that the HTTP/2 handler is given.
  ///
  /// - Parameter contents: the payload bytes of DATA without padding; nil = all.
  /// - Returns: whether it resets a call whose answer has ended.
  mutating func received(_ header: FrameHeader, contents: Int? = nil) -> Bool {
    let stream = header.stream
    switch header.kind {
    case .reset:
      backlogs.drop(stream)
      let wasAnswered = calls.removeValue(forKey: stream)?.isAnswered ?? false
      return wasAnswered && header.length == Self.resetBytes
    case .headers, .data:
      if header.endsStream {
        calls[stream] = nil
        backlogs.drop(stream)
      } else if header.kind == .data {
        calls[stream]?.noteData(contents ?? header.length)
      } else if calls[stream] == nil, count < Self.most {
        calls[stream] = Call()
      }
      return false
    default: return false
    }
  }

  /// Follows a frame from the server.
  mutating func sent(_ header: FrameHeader) {
    switch header.kind {
    case .reset:
      calls[header.stream] = nil
      backlogs.drop(header.stream)
    case .headers, .data: if header.endsStream { calls[header.stream]?.isAnswered = true }
    default: break
    }
  }

  // MARK: Messages past the HTTP/2 handler

  /// Lets a call take whole messages past the HTTP/2 handler; nil = no longer.
  mutating func setTaker(_ taker: (any TakesMessages)?, of stream: UInt32) {
    calls[stream]?.taker = taker
  }

  /// Who takes the DATA of a call past the HTTP/2 handler; nil = nobody, or the call has not got
  /// everything yet that was sent before.
  func taker(of stream: UInt32) -> (any TakesMessages)? {
    guard let call = calls[stream], let taker = call.taker, taker.readBytes == call.handedOn,
      !backlogs.hold(stream)
    else { return nil }
    return taker
  }

  /// Notes that a message went past the HTTP/2 handler, which does not give its bytes back to the
  /// client's window of the call.
  ///
  /// - Parameter most: how many bytes may be owed.
  /// - Returns: how many bytes to give back now.
  mutating func took(_ bytes: Int, of stream: UInt32, most: Int) -> Int {
    guard var call = calls[stream] else { return 0 }
    call.owed += bytes
    let due = call.owed > most ? call.owed : 0
    call.owed -= due
    calls[stream] = call
    return due
  }
}

// MARK: - DATA that calls get later

extension OpenRequests {
  /// The bytes of DATA that wait for their calls.
  var waitingBytes: Int { backlogs.byteCount }

  /// Says who tells what a call has got; nil = the call is over, and gets nothing that waits.
  mutating func setReader(_ reader: (any ReadsData)?, of stream: UInt32) {
    calls[stream]?.reader = reader
    if reader == nil { backlogs.drop(stream) }
  }

  func reader(of stream: UInt32) -> (any ReadsData)? { calls[stream]?.reader }

  /// Whether a frame is to be given as a piece of its own, so that its contents can wait, or the
  /// padding does not count.
  func isWanted(_ header: FrameHeader) -> Bool {
    guard header.kind == .data, header.length <= Backlogs.mostFrameBytes else { return false }
    // Padding also where a call has just begun, whose reader is not known yet, or is over.
    if header.isPadded { return true }
    guard let call = calls[header.stream], call.reader != nil else { return false }
    return backlogs.hold(header.stream) || call.isBehind
  }

  /// Whether the contents of a frame of DATA have to wait for their call.
  func mustWait(_ header: FrameHeader) -> Bool {
    guard !header.endsStream, let call = calls[header.stream] else { return false }
    return backlogs.hold(header.stream) || call.isBehind
  }

  /// Keeps the contents of a frame.
  ///
  /// - Returns: what is to be handed on now, a frame; nil = nothing.
  mutating func keep(_ contents: ByteBuffer, of stream: UInt32) -> ByteBuffer? {
    let isFull = backlogs.isFull(stream, with: contents.readableBytes)
    let frame = isFull ? takeBacklog(of: stream) : nil
    backlogs.append(contents, to: stream)
    return frame
  }

  /// Takes what waits for a call, as a frame that is handed on; nil = nothing waits.
  mutating func takeBacklog(of stream: UInt32) -> ByteBuffer? {
    guard let frame = backlogs.take(stream) else { return nil }
    calls[stream]?.noteData(frame.readableBytes - FrameHeader.byteCount)
    return frame
  }

  /// A call that has got everything but what waits; nil = there is none. O(calls that wait).
  var next: UInt32? { backlogs.streams.first { calls[$0]?.hasCaughtUp ?? true } }

  /// Drops all that waits.
  mutating func dropBacklogs() { backlogs = Backlogs() }
}
