// SPDX-License-Identifier: Apache-2.0

/// The calls of a connection whose requests have not ended, according to the frames.
///
/// A call may be answered before its request has ended. Many libraries then reset it, which costs
/// nobody anything and must not count as giving up a call.
struct OpenRequests {
  private static let resetBytes = 4
  /// Far more calls than a connection may have.
  private static let most = 10_000

  /// Calls whose answer has not ended.
  private var unanswered: Set<UInt32> = []
  /// Calls whose answer has ended.
  private var answered: Set<UInt32> = []

  /// The number of known calls.
  var count: Int { unanswered.count + answered.count }

  /// Follows a frame from the client.
  ///
  /// - Returns: whether it resets a call whose answer has ended.
  mutating func received(_ header: FrameHeader) -> Bool {
    switch header.kind {
    case .reset:
      unanswered.remove(header.stream)
      return answered.remove(header.stream) != nil && header.length == Self.resetBytes
    case .headers, .data:
      if header.endsStream {
        forget(header.stream)
      } else if header.kind == .headers, count < Self.most, !answered.contains(header.stream) {
        unanswered.insert(header.stream)
      }
      return false
    default: return false
    }
  }

  /// Follows a frame from the server.
  mutating func sent(_ header: FrameHeader) {
    switch header.kind {
    case .reset: forget(header.stream)
    case .headers, .data:
      guard header.endsStream, unanswered.remove(header.stream) != nil else { return }
      answered.insert(header.stream)
    default: break
    }
  }

  private mutating func forget(_ stream: UInt32) {
    unanswered.remove(stream)
    answered.remove(stream)
  }
}
