// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// Exponential backoff with jitter: 0.1 s before the first retry, doubled for each further one up to
/// 2 s, and varied by ±20 % so that clients do not retry at the same time.
struct Backoff {
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(2)
  private static let jitter = 0.2

  private var wait = first

  /// How long to wait before the next retry.
  mutating func next() -> Duration {
    defer { wait = min(wait * 2, Self.longest) }
    return wait * Double.random(in: 1 - Self.jitter ... 1 + Self.jitter)
  }

  mutating func reset() { wait = Self.first }
}

extension RPCError {
  /// Codes of calls that were interrupted rather than refused.
  private static let passing: Set<RPCError.Code> = [
    .unavailable, .cancelled, .unknown, .internalError, .deadlineExceeded,
  ]

  /// Whether the call may succeed if it is retried later on another connection.
  var isPassing: Bool {
    if Task.isCancelled { return false }
    switch LayoutProblem(self).reason {
    case .slowClient, .serverDraining, .storeUnavailable: return true
    case .none: return Self.passing.contains(code)
    default: return code == .unavailable
    }
  }
}
