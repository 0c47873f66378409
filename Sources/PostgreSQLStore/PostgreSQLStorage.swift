// SPDX-License-Identifier: Apache-2.0

public import CollectionStore
internal import Dispatch
internal import Synchronization

/// Storage in PostgreSQL 15 or newer, which any number of servers share.
///
/// An acknowledged commit is as durable as the database makes it (`synchronous_commit`). All
/// waiting happens on threads of the connections. While the database cannot be reached, calls fail
/// at once and collections in memory stay as they are; the connections are tried again, at least
/// once a second.
public final class PostgreSQLStorage: CollectionStorage {
  /// Whether the database can be reached and written to.
  public let health = StorageHealth()
  /// 32 random bytes, stored in the database, the same for all servers.
  public let secret: [UInt8]
  /// The host and the database, for messages.
  public let name: String
  let faults: FaultReports
  /// Set by `close`; long operations check it and stop at their next step.
  let isClosing = Flag()
  let wake: ChangeWake
  let notifier: ChangeNotifier?
  /// Reads which collections other servers changed.
  let follower: PostgresConnection
  /// The descriptions that the last answer of `changes` contained.
  let told = ToldDescriptions()
  /// Appends of batches, on the connections for commits.
  let appends: AppendQueue<PostgresConnection>
  private let commits: [PostgresConnection]
  private let records: [PostgresConnection]
  private let tails: [PostgresConnection]
  private let loads: [PostgresConnection]
  private let contents: [PostgresConnection]

  /// True.
  public var isDurable: Bool { true }

  /// Connects, and creates the tables or migrates them. Blocks the calling thread, so servers call
  /// it before they accept connections.
  ///
  /// - Parameter report: called for each fault that stops the storage, once until it works again,
  ///   and once for each damaged row that is found.
  /// - Throws: `StorageFault` that says what to do
  public convenience init(
    _ configuration: PostgreSQLConfiguration,
    report: @escaping @Sendable (StorageFault) -> Void = { _ in }
  ) throws {
    try self.init(configuration, report: report) { try PostgresConnection($0, name: $1) }
  }

  /// - Parameter start: starts a connection with this setup and name.
  init(
    _ configuration: PostgreSQLConfiguration,
    report: @escaping @Sendable (StorageFault) -> Void = { _ in },
    start: @escaping (ConnectionDriver.Setup, String) throws -> PostgresConnection
  ) throws {
    let target = try configuration.target
    let setups = ConnectionSetups(configuration)
    let (faults, wake) = (FaultReports(health, report), ChangeWake())
    (self.faults, self.wake, name) = (faults, wake, target.name)
    let started = StartedConnections(start)
    // Each has a thread and a connection of the database, which nobody else would end.
    defer { started.closeUnlessKept() }
    func connections(_ count: Int, _ name: String) throws -> [PostgresConnection] {
      try (0 ..< max(1, count)).map {
        try started.start(setups.plain(), name: "postgres-\(name)-\($0)")
      }
    }
    let contents = try connections(configuration.contentConnections, "contents")
    self.contents = contents
    do {
      secret = try contents[0].sessionBlocking { [schema = configuration.schema] in
        try Tables.migrate($0, schema: schema)
      }
    } catch { throw Self.fault(error) }
    commits = try connections(configuration.commitConnections, "commits")
    records = try connections(configuration.recordConnections, "records")
    tails = try connections(configuration.tailConnections, "tails")
    loads = try connections(configuration.loadConnections, "loads")
    appends = AppendQueue(commits)
    notifier =
      configuration.listens
      ? ChangeNotifier(
        try started.start(setups.notifying(), name: "postgres-notifier"),
        channel: setups.channel
      ) : nil
    let reading = tails + loads
    let others = commits + records + contents + reading + (notifier.map { [$0.connection] } ?? [])
    follower = try started.start(
      setups.following(wake, ownToken: notifier?.token) { fault in
        if let fault { return faults.failed(fault) }
        for connection in others { connection.retryNow() }
        // Whether the database is read-only was asked, too.
        faults.succeeded()
      },
      name: "postgres-follower"
    )
    started.keep()
    wake.repeat(unless: isClosing)
  }

  /// Closes all connections; every later call throws `StorageFault.closed`. Idempotent.
  ///
  /// Blocks until everything sent to the database is answered. Imports and compactions in progress
  /// are abandoned, and leave the contents as they were.
  public func close() {
    guard isClosing.set() else { return }
    let group = DispatchGroup()
    let writing = commits + records + contents + (notifier.map { [$0.connection] } ?? [])
    for connection in writing + tails + loads + [follower] {
      group.enter()
      connection.close { group.leave() }
    }
    group.wait()
  }

  // MARK: - Connections

  /// The least busy connection for records.
  var recordConnection: PostgresConnection { records.leastBusy ?? follower }

  /// The least busy connection for what other servers committed.
  var tailConnection: PostgresConnection { tails.leastBusy ?? follower }

  /// The least busy connection for loading contents of about this many bytes.
  func loadConnection(for byteCount: Int) -> PostgresConnection {
    leastBusy(of: loads, for: byteCount)
  }

  /// The least busy connection for writing contents of about this many bytes.
  func contentConnection(for byteCount: Int) -> PostgresConnection {
    leastBusy(of: contents, for: byteCount)
  }

  /// The last of several connections is for small contents only, unless it alone works.
  private func leastBusy(
    of connections: [PostgresConnection],
    for byteCount: Int
  ) -> PostgresConnection {
    let isSmall = byteCount <= CollectionRegistry.smallContents
    if !isSmall, let large = connections.dropLast().leastBusy, large.availability > .broken {
      return large
    }
    return connections.leastBusy ?? follower
  }

  // MARK: - Faults

  /// Runs a call, and reports whether it failed or succeeded.
  ///
  /// - Parameter isRead: whether it changes nothing.
  /// - Throws: a `StorageFault` in place of the database's errors.
  func reporting<Value>(
    isRead: Bool = false,
    _ body: () async throws -> Value
  ) async throws -> Value {
    let value: Value
    do { value = try await body() } catch { throw failed(error) }
    faults.succeeded(isRead: isRead)
    return value
  }

  /// Reports an error.
  ///
  /// - Returns: the error to throw: a `StorageFault` in place of the database's errors.
  func failed(_ error: any Error) -> any Error {
    if isClosing.isSet { return StorageFault(.closed, "the store is closed") }
    let error = Self.fault(error)
    if let fault = error as? StorageFault { faults.failed(fault) }
    return error
  }

  /// A fault in place of an error of the database. Other errors are returned unchanged.
  static func fault(_ error: any Error) -> any Error {
    guard let error = error as? StatementError else { return error }
    // These report rows that are not as the caller knows them, and identifiers that exist already
    // (`RecordStatements`).
    guard error.state == StatementError.notNull || error.state == StatementError.unique else {
      return StorageFault(error)
    }
    return StorageFault(.conflict, "the collection was changed by another server (\(error.place))")
  }
}

/// Connections that a storage has started, and that are closed if it cannot be opened after all.
private final class StartedConnections {
  private let make: (ConnectionDriver.Setup, String) throws -> PostgresConnection
  private var unkept: [PostgresConnection] = []

  init(_ make: @escaping (ConnectionDriver.Setup, String) throws -> PostgresConnection) {
    self.make = make
  }

  func start(_ setup: ConnectionDriver.Setup, name: String) throws -> PostgresConnection {
    let connection = try make(setup, name)
    unkept.append(connection)
    return connection
  }

  /// The storage is open, and closes them itself.
  func keep() { unkept = [] }

  func closeUnlessKept() {
    for connection in unkept { connection.close {} }
  }
}

/// How the connections of a storage begin.
struct ConnectionSetups {
  private let configuration: PostgreSQLConfiguration

  init(_ configuration: PostgreSQLConfiguration) { self.configuration = configuration }

  /// The channel of notifications.
  var channel: String { configuration.schema + "_changes" }

  func plain() -> ConnectionDriver.Setup { setup() }

  /// Losing a notification loses no data, so it does not wait for the disk.
  func notifying() -> ConnectionDriver.Setup {
    setup([Self.setting("synchronous_commit", "off")])
  }

  /// - Parameters:
  ///   - ownToken: marks the notifications that this server sent itself; nil = it sends none.
  ///   - report: called after each attempt to connect.
  func following(
    _ wake: ChangeWake,
    ownToken: String?,
    _ report: @escaping @Sendable (StorageFault?) -> Void
  ) -> ConnectionDriver.Setup {
    // The channel is a quoted identifier of letters that need no escaping.
    var setup = setup(configuration.listens ? [Statement("LISTEN \"\(channel)\"")] : [])
    // It only asks for a few rows each second: if these do not arrive, nothing else will either.
    setup.timing.answer = .seconds(5)
    setup.notify = { wake.take($0, except: ownToken) }
    setup.report = { fault in
      report(fault)
      // Nobody knows what happened while there was no connection.
      if fault == nil { wake.reconnected() }
    }
    return setup
  }

  private func setup(_ more: [Statement] = []) -> ConnectionDriver.Setup {
    let settings = [
      Self.setting("search_path", configuration.schema),
      Self.setting("statement_timeout", "\(max(1, configuration.statementSeconds))s"),
      Self.setting("lock_timeout", "10s"),
      Self.setting("idle_in_transaction_session_timeout", "60s"),
    ]
    let last = Statement("SELECT current_setting('transaction_read_only')")
    return ConnectionDriver.Setup(url: configuration.url, statements: settings + more + [last])
  }

  private static func setting(_ name: String, _ value: String) -> Statement {
    Statement("SELECT set_config($1, $2, false)", [.text(name), .text(value)])
  }
}
