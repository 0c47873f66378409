// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import DequeModule
internal import Synchronization

/// Appends that wait for a connection. Those that wait together are stored in one transaction, and
/// so with one sync to the disk.
///
/// If a statement of a transaction is refused, because another server was faster with its
/// collection, nothing of the transaction is stored; then each append gets a transaction of its
/// own.
final class AppendQueue: Sendable {
  /// Appends that are stored together or not at all.
  struct Job: Sendable {
    var entries: [LogEntry]
    /// Called once, on a connection's thread.
    var complete: @Sendable (ConnectionDriver.Outcome) -> Void
  }

  private struct State {
    var waiting: Deque<Job> = []
    var idle: [PostgresConnection]
  }

  /// The most appends of one transaction. All of them wait until the last is stored.
  private static let mostJobs = 64
  private static let mostBytes = 4 << 20

  private let state: Mutex<State>

  init(_ connections: [PostgresConnection]) { state = Mutex(State(idle: connections)) }

  /// Stores entries in one transaction.
  ///
  /// - Throws: as `PostgresConnection.perform`.
  func append(_ entries: [LogEntry]) async throws {
    _ = try await withCheckedThrowingContinuation { continuation in
      add(Job(entries: entries) { continuation.resume(with: $0) })
    }
  }

  private func add(_ job: Job) {
    let connection = state.withLock { state in
      state.waiting.append(job)
      return state.idle.popLast()
    }
    if let connection { sendNext(on: connection) }
  }

  private func sendNext(on connection: PostgresConnection) {
    let group = state.withLock { state in
      let group = Self.takeGroup(&state.waiting)
      if group.isEmpty { state.idle.append(connection) }
      return group
    }
    guard !group.isEmpty else { return }
    connection.submit(Self.exchange(group)) { [self] outcome in
      if group.count > 1, case .failure(let error) = outcome, error is StatementError {
        return sendSingly(group[...], on: connection)
      }
      for job in group { job.complete(outcome) }
      sendNext(on: connection)
    }
  }

  private func sendSingly(_ group: ArraySlice<Job>, on connection: PostgresConnection) {
    guard let job = group.first else { return sendNext(on: connection) }
    connection.submit(Self.exchange([job])) { [self] outcome in
      job.complete(outcome)
      sendSingly(group.dropFirst(), on: connection)
    }
  }

  private static func takeGroup(_ waiting: inout Deque<Job>) -> [Job] {
    var group: [Job] = []
    var bytes = 0
    while group.count < mostJobs, let first = waiting.first {
      bytes += first.entries.reduce(0) { $0 + $1.batch.payload.count }
      if !group.isEmpty && bytes > mostBytes { break }
      group.append(first)
      waiting.removeFirst()
    }
    return group
  }

  /// All servers lock collections in the same order.
  private static func exchange(_ group: [Job]) -> Exchange {
    let entries = group.flatMap(\.entries).sorted {
      ($0.record.incarnation, $0.batch.version) < ($1.record.incarnation, $1.batch.version)
    }
    return Exchange(entries.map { RecordStatements.append($0) }, isWrite: true)
  }
}
