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

  private struct Call {
    /// Whether its answer has ended.
    var isAnswered = false
    /// The bytes of DATA that the HTTP/2 handler was given.
    var handedOn = 0
    /// What takes whole messages past the HTTP/2 handler; nil = nothing does.
    var taker: (any TakesMessages)?
    /// The bytes of such messages that the client's window does not have back.
    var owed = 0
  }

  private var calls: [UInt32: Call] = [:]

  /// The number of known calls.
  var count: Int { calls.count }

  /// Follows a frame from the client that the HTTP/2 handler is given.
  ///
  /// - Returns: whether it resets a call whose answer has ended.
  mutating func received(_ header: FrameHeader) -> Bool {
    let stream = header.stream
    switch header.kind {
    case .reset:
      let wasAnswered = calls.removeValue(forKey: stream)?.isAnswered ?? false
      return wasAnswered && header.length == Self.resetBytes
    case .headers, .data:
      if header.endsStream {
        calls[stream] = nil
      } else if header.kind == .data {
        calls[stream]?.handedOn += header.length
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
    case .reset: calls[header.stream] = nil
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
    guard let call = calls[stream], let taker = call.taker, taker.readBytes == call.handedOn else {
      return nil
    }
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

/// A call that takes whole messages past the HTTP/2 handler, on its event loop.
protocol TakesMessages: AnyObject {
  /// The bytes of DATA that the call got from the HTTP/2 handler.
  var readBytes: Int { get }
  /// Takes one whole message, with its prefix.
  ///
  /// - Returns: false = it has to come from the HTTP/2 handler.
  func take(_ data: ByteBuffer) -> Bool
}
