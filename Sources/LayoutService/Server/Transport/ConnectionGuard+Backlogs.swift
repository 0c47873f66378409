// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

// DATA that waits because its call is far behind.
extension ConnectionGuard {
  /// Says who tells how much of its DATA a call has got; nil = the call is over.
  func setReader(_ reader: (any ReadsData)?, of stream: UInt32) {
    requests.setReader(reader, of: stream)
    _ = countWaiting()
  }

  /// Lets the contents of a frame wait.
  func keep(_ contents: ByteBuffer, of stream: UInt32, context: ChannelHandlerContext) {
    if let frame = requests.keep(contents, of: stream) { handOnWaiting(frame, context: context) }
    guard isOpen, let limit = countWaiting() else { return }
    requests.reader(of: stream)?.refuseUnfinished(limit: limit)
  }

  /// Hands on what has waited, as a frame.
  func handOnWaiting(_ frame: ByteBuffer, context: ChannelHandlerContext) {
    guard isOpen else { return }
    prepaidBytes += frame.readableBytes - FrameHeader.byteCount
    handOn(frame, context: context)
  }

  /// Counts what waits as unfinished.
  ///
  /// - Returns: the limit that is exceeded; nil = there is room, or no more waits than before.
  func countWaiting() -> Int? {
    let change = requests.waitingBytes - waitingBytes
    guard change != 0 else { return nil }
    waitingBytes += change
    let limit = addUnfinished(change)
    return change > 0 ? limit : nil
  }

  /// Hands on what waits for calls that have got everything else, in later rounds: calls read
  /// while the HTTP/2 handler is at work.
  func noteRead() {
    guard requests.waitingBytes > 0, !isCatchingUp, !isPaused, let context, requests.next != nil
    else { return }
    isCatchingUp = true
    transport.later(on: context.eventLoop).add {
      self.isCatchingUp = false
      self.catchUp()
    }
  }

  private func catchUp() {
    // Nothing may come between the parts of a frame.
    isDue = scanner.isInFrame
    guard isOpen, !isPaused, !isDue, let context, let frame = takeDue() else { return }
    isReceiving = true
    handOn(frame, context: context)
    isReceiving = false
    _ = countWaiting()
    guard isOpen else { return }
    context.fireChannelReadComplete()
    noteRead()
  }

  /// Takes what waits for one call that has got everything else.
  private func takeDue() -> ByteBuffer? {
    guard let stream = requests.next else { return nil }
    return takeWaiting(of: stream)
  }

  /// Takes what has to come before a frame.
  ///
  /// - Parameter isWanted: whether the frame does not pass as it is.
  func takeWaiting(before header: FrameHeader, isWanted: Bool) -> ByteBuffer? {
    guard requests.waitingBytes > 0, !header.isPing else { return nil }
    if isDue {
      isDue = false
      if let frame = takeDue() { return frame }
    }
    guard !isWanted, [.headers, .data].contains(header.kind) else { return nil }
    return takeWaiting(of: header.stream)
  }

  private func takeWaiting(of stream: UInt32) -> ByteBuffer? {
    guard let frame = requests.takeBacklog(of: stream) else { return nil }
    prepaidBytes += frame.readableBytes - FrameHeader.byteCount
    return frame
  }

  /// What is left of a credit of the HTTP/2 handler for the connection after what the client has
  /// back already; nil = it is as it is.
  func creditLeft(of header: FrameHeader, _ frame: ByteBuffer) -> Int? {
    guard header.kind == .windowUpdate, header.stream == 0, prepaidBytes > 0,
      let credit: UInt32 = frame.getInteger(at: frame.readerIndex + FrameHeader.byteCount)
    else { return nil }
    let part = min(Int(credit), prepaidBytes)
    prepaidBytes -= part
    return Int(credit) - part
  }
}
