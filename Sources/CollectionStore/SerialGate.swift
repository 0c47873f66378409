// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An asynchronous mutex: lets one task through at a time, in order of arrival.
///
/// A task that is cancelled before its turn gives up its place. `GateQueue` holds the state
/// machine.
package final class SerialGate: Sendable {
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private let queue = Mutex(GateQueue<Waiter>())

  /// Tasks that wait for their turn.
  var waitingCount: Int { queue.withLock { $0.waitingCount } }

  /// A gate that nobody holds.
  package init() {}

  /// Runs `body` once all tasks that arrived earlier have left.
  ///
  /// - Parameter cancelled: thrown, without running `body`, if the task is cancelled before its
  ///   turn. Once `body` runs, it has to watch for cancellation itself.
  package func run<Result, Failure: Error>(
    cancelled: Failure,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard await enter() else { throw cancelled }
    defer { queue.withLock { $0.leave() }?.resume(returning: true) }
    return try await body()
  }

  /// - Returns: true = this task now holds the gate; false = it was cancelled before its turn.
  private func enter() async -> Bool {
    if Task.isCancelled { return false }
    guard let ticket = queue.withLock({ $0.enterOrAnnounce() }) else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        switch queue.withLock({ $0.enter(ticket, continuation) }) {
        case .enters: continuation.resume(returning: true)
        case .isCancelled: continuation.resume(returning: false)
        case .waits: break
        }
      }
    } onCancel: {
      queue.withLock { $0.cancel(ticket) }?.resume(returning: false)
    }
  }
}
