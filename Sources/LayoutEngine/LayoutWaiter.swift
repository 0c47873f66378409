// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import ResourceAccounting
internal import Synchronization

/// How a computation ended for one of its waiters.
enum ComputationOutcome: Sendable {
  case finished(SharedLayout)
  /// The computation exceeded a limit.
  case failed(LayoutWork.Stop)
  /// The layout's data could not be fetched.
  case faulted(any Error)
  /// The waiter's account has too many computations waiting.
  case refused(WaitingLimitReached)
  /// The computation was cancelled or refused on another caller's account; the waiter asks again.
  case tryAgain
  /// The waiting task was cancelled.
  case cancelled

  /// Whether only the account of the caller that asked first has reached a limit.
  var isOfOneAccount: Bool {
    switch self {
    case .refused: true
    case .faulted(let error): error is LimitExceeded
    case .finished, .failed, .tryAgain, .cancelled: false
    }
  }
}

/// One caller that waits for a computation. Only the first outcome counts.
final class LayoutWaiter: Sendable {
  private enum State {
    case open
    case suspended(CheckedContinuation<ComputationOutcome, Never>)
    case resolved(ComputationOutcome)
  }

  private let state = Mutex(State.open)

  /// The outcome; nil = there is none yet.
  var outcome: ComputationOutcome? {
    state.withLock { if case .resolved(let outcome) = $0 { outcome } else { nil } }
  }

  func resolve(_ outcome: ComputationOutcome) {
    let continuation: CheckedContinuation<ComputationOutcome, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .resolved(outcome)
        return nil
      case .suspended(let continuation):
        state = .resolved(outcome)
        return continuation
      case .resolved: return nil
      }
    }
    continuation?.resume(returning: outcome)
  }

  /// Suspends until there is an outcome. May be called only once.
  func value() async -> ComputationOutcome {
    await withCheckedContinuation { continuation in
      let outcome: ComputationOutcome? = state.withLock { state in
        if case .resolved(let outcome) = state { return outcome }
        state = .suspended(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
