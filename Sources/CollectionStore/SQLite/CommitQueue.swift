// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Group commit: runs write jobs on the database's writing thread, one transaction at a time.
///
/// Jobs that arrive while a transaction is being written are written together in the next one, so
/// that many collections share one `fsync`. Each caller learns only the result of its own job.
/// `CommitGroups` holds the state machine.
final class CommitQueue<Connection>: Sendable {
  /// Must be safe to run twice: if a group fails, its jobs are retried one by one.
  typealias Write = @Sendable (Connection) throws -> Void
  typealias Completion = @Sendable (Result<Void, any Error>) -> Void
  /// Runs a closure on the writing thread later, without waiting for it.
  typealias Schedule = @Sendable (@escaping @Sendable (Connection) -> Void) -> Void
  /// Runs a closure in a transaction, which is rolled back if it throws and otherwise committed.
  typealias Transaction = @Sendable (Connection, () throws -> Void) throws -> Void

  private struct Job {
    var write: Write
    var completion: Completion
  }

  private let schedule: Schedule
  private let transaction: Transaction
  private let groups = Mutex(CommitGroups<Job>())
  /// The result of jobs that are refused because the queue has been stopped.
  private let stopFault = StorageFault(.closed, "the store is closed")

  init(schedule: @escaping Schedule, transaction: @escaping Transaction) {
    self.schedule = schedule
    self.transaction = transaction
  }

  /// Runs a job and returns once it is committed.
  ///
  /// - Parameter bytes: roughly how many bytes the job writes.
  /// - Throws: what the write or the transaction threw; `StorageFault.closed` after `stop`.
  func write(bytes: Int = 0, _ write: @escaping Write) async throws {
    try await withCheckedThrowingContinuation { continuation in
      submit(bytes: bytes, write) { continuation.resume(with: $0) }
    }
  }

  /// Like `write`, but blocks the calling thread, which must not belong to the cooperative pool.
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

  /// Adds a job and returns immediately.
  ///
  /// - Parameter completion: called exactly once: on the writing thread, or on the caller's of
  ///   `submit` or `stop` if the queue has been stopped.
  func submit(bytes: Int = 0, _ write: @escaping Write, completion: @escaping Completion) {
    let job = Job(write: write, completion: completion)
    switch groups.withLock({ $0.add(job, bytes: bytes) }) {
    case .startsWriter: schedule { [self] in drain($0) }
    case .waits: break
    case .refused: completion(.failure(stopFault))
    }
  }

  /// Refuses all pending and future jobs. The transaction that is being written completes.
  func stop() {
    for job in groups.withLock({ $0.stop() }) { job.completion(.failure(stopFault)) }
  }

  /// Writes groups until there are none left.
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
          // One job made the transaction fail: retry each by itself, so that the others succeed.
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
