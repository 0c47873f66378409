// SPDX-License-Identifier: Apache-2.0

import LayoutService
import Logging
import PostgreSQLStore

/// The options of the server, from the command line, the environment and the configuration file.
struct ServerOptions: Sendable {
  var host = "127.0.0.1"
  var port = 50051
  var store = Store.sqlite
  /// The connection string of PostgreSQL, which may hold a password; "" = another store.
  var storeURL = ""
  /// Whether servers that share the store wake each other: "true" or "false".
  var storeNotifications = "true"
  /// Relative to the directory that the server was started in.
  var storePath = "layout-server.sqlite"
  var logLevel = Logger.Level.info
  var logFormat = ServerLog.Format.text
  var adminHost = "127.0.0.1"
  /// -1 = there is no admin port.
  var adminPort = -1
  /// `port` -1 = browsers cannot connect.
  var web = WebSocketOptions(port: -1)
  /// "" = the folder of the store's file.
  var backupFolder = ""
  var security = SecurityOptions()
  var tracing = TracingOptions()
  var providers = ProviderOptions()
  var service = ServiceConfiguration()

  /// How the server uses the database that `storeURL` names.
  var database: PostgreSQLConfiguration {
    PostgreSQLConfiguration(url: storeURL, listens: storeNotifications == "true")
  }

  /// Where collections are stored.
  enum Store: String, Sendable {
    case sqlite
    case memory
    /// Chosen by a connection string instead of its name.
    case postgresql
  }

  static let textKeys =
    generalKeys + SecurityOptions.texts.map { (key: $0.key, help: $0.help) } + TracingOptions.texts
    + ProviderOptions.texts

  private static let generalKeys: [(key: String, help: String)] = [
    ("host", "address to listen on, IPv4 or IPv6"),
    (
      "store",
      "where collections are stored: sqlite, memory, which is lost when the server ends, or a PostgreSQL "
        + "database that several servers may share, as postgresql://user@host/database. Set passwords in "
        + "PGPASSWORD or a password file, where other users cannot see them"
    ),
    (
      "storeNotifications",
      "false = servers that share PostgreSQL look for changes every second, without LISTEN"
    ),
    ("storePath", "file for --store sqlite; created if it does not exist"),
    (
      "logLevel",
      "least severe level to log: trace, debug, info, notice, warning, error or critical"
    ),
    ("logFormat", "how lines are logged: text, or json with one object for each line"),
    ("adminHost", "loopback address for the admin port"),
    ("webHost", "address on which browsers connect by WebSocket"),
    (
      "webOrigins",
      "origins whose pages may connect, separated by commas, such as https://example.com; * = all. Pages that "
        + "the same address serves may anyway"
    ),
    ("backupFolder", "folder for backups that operators ask for; by default that of the store"),
    (
      "resumeSecret",
      "secret of at least 16 bytes that signs resume tokens, for servers that accept each other's "
        + "tokens; by default the store generates one. Set it in the environment, where other users "
        + "cannot see it"
    ),
    ("config", "JSON file with these options; keys are in camelCase"),
  ]

  /// The flag of a key: "maxSessions" is "--max-sessions".
  static func flag(of key: String) -> String {
    key.reduce(into: "--") { flag, character in
      if character.isUppercase { flag += "-" }
      flag += character.lowercased()
    }
  }

  static let variablePrefix = "LAYOUT_SERVER_"

  /// The variable of a key: "maxSessions" is "LAYOUT_SERVER_MAX_SESSIONS".
  static func variable(of key: String) -> String {
    key.reduce(into: variablePrefix) { name, character in
      if character.isUppercase { name += "_" }
      name += character.uppercased()
    }
  }

  static var flags: Set<String> {
    Set((textKeys.map(\.key) + numbers.map(\.key)).map(flag))
  }
}

/// A mistake in the options, described in one line for the operator.
struct UsageError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
