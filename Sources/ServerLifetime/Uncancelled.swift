// SPDX-License-Identifier: Apache-2.0

/// Serves in a task of its own, which is not cancelled with the caller's: NIO ends the process if a
/// call comes on a connection whose task has been cancelled.
///
/// - Parameters:
///   - serve: serves until it is told to stop, or its task is cancelled.
///   - stop: called once if the caller's task is cancelled. Ends what serves, and cancels its task
///     only when no calls can come any more.
/// - Throws: what `serve` throws.
package func serveUncancelled(
  _ serve: @escaping @Sendable () async throws -> Void,
  stop: @escaping @Sendable (_ serving: Task<Void, any Error>) async -> Void
) async throws {
  let serving = Task { try await serve() }
  try await withTaskCancellationHandler {
    try await serving.value
  } onCancel: {
    Task { await stop(serving) }
  }
}
