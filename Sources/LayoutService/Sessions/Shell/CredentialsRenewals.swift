// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession

/// Takes the other credentials that come on a stream.
struct CredentialsRenewals {
  /// Verifying a signature is much work for one event.
  private static let interval = Duration.seconds(1)
  /// Bytes of a token.
  private static let longestToken = 16_384

  private var next = ContinuousClock.now

  /// - Parameters:
  ///   - request: one whose event is `credentials`.
  ///   - refusal: why it is refused whatever it says; nil = it is not.
  /// - Returns: what the session takes of it.
  mutating func take(
    _ request: Wire.StreamLayoutRequest,
    context: CallContext,
    refusal: LayoutProblem?
  ) async -> SessionInput {
    let event: SessionInput.Event
    do throws(LayoutProblem) {
      if let refusal { throw refusal }
      try await renew(request.credentials.token, context: context)
      event = .renewed(seq: request.eventSeq)
    } catch { event = .refused(error, seq: request.eventSeq) }
    return SessionInput(ack: request.frameAck ?? FrameAck(sequence: 0), event: event)
  }

  private mutating func renew(_ token: String, context: CallContext) async throws(LayoutProblem) {
    let now = ContinuousClock.now
    guard now >= next else {
      throw .quotaExceeded(.eventRate, limit: 1, retryDelay: now.duration(to: next))
    }
    next = now + Self.interval
    guard token.utf8.count <= Self.longestToken else { throw Self.tooLong }
    try await context.access.renew(token: token)
  }

  static var tooLong: LayoutProblem {
    .fieldInvalid("token", "more than \(longestToken) bytes found; at most as many are allowed")
  }
}

extension StreamRequest {
  /// The request, if it brings other credentials; nil = it does not.
  var credentials: Wire.StreamLayoutRequest? {
    guard case .message(let message) = self, case .credentials = message.event else { return nil }
    return message
  }
}
