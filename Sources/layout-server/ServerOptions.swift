// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutEngine
import LayoutService
import LayoutTrust
import Logging

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
  /// "" = that of the store's file.
  var backupFolder = ""
  var security = SecurityOptions()
  var tracing = TracingOptions()
  var service = ServiceConfiguration()

  /// Where collections are kept.
  enum Store: String, Sendable {
    case sqlite
    case memory
    /// Chosen by a connection string in place of a name.
    case postgresql
  }

  /// An option whose value is a whole number.
  struct Number: Sendable {
    /// The key in the configuration file: "maxSessions". The flag is "--max-sessions", the environment
    /// variable "LAYOUT_SERVER_MAX_SESSIONS".
    var key: String
    var help: String
    var range: ClosedRange<Int>
    var get: @Sendable (ServerOptions) -> Int
    var set: @Sendable (inout ServerOptions, Int) -> Void
  }

  static let textKeys =
    generalKeys + SecurityOptions.texts.map { (key: $0.key, help: $0.help) } + TracingOptions.texts

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

  static let numbers: [Number] = [
    Number("port", "port to listen on; 0 = any free port", 0 ... 65_535, \.port),
    Number(
      "adminPort",
      "port for metrics, health checks and operators; 0 = any free port, -1 = none",
      -1 ... 65_535,
      \.adminPort
    ),
    Number(
      "webPort",
      "port on which browsers connect by WebSocket; 0 = any free port, -1 = none",
      -1 ... 65_535,
      \.web.port
    ),
    Number(
      "authLeewayMs",
      "that the clocks of this machine and of those that sign tokens may differ",
      0 ... 3_600_000,
      \.security.leeway
    ),
    Number(
      "maxFailedChecksPerSecond",
      "wrong signed tokens of one address that are verified in a second; ten times as many at once",
      1 ... 1_000_000,
      \.security.failedChecksPerSecond
    ),
    Number(
      "maxSessionsPerIdentity",
      "open layout streams of one identity; 0 = any number",
      0 ... 1_000_000,
      \.service.identity.sessions
    ),
    Number(
      "maxCallsPerIdentity",
      "calls of one identity in a second, layout streams included; 0 = any number",
      0 ... 1_000_000,
      \.service.identity.callsPerSecond
    ),
    Number(
      "maxContentBytesPerIdentity",
      "bytes of the contents of all collections that one identity has created; 0 = any number",
      0 ... (1 << 50),
      \.service.identity.contentBytes
    ),
    Number(
      "maxLayoutBytesPerIdentity",
      "bytes of the prepared layouts that the streams of one identity use; 0 = any number",
      0 ... (1 << 44),
      \.service.identity.layoutBytes
    ),
    Number("maxSessions", "open layout streams", 1 ... 1_000_000, \.service.limits.sessions),
    Number(
      "maxUnopenedStreamsPerAddress",
      "layout streams of one address that have not sent their first request",
      1 ... 1_000_000,
      \.service.limits.unopenedStreamsPerAddress
    ),
    Number(
      "maxItems",
      "items in one collection",
      1 ... 1_000_000_000,
      \.service.limits.itemsPerCollection
    ),
    Number(
      "maxSections",
      "sections in one collection",
      1 ... 10_000_000,
      \.service.limits.sectionsPerCollection
    ),
    Number(
      "maxOperations",
      "operations in one batch",
      1 ... 1_000_000,
      \.service.limits.operationsPerBatch
    ),
    Number(
      "maxExpansions",
      "items of outlines that one session may have expanded or collapsed other than its base",
      1 ... 1_000_000,
      \.service.limits.expansionExceptions
    ),
    Number(
      "maxElementsPerFrame",
      "elements in one frame",
      1 ... 1_000_000,
      \.service.limits.elementsPerFrame
    ),
    Number(
      "maxElementsPerQuery",
      "elements in the rect of one query, all pages together",
      1 ... 100_000_000,
      \.service.limits.elementsPerQuery
    ),
    Number(
      "maxMessageBytes",
      "bytes of one request",
      1024 ... (1 << 30),
      \.service.limits.messageBytes
    ),
    Number(
      "maxEventsPerSecond",
      "events of one stream per second in the long run, viewport changes not counted",
      1 ... 100_000,
      \.service.limits.eventsPerSecond
    ),
    Number(
      "maxEventBurst",
      "events of one stream in a burst, viewport changes not counted",
      1 ... 1_000_000,
      \.service.limits.eventBurst
    ),
    Number(
      "maxWaitingEvents",
      "pending events of one stream; when reached, the stream is not read",
      1 ... 10_000,
      \.service.limits.waitingEvents
    ),
    Number(
      "maxServerBytes",
      "bytes of memory for all clients and collections together",
      (1 << 20) ... (1 << 44),
      \.service.memory.server
    ),
    Number(
      "maxPeerBytes",
      "bytes of memory for one peer address, over all its connections",
      (1 << 20) ... (1 << 44),
      \.service.memory.peer
    ),
    Number(
      "maxConnectionBytes",
      "bytes of memory for one connection: its sessions and calls",
      (1 << 20) ... (1 << 44),
      \.service.memory.connection
    ),
    Number(
      "maxSessionBytes",
      "bytes of memory for one session, or for one other call",
      (1 << 20) ... (1 << 44),
      \.service.memory.session
    ),
    Number(
      "maxCollectionBytes",
      "bytes of memory for one collection: its contents and history",
      (1 << 20) ... (1 << 44),
      \.service.memory.collection
    ),
    Number(
      "maxWaitingEventBytes",
      "bytes of memory for the pending events of one stream",
      1 ... (1 << 40),
      \.service.limits.waitingEventBytes
    ),
    Number("maxCollections", "collections", 1 ... 10_000_000, \.service.store.collectionCount),
    Number(
      "residentBytes",
      "bytes of memory for all collections; unused ones are unloaded first, then requests are refused",
      (1 << 20) ... (1 << 44),
      \.service.store.residentBytes
    ),
    Number(
      "maxLayouts",
      "named layouts of one collection",
      1 ... 10_000,
      \.service.store.layoutCount
    ),
    Number(
      "maxLayoutBytes",
      "bytes of the named layouts of one collection together",
      1024 ... (1 << 30),
      \.service.store.layoutBytes
    ),
    Number(
      "maxRecordBytes",
      "bytes of a collection's name, labels and default layout",
      (1 << 10) ... (4 << 20),
      \.service.store.recordBytes
    ),
    Number(
      "maxTotalRecordBytes",
      "bytes of the names, labels and default layouts of all collections",
      (1 << 10) ... (1 << 40),
      \.service.store.totalRecordBytes
    ),
    Number(
      "historyBatches",
      "committed batches that each collection keeps for WatchUpdates",
      0 ... 1_000_000,
      \.service.store.historyCount
    ),
    Number(
      "historyBytes",
      "bytes of committed batches that each collection keeps for WatchUpdates",
      0 ... (1 << 40),
      \.service.store.historyBytes
    ),
    Number(
      "cacheBytes",
      "bytes of memory for the cache of prepared layouts",
      0 ... (1 << 44),
      \.service.engine.byteLimit
    ),
    Number(
      "layoutThreads",
      "threads for large layout computations",
      1 ... 1024,
      \.service.engine.threadCount
    ),
    Number(
      "maxStreamsPerConnection",
      "open calls of one connection, streams included",
      1 ... 1_000_000,
      \.service.transport.streamsPerConnection
    ),
    Number("maxConnections", "open connections", 1 ... 1_000_000, \.service.transport.connections),
    Number(
      "maxConnectionsPerAddress",
      "open connections from one address",
      1 ... 1_000_000,
      \.service.transport.connectionsPerAddress
    ),
    Number(
      "maxNewConnectionsPerAddress",
      "new connections from one address within 10 s",
      1 ... 1_000_000,
      \.service.transport.newConnectionsPerAddress
    ),
    Number(
      "maxFramesPerSecond",
      "HTTP/2 frames other than DATA of one connection per second; above that it is read more slowly",
      100 ... 10_000_000,
      \.service.transport.framesPerSecond
    ),
    Number(
      "maxResetsPerAddress",
      "calls that one address may reset within 30 s",
      1 ... 10_000_000,
      \.service.transport.resetsPerAddress
    ),
    Number(
      "maxUnfinishedBytes",
      "bytes of incomplete messages, over all connections",
      65_536 ... (1 << 40),
      \.service.transport.unfinishedBytes
    ),
    Number(
      "maxUnfinishedBytesPerConnection",
      "bytes of incomplete messages, in one connection",
      65_536 ... (1 << 40),
      \.service.transport.unfinishedBytesPerConnection
    ),
    Number(
      "maxUnreadBytes",
      "bytes of answers that clients have not read yet, over all connections",
      65_536 ... (1 << 40),
      \.service.transport.unreadBytes
    ),
    Number(
      "maxUnreadBytesPerConnection",
      "bytes of answers that the client has not read yet, in one connection",
      65_536 ... (1 << 40),
      \.service.transport.unreadBytesPerConnection
    ),
    Number(
      "windowBytes",
      "HTTP/2 flow control window in bytes: what a client may send before the server has read it",
      65_535 ... (1 << 30),
      \.service.transport.windowBytes
    ),
    Number(
      "maxPings",
      "PINGs of one connection within 30 s",
      1 ... 1_000_000,
      \.service.transport.pings
    ),
    Number(
      "greetingTimeoutMs",
      "until a new connection must have sent the HTTP/2 preface",
      1 ... 3_600_000,
      \.service.transport.greeting
    ),
    Number(
      "firstCallTimeoutMs",
      "until a new connection must have made its first call",
      1 ... 86_400_000,
      \.service.transport.firstCall
    ),
    Number(
      "idleTimeoutMs",
      "until a connection without calls is closed",
      1 ... 86_400_000,
      \.service.transport.idle
    ),
    Number(
      "deadPeerTimeoutMs",
      "that a client's machine may not answer until it is taken for gone",
      4000 ... 86_400_000,
      \.service.transport.deadPeer
    ),
    Number(
      "requestTimeoutMs",
      "for a request to arrive completely, and for the next message of an import",
      1 ... 3_600_000,
      \.service.transport.request
    ),
    Number(
      "maxCallsPerConnection",
      "calls in flight of one connection, without layout streams",
      1 ... 1_000_000,
      \.service.calls.perConnection
    ),
    Number(
      "maxCallsPerAddress",
      "calls in flight of one address, without layout streams",
      1 ... 10_000_000,
      \.service.calls.perHost
    ),
    Number(
      "maxImportsPerConnection",
      "imports in flight of one connection",
      1 ... 1_000_000,
      \.service.calls.importsPerConnection
    ),
    Number("maxImports", "imports in flight", 1 ... 1_000_000, \.service.calls.imports),
    Number(
      "maxImportBytes",
      "bytes of the contents of all imports in flight",
      (1 << 20) ... (1 << 44),
      \.service.calls.importBytes
    ),
    Number(
      "maxWorkPerSecond",
      "work that the calls of one connection request in a second, in units of about 50 µs",
      1 ... 1_000_000_000,
      \.service.calls.workPerSecond
    ),
    Number(
      "maxWorkBurst",
      "work that the calls of one connection request at once, in units of about 50 µs",
      1 ... 1_000_000_000,
      \.service.calls.workBurst
    ),
    Number(
      "workFactorPerAddress",
      "how many times as much work one address may request, over all its connections",
      1 ... 1_000_000,
      \.service.calls.workFactorPerHost
    ),
    Number(
      "maxCallDelayMs",
      "that a call waits while its connection or address requests too much work",
      0 ... 3_600_000,
      \.service.calls.longestDelay
    ),
    Number(
      "messageTimeoutMs",
      "for the next message of a client that has to send one, as in an import",
      1 ... 3_600_000,
      \.service.calls.messageTimeout
    ),
    Number(
      "pageBytes",
      "bytes of one page of collections or elements, roughly",
      1024 ... (1 << 30),
      \.service.calls.pageBytes
    ),
    Number(
      "maxDefaultLayoutBytes",
      "bytes of the default layout of a collection, and of a named layout",
      1024 ... (1 << 30),
      \.service.calls.defaultLayoutBytes
    ),
    Number(
      "openTimeoutMs",
      "for the first request of a stream",
      1 ... 3_600_000,
      \.service.timing.open
    ),
    Number(
      "writeTimeoutMs",
      "for one write to a client that does not read; then its stream ends",
      1 ... 3_600_000,
      \.service.timing.write
    ),
    Number(
      "slowNoticeMs",
      "without an acknowledgement until the client is told that it is slow",
      1 ... 3_600_000,
      \.service.timing.slowNotice
    ),
    Number(
      "slowTimeoutMs",
      "without an acknowledgement until the stream ends",
      1 ... 3_600_000,
      \.service.timing.slowEnd
    ),
    Number(
      "waitTimeoutMs",
      "that a query waits for the data version that it asks for",
      1 ... 3_600_000,
      \.service.timing.longestWait
    ),
    Number(
      "watchIntervalMs",
      "between messages of WatchUpdates while nothing changes",
      1 ... 3_600_000,
      \.service.timing.watchInterval
    ),
    Number(
      "reconnectSpreadMs",
      "over which clients are told to spread their reconnects after a shutdown",
      0 ... 3_600_000,
      \.service.timing.reconnectSpread
    ),
    Number(
      "resumeGraceMs",
      "that a session of a shared collection can be resumed after its stream broke",
      0 ... 86_400_000,
      \.service.resume.grace
    ),
    Number(
      "privateResumeGraceMs",
      "that a session of private contents can be resumed after its stream broke",
      0 ... 86_400_000,
      \.service.resume.privateGrace
    ),
    Number(
      "maxDetachedSessions",
      "detached sessions: their stream broke and they can be resumed",
      0 ... 10_000_000,
      \.service.resume.sessions
    ),
    Number(
      "maxDetachedSessionsPerAddress",
      "detached sessions of one address",
      0 ... 10_000_000,
      \.service.resume.sessionsPerAddress
    ),
    Number(
      "maxDetachedBytes",
      "bytes of memory for detached sessions",
      0 ... (1 << 44),
      \.service.resume.bytes
    ),
    Number(
      "drainMs",
      "that a shutdown goes on serving, while viewers are told to go to another server",
      0 ... 3_600_000,
      \.service.timing.drain
    ),
    Number(
      "shutdownTimeoutMs",
      "from the beginning of a shutdown, or the end of its drain, until open connections are closed",
      1 ... 3_600_000,
      \.service.timing.shutdown
    ),
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

extension ServerOptions.Number {
  fileprivate init(
    _ key: String,
    _ help: String,
    _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<ServerOptions, Int> & Sendable
  ) {
    self.init(
      key: key,
      help: help,
      range: range,
      get: { $0[keyPath: path] },
      set: { $0[keyPath: path] = $1 }
    )
  }

  /// A limit, of which 0 means that there is none.
  fileprivate init(
    _ key: String,
    _ help: String,
    _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<ServerOptions, Int?> & Sendable
  ) {
    self.init(
      key: key,
      help: help,
      range: range,
      get: { $0[keyPath: path] ?? 0 },
      set: { $0[keyPath: path] = $1 > 0 ? $1 : nil }
    )
  }

  /// A duration, in milliseconds.
  fileprivate init(
    _ key: String,
    _ help: String,
    _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<ServerOptions, Duration> & Sendable
  ) {
    self.init(
      key: key,
      help: "milliseconds \(help)",
      range: range,
      get: { Int($0[keyPath: path] / .milliseconds(1)) },
      set: { $0[keyPath: path] = .milliseconds($1) }
    )
  }
}

/// A mistake in the options, described in one line for the operator.
struct UsageError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
