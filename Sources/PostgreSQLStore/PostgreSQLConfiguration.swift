// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

/// How a server uses PostgreSQL.
public struct PostgreSQLConfiguration: Sendable {
  /// The connection string as libpq takes it: a URL, or keys and values. It may hold a password, so
  /// it is never logged; TLS is chosen by its parameters, such as sslmode and sslrootcert.
  public var url: String
  /// The schema that the tables are in; created if there is none. At most 55 small letters, digits
  /// and underscores.
  public var schema: String
  /// Connections for commits. Several commit at once, so that they share syncs to the disk.
  public var commitConnections: Int
  /// Connections for changing records without a batch: descriptions, deletions, empty collections.
  public var recordConnections: Int
  /// Connections for reading what other servers committed to collections in memory.
  public var tailConnections: Int
  /// Connections for loading collections. If there are several, one of them is for small
  /// collections only, so that these do not wait for large ones.
  public var loadConnections: Int
  /// Connections for writing contents: imports and snapshots. If there are several, one of them is
  /// for small contents only, so that these do not wait for large ones.
  public var contentConnections: Int
  /// Whether servers wake each other by LISTEN and NOTIFY. If not, they look for changes every
  /// second.
  public var listens: Bool
  /// The longest that a statement may take, in seconds.
  public var statementSeconds: Int

  /// How a server uses the database that `url` names.
  public init(
    url: String,
    schema: String = "layout_server",
    commitConnections: Int = 4,
    recordConnections: Int = 1,
    tailConnections: Int = 2,
    loadConnections: Int = 2,
    contentConnections: Int = 2,
    listens: Bool = true,
    statementSeconds: Int = 30
  ) {
    self.url = url
    self.schema = schema
    self.commitConnections = commitConnections
    self.recordConnections = recordConnections
    self.tailConnections = tailConnections
    self.loadConnections = loadConnections
    self.contentConnections = contentConnections
    self.listens = listens
    self.statementSeconds = statementSeconds
  }

  /// How many connections a storage opens; 1 more for following other servers.
  var connectionCount: Int {
    let counts = [
      commitConnections, recordConnections, tailConnections, loadConnections, contentConnections,
    ]
    return counts.reduce(listens ? 2 : 1) { $0 + max(1, $1) }
  }

  /// What the connection string names.
  ///
  /// - Throws: `StorageFault` if something in this configuration can never work.
  var target: ConnectionTarget {
    get throws(StorageFault) {
      #if !PostgreSQL
      throw StorageFault(
        .unsupported,
        "this server was built without PostgreSQL; build it with the package's trait PostgreSQL"
      )
      #else
      guard let target = ConnectionTarget(url: url) else {
        throw StorageFault(
          .unsupported,
          "the connection string is not one that libpq understands; it has to be like "
            + "postgresql://user@host:5432/database?sslmode=verify-full"
        )
      }
      guard hasPlainSchema else {
        throw StorageFault(
          .unsupported,
          "\"\(schema)\" is not a schema; up to \(Self.mostSchemaBytes) small letters, digits and "
            + "underscores are allowed"
        )
      }
      return target
      #endif
    }
  }

  /// PostgreSQL takes 63 bytes for a name, and the channel of notifications has the schema's with
  /// `_changes` behind it.
  private static let mostSchemaBytes = 55

  /// Whether the schema's name needs no escaping.
  private var hasPlainSchema: Bool {
    let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789_")
    return 1 ... Self.mostSchemaBytes ~= schema.utf8.count
      && schema.allSatisfy { letters.contains($0) }
  }
}
