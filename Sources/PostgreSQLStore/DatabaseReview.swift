// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

/// Whether a server could use a database, found without writing to it.
public struct DatabaseReview: Sendable {
  /// The tables of the server, in the schema of the configuration.
  public enum Tables: Hashable, Sendable {
    /// There are none; the server creates them.
    case missing
    /// They are of this version of the server, or of an older one and will be migrated.
    case found(isOlder: Bool)
  }

  /// The host and the database, for messages.
  public let name: String
  /// Such as "17.2".
  public let version: String
  /// The tables that exist.
  public let tables: Tables
  /// What the user may not do although a server has to, such as "create tables in schema s"; empty
  /// = nothing is missing.
  public let missingRights: [String]
  /// Whether the connection leaves the machine without TLS.
  public let isExposed: Bool
  /// Settings with which a crash of the database's machine loses acknowledged commits, such as
  /// "fsync".
  public let carelessSettings: [String]
  /// How many connections the database would accept now.
  public let freeConnections: Int
  /// How many connections a server opens.
  public let neededConnections: Int

  /// Asks the database. Blocks the calling thread for seconds if the database cannot be reached.
  ///
  /// - Throws: what `PostgreSQLStorage` would throw for a database that cannot be reached, is read
  ///   only or too old, or whose tables a newer version of the server has written.
  public init(_ configuration: PostgreSQLConfiguration) throws {
    name = try configuration.target.name
    neededConnections = configuration.connectionCount
    let connection = try PostgresConnection(
      ConnectionSetups(configuration).plain(),
      name: "postgres-review"
    )
    defer { connection.close {} }
    let found: Answers
    do {
      found = try connection.sessionBlocking { [schema = configuration.schema] in
        try Answers($0, schema: schema)
      }
    } catch { throw PostgreSQLStorage.fault(error) }
    version = found.version
    tables = found.tables
    missingRights = found.missingRights
    isExposed = found.isExposed
    carelessSettings = found.carelessSettings
    freeConnections = found.freeConnections
  }

  /// What the database says.
  private struct Answers: Sendable {
    var version = ""
    var tables = DatabaseReview.Tables.missing
    var missingRights: [String] = []
    var isExposed = false
    var carelessSettings: [String] = []
    var freeConnections = 0

    init(_ session: PostgresConnection.Session, schema: String) throws {
      try readServer(session)
      try readConnections(session)
      try readRights(session, schema: schema)
      try readTables(session, schema: schema)
    }

    private mutating func readServer(_ session: PostgresConnection.Session) throws {
      guard
        let row = try session.row(
          """
          SELECT current_setting('server_version'), current_setting('synchronous_commit'),
            current_setting('fsync'), current_setting('full_page_writes')
          """
        )
      else { return }
      version = try row.text(0).split(separator: " ").first.map(String.init) ?? ""
      for (index, name) in ["synchronous_commit", "fsync", "full_page_writes"].enumerated()
      where try row.text(index + 1) == "off" {
        carelessSettings.append(name)
      }
    }

    private mutating func readConnections(_ session: PostgresConnection.Session) throws {
      // The least of the limits of the server, the role and the database; null = there is none.
      // Sums over databases, because rows of other users' sessions tell too little.
      let free = try session.row(
        """
        SELECT least(
          current_setting('max_connections')::bigint
            - current_setting('superuser_reserved_connections')::bigint
            - coalesce(current_setting('reserved_connections', true)::bigint, 0)
            - (SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database)::bigint,
          (
            SELECT nullif(rolconnlimit, -1)::bigint
              - (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user)
            FROM pg_roles WHERE rolname = current_user
          ),
          (
            SELECT nullif(datconnlimit, -1)::bigint - numbackends
            FROM pg_database JOIN pg_stat_database ON pg_database.oid = datid
            WHERE pg_database.datname = current_database()
          )
        )
        """
      )
      // This one ends before a server connects.
      freeConnections = try max(0, Int(clamping: free?.integer(0) ?? 0) + 1)
      let exposed = try session.row(
        """
        SELECT 1::bigint FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND NOT ssl
        AND NOT coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true)
        """
      )
      isExposed = exposed != nil
    }

    private mutating func readRights(
      _ session: PostgresConnection.Session,
      schema: String
    ) throws {
      let database = try session.row(
        "SELECT 1::bigint WHERE has_database_privilege(current_database(), 'CREATE')"
      )
      let found = try session.row(
        "SELECT 1::bigint FROM pg_namespace WHERE nspname = $1",
        [.text(schema)]
      )
      guard found != nil else {
        if database == nil { missingRights.append("create the schema \(schema)") }
        return
      }
      for right in ["USAGE", "CREATE"] {
        let held = try session.row(
          "SELECT 1::bigint WHERE has_schema_privilege($1, $2)",
          [.text(schema), .text(right)]
        )
        if held == nil { missingRights.append("\(right) in the schema \(schema)") }
      }
      // Only owners may alter tables, and a newer server adds columns and indexes.
      let others = try session.rows(
        """
        SELECT relname::text FROM pg_class
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
        AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE') ORDER BY relname
        """,
        [.text(schema)]
      )
      let names = try others.map { try $0.text(0) }
      if !names.isEmpty { missingRights.append("own \(names.joined(separator: ", "))") }
    }

    private mutating func readTables(
      _ session: PostgresConnection.Session,
      schema: String
    ) throws {
      // What may not be read is told by the missing rights.
      guard missingRights.isEmpty,
        let version = try PostgreSQLStore.Tables.foundVersion(session, schema: schema)
      else { return }
      tables = .found(isOlder: version < PostgreSQLStore.Tables.version)
    }
  }
}
