// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust

/// Handles new credentials that arrive on a stream.
struct CredentialsRenewals {
  /// The shortest time between two: verifying a signature is much work for one event.
  private static let interval = Duration.seconds(1)

  private var next = ContinuousClock.now

  /// - Parameters:
  ///   - request: one whose event is `credentials`.
  ///   - refusal: why the event is refused in any case; nil = it is not.
  /// - Returns: what the session is given instead of the credentials.
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

  /// The refusal of a token of this many bytes; nil = more than fit into a small request.
  static func tooLong(_ count: Int? = nil) -> LayoutProblem {
    let found = count.map { "\($0)" } ?? "more than \(Trust.longestToken)"
    return .fieldInvalid("token", "\(found) bytes found; at most \(Trust.longestToken) are allowed")
  }
}

extension StreamRequest {
  /// The request, if it brings new credentials; otherwise nil.
  var credentials: Wire.StreamLayoutRequest? {
    guard case .message(let message) = self, case .credentials = message.event else { return nil }
    return message
  }
}
