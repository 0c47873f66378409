// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Synchronization

/// Writes to the database, one transaction after the other, on the database's own thread.
///
/// What waits while a transaction is being written goes into the next one together, so that many
/// collections share the wait for the disk. Each waiter is told of its own result only.
final class CommitQueue: Sendable {
  /// May run twice: a transaction that fails is done again piece by piece.
  typealias Write = @Sendable (Database) throws -> Void
  typealias Completion = @Sendable (Result<Void, any Error>) -> Void

  private struct Job {
    var write: Write
    var completion: Completion
  }

  private struct State {
    var waiting: [Job] = []
    var isWriting = false
  }

  /// More would make the first wait for the last.
  private static let groupLimit = 64

  private let pool: DatabasePool
  private let state = Mutex(State())

  init(pool: DatabasePool) { self.pool = pool }

  /// Returns once the write is on the disk.
  func write(_ write: @escaping Write) async throws {
    try await withCheckedThrowingContinuation { continuation in
      submit(write) { continuation.resume(with: $0) }
    }
  }

  func submit(_ write: @escaping Write, completion: @escaping Completion) {
    let isFirst = state.withLock { state in
      state.waiting.append(Job(write: write, completion: completion))
      if state.isWriting { return false }
      state.isWriting = true
      return true
    }
    if isFirst { pool.asyncWriteWithoutTransaction { [self] in drain($0) } }
  }

  private func drain(_ database: Database) {
    while let group = takeGroup() {
      do {
        try commit(group, to: database)
        for job in group { job.completion(.success(())) }
      } catch  where group.count == 1 {
        group[0].completion(.failure(error))
      } catch {
        // The fault of one is not the others'.
        for job in group {
          job.completion(Result { try commit([job], to: database) })
        }
      }
    }
  }

  private func takeGroup() -> [Job]? {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.isWriting = false
        return nil
      }
      let group = Array(state.waiting.prefix(Self.groupLimit))
      state.waiting.removeFirst(group.count)
      return group
    }
  }

  private func commit(_ group: [Job], to database: Database) throws {
    try database.inTransaction(.immediate) {
      for job in group { try job.write(database) }
      return .commit
    }
  }
}
