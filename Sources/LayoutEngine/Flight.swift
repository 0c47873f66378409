// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import Synchronization

/// One computation under way, and those who wait for its result.
final class Flight: Sendable {
  private struct State {
    var outcome: Outcome?
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    /// Callers that still want the result, the one that computes it included.
    var interest = 1
  }

  enum Outcome {
    case finished(any PreparedLayout)
    /// Nobody wanted it any more before it began, or this caller was cancelled.
    case abandoned
  }

  private let state = Mutex(State())

  var isWanted: Bool { state.withLock { $0.interest > 0 } }

  /// The caller that computes no longer wants the result itself.
  func loseInterest() {
    state.withLock { $0.interest -= 1 }
  }

  func finish(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      state.outcome = outcome
      let waiters = state.waiters.values
      state.waiters = [:]
      return Array(waiters)
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  /// Suspends until the computation ends, or the task is cancelled.
  func value() async -> Outcome {
    let id = state.withLock { state in
      state.nextWaiter += 1
      state.interest += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome: Outcome? = state.withLock { state in
          if let outcome = state.outcome { return outcome }
          if Task.isCancelled {
            state.interest -= 1
            return .abandoned
          }
          state.waiters[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        if waiter != nil { state.interest -= 1 }
        return waiter
      }
      waiter?.resume(returning: .abandoned)
    }
  }
}
