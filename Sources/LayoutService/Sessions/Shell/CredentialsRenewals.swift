// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust

/// Takes the other credentials that come on a stream.
struct CredentialsRenewals {
  /// Verifying a signature is much work for one event.
  private static let interval = Duration.seconds(1)

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
    let count = token.utf8.count
    guard count <= Trust.longestToken else { throw Self.tooLong(count) }
    try await context.access.renew(token: token)
  }

  /// The refusal of a token of so many bytes; nil = more than a small request has.
  static func tooLong(_ count: Int? = nil) -> LayoutProblem {
    let found = count.map { "\($0)" } ?? "more than \(Trust.longestToken)"
    return .fieldInvalid("token", "\(found) bytes found; at most \(Trust.longestToken) are allowed")
  }
}

extension StreamRequest {
  /// The request, if it brings other credentials; nil = it does not.
  var credentials: Wire.StreamLayoutRequest? {
    guard case .message(let message) = self, case .credentials = message.event else { return nil }
    return message
  }
}
