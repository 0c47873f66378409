// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Writes the requests of one call in a task that ends before the call does.
///
/// gRPC closes a call as soon as its responses are handled, even while a request is being written.
/// The transport does not expect such a write; in a debug build it traps.
package final class RequestTask: Sendable {
  private enum State {
    case waiting
    case running(Task<Void, any Error>)
    case ended
  }
  private let state = Mutex(State.waiting)

  package init() {}

  /// Runs `write` in a task. Call this once, in the closure that produces the requests. Returns at
  /// once if the call has already ended.
  ///
  /// - Throws: what `write` throws.
  package func run(_ write: @escaping @Sendable () async throws -> Void) async throws {
    let task: Task<Void, any Error>? = state.withLock { state in
      guard case .waiting = state else { return nil }
      let task = Task(operation: write)
      state = .running(task)
      return task
    }
    guard let task else { return }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Runs `handle`, which handles the responses. Then cancels the task, and waits until it has
  /// stopped writing.
  ///
  /// - Throws: what `handle` throws.
  package func endAfter<Result: Sendable>(
    _ handle: () async throws -> sending Result
  ) async throws -> Result {
    let result: Result
    do { result = try await handle() } catch {
      await end()
      throw error
    }
    await end()
    return result
  }

  private func end() async {
    let last = state.withLock { state in
      defer { state = .ended }
      return state
    }
    guard case .running(let task) = last else { return }
    task.cancel()
    _ = await task.result
  }
}
