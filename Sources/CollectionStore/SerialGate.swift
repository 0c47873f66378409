// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets one task through at a time, in the order in which they came.
///
/// A task that is cancelled before its turn gives up its place. `GateQueue` holds the rules.
final class SerialGate: Sendable {
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private let queue = Mutex(GateQueue<Waiter>())

  /// Tasks that wait for their turn.
  var waitingCount: Int { queue.withLock { $0.waitingCount } }

  /// Runs `body` once all tasks that came earlier are through.
  ///
  /// - Parameter cancelled: thrown, without running `body`, where the task is cancelled before its
  ///   turn. From then on a cancellation is for `body` to notice.
  func run<Result, Failure: Error>(
    cancelled: Failure,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard await enter() else { throw cancelled }
    defer { queue.withLock { $0.leave() }?.resume(returning: true) }
    return try await body()
  }

  /// - Returns: whether the gate is this task's now; false = the task was cancelled.
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
