// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import DequeModule
internal import Synchronization

/// Appends that wait for a connection. Those that wait together are stored in one transaction, and
/// so with one sync to the disk.
///
/// If a statement of a transaction is refused, because another server was faster with its
/// collection, nothing of the transaction is stored. That append then fails, and the others are
/// sent again; after a few such transactions, each in one of its own.
///
/// A connection without its database takes no appends while another one has it. What it refuses
/// goes back to the front of the queue.
final class AppendQueue<Connection: ExchangeTaking>: Sendable {
  /// Appends that are stored together or not at all.
  struct Job: Sendable {
    var entries: [LogEntry]
    /// Called once, on a connection's thread.
    var complete: @Sendable (ConnectionDriver.Outcome) -> Void
  }

  private struct State {
    var waiting: Deque<Job> = []
    var idle: [Connection]

    /// Removes and returns the idle connection for the next appends: the best one, and among equals
    /// the one that was used last, whose statements are prepared.
    ///
    /// - Parameter areLeft: whether a busy connection takes the appends if no idle one works. If
    ///   not, a broken one says why they fail.
    mutating func takeIdle(unless areLeft: Bool) -> Connection? {
      // The first of equal ones, from the end.
      let best = idle.indices.reversed().max { idle[$0].availability < idle[$1].availability }
      guard let best, !areLeft || idle[best].availability > .broken else { return nil }
      return idle.remove(at: best)
    }
  }

  /// The most appends of one transaction. All of them wait until the last is stored.
  private static var mostJobs: Int { 64 }
  private static var mostBytes: Int { 4 << 20 }
  /// After this many refused transactions in a row it is likely that many more are refused.
  private static var mostRefusals: Int { 3 }

  private let connections: [Connection]
  private let state: Mutex<State>

  init(_ connections: [Connection]) {
    self.connections = connections
    state = Mutex(State(idle: connections))
  }

  /// Stores entries in one transaction.
  ///
  /// - Throws: as `PostgresConnection.perform`.
  func append(_ entries: [LogEntry]) async throws {
    _ = try await withCheckedThrowingContinuation { continuation in
      add(Job(entries: entries) { continuation.resume(with: $0) })
    }
  }

  func add(_ job: Job) {
    let connection = state.withLock { state in
      state.waiting.append(job)
      let areOthersBusy = state.idle.count < connections.count
      return state.takeIdle(unless: areOthersBusy && isAnyWorking(besides: nil))
    }
    if let connection { sendNext(on: connection) }
  }

  /// Whether a connection has its database or may soon, be it idle or busy.
  private func isAnyWorking(besides broken: Connection?) -> Bool {
    connections.contains { $0 !== broken && $0.availability > .broken }
  }

  private func sendNext(on connection: Connection) {
    if connection.availability == .broken, isAnyWorking(besides: connection) {
      return rest(connection, leaving: [])
    }
    let group = state.withLock { state in
      let group = Self.takeGroup(&state.waiting)
      if group.isEmpty { state.idle.append(connection) }
      return group
    }
    guard !group.isEmpty else { return }
    send(group, refusals: 0, on: connection)
  }

  /// Sends appends in one transaction.
  ///
  /// - Parameter refusals: how many transactions with these appends were refused.
  private func send(_ group: [Job], refusals: Int, on connection: Connection) {
    let ordered = Self.ordered(group)
    connection.submit(Self.exchange(ordered.map(\.entry))) { [self] outcome in
      if group.count > 1, case .failure(let error as StatementError) = outcome {
        return sendAgain(group, as: ordered, refusals, error, on: connection)
      }
      if isRefused(outcome, by: connection) { return rest(connection, leaving: group[...]) }
      for job in group { job.complete(outcome) }
      sendNext(on: connection)
    }
  }

  /// Fails the append whose statement was refused, and sends the others again.
  ///
  /// - Parameter ordered: the statements of the refused transaction.
  private func sendAgain(
    _ group: [Job],
    as ordered: [(job: Int, entry: LogEntry)],
    _ refusals: Int,
    _ error: StatementError,
    on connection: Connection
  ) {
    // The transaction may also be refused as a whole, when it ends.
    guard ordered.indices.contains(error.index) else {
      return sendSingly(group[...], on: connection)
    }
    var rest = group
    rest.remove(at: ordered[error.index].job).complete(.failure(error))
    guard refusals < Self.mostRefusals else { return sendSingly(rest[...], on: connection) }
    send(rest, refusals: refusals + 1, on: connection)
  }

  private func sendSingly(_ group: ArraySlice<Job>, on connection: Connection) {
    guard let job = group.first else { return sendNext(on: connection) }
    connection.submit(Self.exchange(Self.ordered([job]).map(\.entry))) { [self] outcome in
      if isRefused(outcome, by: connection) { return rest(connection, leaving: group) }
      job.complete(outcome)
      sendSingly(group.dropFirst(), on: connection)
    }
  }

  /// Whether appends were not sent for want of a connection, and another one may take them. The
  /// outcome of those that were sent is a `StatementError` or `unclear`.
  private func isRefused(_ outcome: ConnectionDriver.Outcome, by connection: Connection) -> Bool {
    guard case .failure(let fault as StorageFault) = outcome else { return false }
    return ![.unclear, .closed].contains(fault.kind) && isAnyWorking(besides: connection)
  }

  /// Leaves jobs that a broken connection has not sent, and all that wait, to another one.
  private func rest(_ connection: Connection, leaving jobs: ArraySlice<Job>) {
    let next = state.withLock { state in
      state.waiting.prepend(contentsOf: jobs)
      // Before this one is idle again.
      let areOthersBusy = state.idle.count < connections.count - 1
      let isLeft = areOthersBusy && isAnyWorking(besides: connection)
      let next = state.waiting.isEmpty ? nil : state.takeIdle(unless: isLeft)
      state.idle.append(connection)
      return next
    }
    if let next { sendNext(on: next) }
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

  /// The entries of jobs, each with the place of its job, in the order in which all servers lock
  /// collections.
  private static func ordered(_ group: [Job]) -> [(job: Int, entry: LogEntry)] {
    let entries = group.enumerated().flatMap { number, job in
      job.entries.map { (job: number, entry: $0) }
    }
    return entries.sorted { a, b in
      (a.entry.record.incarnation, a.entry.batch.version)
        < (b.entry.record.incarnation, b.entry.batch.version)
    }
  }

  private static func exchange(_ entries: [LogEntry]) -> Exchange {
    Exchange(entries.map { RecordStatements.append($0) }, isWrite: true)
  }
}
