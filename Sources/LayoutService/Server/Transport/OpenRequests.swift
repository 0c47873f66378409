// SPDX-License-Identifier: Apache-2.0

/// The calls of a connection whose requests have not ended, as its frames say.
///
/// A call may have its answer before its request has ended. Many libraries then reset it, which takes nothing from
/// anybody, and must not count like a call that is given up.
struct OpenRequests {
  private static let resetBytes = 4
  /// Far more than a connection may have calls.
  private static let most = 10_000

  /// Those without an answer.
  private var unanswered: Set<UInt32> = []
  /// Those whose answer has ended.
  private var answered: Set<UInt32> = []

  /// How many calls are known.
  var count: Int { unanswered.count + answered.count }

  /// Follows a frame of the client.
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

  /// Follows a frame of the server.
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
