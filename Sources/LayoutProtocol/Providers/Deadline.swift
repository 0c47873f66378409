// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// Work that is abandoned when its time is over.
package enum Deadline {
  /// Runs work in a task of its own that nobody waits for beyond a limit: a call of the library
  /// that is cancelled just before it queues for a connection does not end before there is one.
  ///
  /// - Throws: what `work` throws, `RPCError` with DEADLINE_EXCEEDED, `CancellationError`.
  package static func limit<Output: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    let (outcomes, outcome) = AsyncStream<Result<Output, any Error>>.makeStream()
    let call = Task {
      do { outcome.yield(.success(try await work())) } catch { outcome.yield(.failure(error)) }
    }
    let alarm = Task {
      try await Task.sleep(for: limit)
      outcome.yield(
        .failure(RPCError(code: .deadlineExceeded, message: "no answer within \(limit)"))
      )
    }
    defer {
      call.cancel()
      alarm.cancel()
    }
    for await outcome in outcomes { return try outcome.get() }
    throw CancellationError()
  }
}
