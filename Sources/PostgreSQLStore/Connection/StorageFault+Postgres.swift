// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore

extension StorageFault {
  /// The fault that a statement's error means. Conflicts are for the caller to recognise.
  init(_ error: StatementError) {
    let message = error.message
    switch error.state {
    case "42501":
      self.init(
        .readOnly,
        "the database user lacks a right: \(message); grant it, or make the user the owner of the schema"
      )
    case "25006":
      self.init(
        .readOnly,
        "the database is read-only, such as a standby; name the primary, or all hosts with "
          + "target_session_attrs=read-write"
      )
    case "53100": self.init(.diskFull, "the database's disk is full: \(message); free space there")
    case "55P03":
      self.init(.contended, "other transactions hold locks on the rows: \(message)")
    case "57014":
      self.init(
        .unreachable,
        "the database took too long: \(message); look for long transactions in pg_stat_activity"
      )
    case "3F000", "42P01":
      self.init(
        .notAStore,
        "tables are missing: \(message); restart the server, which creates them"
      )
    case "40001", "40P01":
      self.init(.conflict, "another server changed the same collections: \(message)")
    default:
      self.init(
        .unreachable,
        "PostgreSQL was reached, but refuses a statement: \(message) (\(error.state)); see its log"
      )
    }
  }

  /// There is no connection.
  ///
  /// - Parameters:
  ///   - message: libpq's; "" = none.
  ///   - error: the server's last word; nil = none.
  static func unreachable(_ message: String, _ error: StatementError?) -> StorageFault {
    let reason = message.isEmpty ? (error?.message ?? "no answer") : message
    let hint: String
    if reason.contains("password") || reason.contains("authentication") {
      hint = "check user and password, which PGPASSWORD or a password file may hold"
    } else if reason.contains("database \"") {
      hint = "create the database, or name another one"
    } else if reason.contains("certificate") || reason.contains("SSL") {
      hint = "check sslmode, sslrootcert and the server's certificate"
    } else {
      hint = "check that it runs, and the host and the port"
    }
    return StorageFault(.unreachable, "PostgreSQL cannot be reached: \(reason); \(hint)")
  }
}
