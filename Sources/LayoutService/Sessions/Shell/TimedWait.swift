// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Waits for something to happen, but only for a while.
///
/// One task waits, at most once.
final class TimedWait: Sendable, AlarmTarget {
  private struct State {
    var hasHappened = false
    var isOver = false
    var waiter: CheckedContinuation<Bool, Never>?
  }

  private let state = Mutex(State())

  /// Whether it happens before `patience` is over. Call at most once.
  func happens(within patience: Duration, by clock: SessionClock) async -> Bool {
    clock.arm(clock.now + patience, for: self)
    return await withCheckedContinuation { waiter in
      let hasHappened: Bool? = state.withLock { state in
        if state.hasHappened || state.isOver { return state.hasHappened }
        state.waiter = waiter
        return nil
      }
      if let hasHappened { waiter.resume(returning: hasHappened) }
    }
  }

  /// It has happened.
  ///
  /// - Returns: whether a task waited for it.
  @discardableResult
  func note() -> Bool { tell { $0.hasHappened = true } }

  /// Nobody waits any longer.
  func end() { tell { $0.isOver = true } }

  func ring(_ deadline: ContinuousClock.Instant) { end() }

  @discardableResult
  private func tell(_ change: (inout State) -> Void) -> Bool {
    let (waiter, hasHappened) = state.withLock { state in
      change(&state)
      defer { state.waiter = nil }
      return (state.waiter, state.hasHappened)
    }
    waiter?.resume(returning: hasHappened)
    return waiter != nil
  }
}
