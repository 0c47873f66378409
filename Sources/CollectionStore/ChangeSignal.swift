// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Wakes tasks that wait for a condition on state that something else guards.
///
/// The owner of that state calls `send()` after each change, once it has released its lock.
package final class ChangeSignal: Sendable {
  private struct State {
    var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var nextWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Makes every waiting task check its condition again.
  ///
  /// - Complexity: O(waiting tasks); allocates nothing when there are none.
  package func send() {
    for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.yield() }
  }

  /// Returns once `condition` holds or the task is cancelled.
  ///
  /// - Parameter condition: checked at once and after each change.
  package func wait(until condition: () -> Bool) async {
    let (changes, waiter) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = state.withLock { state in
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = waiter
      return state.nextWaiter
    }
    defer { state.withLock { $0.waiters[id] = nil } }
    if condition() { return }
    for await _ in changes where condition() { return }
  }
}
