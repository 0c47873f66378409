// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// Exponential backoff with jitter: 0.1 s before the first retry, doubled for each further one up
/// to 10 s, or 2 s before the first success, and varied by ±20 % so that clients do not retry at
/// the same time.
///
/// The delay is reset to 0.1 s after a stream that worked for a second. A stream that breaks sooner
/// counts as a failure, so a client does not hammer a server that opens streams and breaks them.
///
/// If there are several addresses, a failed attempt goes to the next one at once; the delay is for
/// a round of all.
package struct Backoff {
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(10)
  private static let longestBeforeSuccess = Duration.seconds(2)
  private static let jitter = 0.2
  /// How long a stream has to work before the delay is reset.
  private static let working = Duration.seconds(1)

  /// How many addresses there are.
  private let addresses: Int
  private var wait = first
  private var tried = 1
  private var hasSucceeded = false
  /// When the server opened the stream; nil = none is open.
  private var openedAt: ContinuousClock.Instant?
  /// Whether the stream that ended last, since the last retry, worked for a while.
  private var hasWorked = false

  /// - Parameter addresses: how many there are; each retry goes to the next one.
  package init(addresses: Int = 1) { self.addresses = addresses }

  /// How long to wait before the next retry.
  ///
  /// - Parameters:
  ///   - asked: the wait that the server asked for. It counts alone after a stream that worked;
  ///     otherwise it is the shortest wait.
  ///   - now: when the stream broke or could not be opened.
  package mutating func next(
    asked: Duration? = nil,
    at now: ContinuousClock.Instant = .now
  ) -> Duration {
    if openedAt != nil { ended(at: now) }
    defer { hasWorked = false }
    if hasWorked, let asked { return asked }
    return max(asked ?? .zero, nextDelay())
  }

  /// Notes that the stream has ended, or could not be opened.
  ///
  /// - Returns: whether it worked for a while.
  @discardableResult
  package mutating func ended(at now: ContinuousClock.Instant = .now) -> Bool {
    hasWorked = openedAt.map { $0.duration(to: now) >= Self.working } ?? false
    openedAt = nil
    if hasWorked { (wait, tried) = (Self.first, 1) }
    return hasWorked
  }

  private mutating func nextDelay() -> Duration {
    if tried < addresses {
      tried += 1
      return .zero
    }
    tried = 1
    let longest = hasSucceeded ? Self.longest : Self.longestBeforeSuccess
    defer { wait = min(wait * 2, longest) }
    return wait * Double.random(in: 1 - Self.jitter ... 1 + Self.jitter)
  }

  /// Notes that the server has opened a stream. Only the first time for a stream counts.
  package mutating func opened(at now: ContinuousClock.Instant = .now) {
    hasSucceeded = true
    if openedAt == nil { openedAt = now }
  }
}

extension RPCError {
  /// Codes of calls that were interrupted, not refused.
  private static let passing: Set<RPCError.Code> = [
    .unavailable, .cancelled, .unknown, .internalError, .deadlineExceeded,
  ]

  /// Whether the call may succeed if it is retried later on another connection.
  var isPassing: Bool {
    if Task.isCancelled || isTokenFailure { return false }
    switch LayoutProblem(self).reason {
    case .slowClient, .serverDraining, .storeUnavailable: return true
    case .none where Self.passing.contains(code): return true
    default: return code == .unavailable || code == .resourceExhausted && retryDelay != nil
    }
  }

  /// Whether the call was not made, because the token provider failed. Only a viewer that was open
  /// waits until it has a token again.
  var isTokenFailure: Bool { cause is TokenFailure }

  /// How long the server asks to wait before the next attempt, at most a minute; nil = it named no
  /// time.
  var retryDelay: Duration? {
    LayoutProblem(self).retryDelay.flatMap { $0 > .zero ? min($0, .seconds(60)) : nil }
  }
}
