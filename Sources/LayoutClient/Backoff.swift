// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// How long to wait before the next attempt: twice as long each time, within limits, and never quite
/// the same for everybody.
struct Backoff {
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(10)
  private static let jitter = 0.2

  private var wait = first

  mutating func next() -> Duration {
    defer { wait = min(wait * 2, Self.longest) }
    return wait * Double.random(in: 1 - Self.jitter ... 1 + Self.jitter)
  }

  mutating func reset() { wait = Self.first }
}

extension RPCError {
  /// Of calls that broke off, rather than being refused.
  private static let passing: Set<RPCError.Code> = [
    .unavailable, .cancelled, .unknown, .internalError, .deadlineExceeded,
  ]

  /// Whether what failed may go well on another connection, a little later.
  var isPassing: Bool {
    if Task.isCancelled { return false }
    switch LayoutProblem(self).reason {
    case .slowClient, .serverDraining, .storeUnavailable: return true
    case .none: return Self.passing.contains(code)
    default: return code == .unavailable
    }
  }
}
