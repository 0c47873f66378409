// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import Synchronization

/// How a computation ended for one who waited for it.
enum ComputationOutcome: Sendable {
  case finished(SharedLayout)
  case failed(LayoutWork.Stop)
  /// Too many computations of the one who asked wait already.
  case refused(WaitingLimitReached)
  /// It did not come about, for a reason that does not concern this one.
  case tryAgain
  /// The waiting task was cancelled.
  case cancelled
}

/// One caller that waits for a computation. The first outcome counts.
final class LayoutWaiter: Sendable {
  private enum State {
    case open
    case suspended(CheckedContinuation<ComputationOutcome, Never>)
    case resolved(ComputationOutcome)
  }

  private let state = Mutex(State.open)

  /// nil while there is none.
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

  /// Suspends until there is an outcome. To be called once.
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
