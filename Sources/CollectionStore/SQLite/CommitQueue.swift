// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Writes to a database, one transaction after the other, on a thread of the database's own.
///
/// What waits while a transaction is being written goes into the next one together, so that many
/// collections share the wait for the disk. Each waiter is told of its own result only. `CommitGroups`
/// holds the rules.
final class CommitQueue<Connection>: Sendable {
  /// May run twice: a transaction that fails is done again piece by piece.
  typealias Write = @Sendable (Connection) throws -> Void
  typealias Completion = @Sendable (Result<Void, any Error>) -> Void
  /// Runs a closure on the writing thread, some time soon.
  typealias Schedule = @Sendable (@escaping @Sendable (Connection) -> Void) -> Void
  /// Runs a closure in a transaction, which is committed where it does not throw.
  typealias Transaction = @Sendable (Connection, () throws -> Void) throws -> Void

  private struct Job {
    var write: Write
    var completion: Completion
  }

  private let schedule: Schedule
  private let transaction: Transaction
  private let groups = Mutex(CommitGroups<Job>())
  /// What jobs are told that come after the end.
  private let stopFault = StorageFault(.closed, "the store is closed")

  init(schedule: @escaping Schedule, transaction: @escaping Transaction) {
    self.schedule = schedule
    self.transaction = transaction
  }

  /// Returns once the write is committed.
  ///
  /// - Parameter bytes: that it writes, roughly.
  /// - Throws: what the write or the transaction threw; `StorageFault.closed` after `stop`.
  func write(bytes: Int = 0, _ write: @escaping Write) async throws {
    try await withCheckedThrowingContinuation { continuation in
      submit(bytes: bytes, write) { continuation.resume(with: $0) }
    }
  }

  /// The same, for threads that may wait.
  func writeBlocking(bytes: Int = 0, _ write: @escaping Write) throws {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Void, any Error>>(.success(()))
    submit(bytes: bytes, write) { outcome in
      result.withLock { $0 = outcome }
      done.signal()
    }
    done.wait()
    try result.withLock { $0 }.get()
  }

  /// Returns at once. `completion` is called exactly once, mostly on the writing thread.
  func submit(bytes: Int = 0, _ write: @escaping Write, completion: @escaping Completion) {
    let job = Job(write: write, completion: completion)
    switch groups.withLock({ $0.add(job, bytes: bytes) }) {
    case .startsWriter: schedule { [self] in drain($0) }
    case .waits: break
    case .refused: completion(.failure(stopFault))
    }
  }

  /// Refuses what waits and what comes. The group that is being written is finished.
  func stop() {
    for job in groups.withLock({ $0.stop() }) { job.completion(.failure(stopFault)) }
  }

  private func drain(_ connection: Connection) {
    while true {
      let group = groups.withLock { $0.takeGroup() }
      if group.isEmpty { return }
      do {
        try commit(group, to: connection)
        for job in group { job.completion(.success(())) }
      } catch {
        if group.count == 1 {
          group[0].completion(.failure(error))
        } else {
          // The fault of one is not the others'.
          for job in group { job.completion(Result { try commit([job], to: connection) }) }
        }
      }
    }
  }

  private func commit(_ group: [Job], to connection: Connection) throws {
    try transaction(connection) {
      for job in group { try job.write(connection) }
    }
  }
}
