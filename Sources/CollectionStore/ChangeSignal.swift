// SPDX-License-Identifier: Apache-2.0

/// Wakes tasks that wait for a condition on state that something else guards.
///
/// The owner of that state calls `send()` after each change, once it has released its lock.
package final class ChangeSignal: Sendable {
  private let streams = WakeStreams()

  package init() {}

  /// Makes every waiting task check its condition again.
  ///
  /// - Complexity: O(waiting tasks); allocates nothing when there are none.
  package func send() { streams.wake() }

  /// Returns once `condition` holds or the task is cancelled.
  ///
  /// - Parameter condition: checked at once and after each change.
  package func wait(until condition: () -> Bool) async {
    // The stream begins with an element, so that no change is missed.
    for await _ in streams.stream() where condition() { return }
  }
}
