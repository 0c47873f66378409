// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutEngine
import LayoutService
import Logging

/// Everything that the command line, the environment and the configuration file may say.
struct ServerOptions: Sendable {
  var host = "127.0.0.1"
  var port = 50051
  var store = Store.sqlite
  /// Relative to the directory that the server was started in.
  var storePath = "layout-server.sqlite"
  var logLevel = Logger.Level.info
  var service = ServiceConfiguration()

  /// Where collections are kept.
  enum Store: String, CaseIterable, Sendable {
    case sqlite
    case memory
  }

  /// One whole number that can be set.
  struct Number: Sendable {
    /// As in the file: "maxSessions". The flag is "--max-sessions", the variable
    /// "LAYOUT_SERVER_MAX_SESSIONS".
    var key: String
    var help: String
    var range: ClosedRange<Int>
    var get: @Sendable (ServerOptions) -> Int
    var set: @Sendable (inout ServerOptions, Int) -> Void
  }

  static let textKeys: [(key: String, help: String)] = [
    ("host", "address to listen on, IPv4 or IPv6"),
    ("store", "where collections are kept: sqlite, or memory, which ends with the server"),
    ("storePath", "the file of --store sqlite; made if there is none"),
    ("logLevel", "trace, debug, info, notice, warning, error or critical"),
    (
      "resumeSecret",
      "signs resume tokens, for servers that share them; without it the store keeps a secret. "
        + "Better in the environment"
    ),
    ("config", "a JSON file with these options, keys in camelCase"),
  ]

  static let numbers: [Number] = [
    Number("port", "port to listen on, 0 = any that is free", 0 ... 65_535, \.port),
    Number("maxSessions", "open streams", 1 ... 1_000_000, \.service.limits.sessions),
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
      "maxElementsPerFrame",
      "elements in one frame",
      1 ... 1_000_000,
      \.service.limits.elementsPerFrame
    ),
    Number(
      "maxElementsPerQuery",
      "elements in the rect of one query",
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
      "events of one stream in a second",
      1 ... 100_000,
      \.service.limits.eventsPerSecond
    ),
    Number(
      "maxEventBurst",
      "events of one stream at once",
      1 ... 1_000_000,
      \.service.limits.eventBurst
    ),
    Number(
      "maxWaitingEvents",
      "events of one stream that wait",
      1 ... 10_000,
      \.service.limits.waitingEvents
    ),
    Number(
      "maxServerBytes",
      "bytes that clients may make the server keep in memory, all together",
      (1 << 20) ... (1 << 44),
      \.service.memory.server
    ),
    Number(
      "maxPeerBytes",
      "bytes that one machine may make it keep, over all its connections",
      (1 << 20) ... (1 << 44),
      \.service.memory.peer
    ),
    Number(
      "maxConnectionBytes",
      "bytes that one connection may make it keep",
      (1 << 20) ... (1 << 44),
      \.service.memory.connection
    ),
    Number(
      "maxSessionBytes",
      "bytes that one session or other call may make it keep",
      (1 << 20) ... (1 << 44),
      \.service.memory.session
    ),
    Number(
      "maxCollectionBytes",
      "bytes of one collection and its history",
      (1 << 20) ... (1 << 44),
      \.service.memory.collection
    ),
    Number(
      "maxWaitingEventBytes",
      "bytes in memory of the events of one stream that wait",
      1 ... (1 << 40),
      \.service.limits.waitingEventBytes
    ),
    Number("maxCollections", "collections", 1 ... 10_000_000, \.service.store.collectionCount),
    Number(
      "residentBytes",
      "bytes of all collections in memory; unused ones leave first, then requests are refused",
      (1 << 20) ... (1 << 44),
      \.service.store.residentBytes
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
      "batches that each collection keeps",
      0 ... 1_000_000,
      \.service.store.historyCount
    ),
    Number(
      "historyBytes",
      "bytes of batches that each collection keeps",
      0 ... (1 << 40),
      \.service.store.historyBytes
    ),
    Number(
      "cacheBytes",
      "bytes of prepared layouts that are kept",
      0 ... (1 << 44),
      \.service.engine.byteLimit
    ),
    Number(
      "layoutThreads",
      "threads for large layouts",
      1 ... 1024,
      \.service.engine.threadCount
    ),
    Number(
      "maxStreamsPerConnection",
      "calls at once on one connection",
      1 ... 1_000_000,
      \.service.transport.streamsPerConnection
    ),
    Number("maxConnections", "open connections", 1 ... 1_000_000, \.service.transport.connections),
    Number(
      "maxConnectionsPerAddress",
      "open connections of one address",
      1 ... 1_000_000,
      \.service.transport.connectionsPerAddress
    ),
    Number(
      "maxNewConnectionsPerAddress",
      "connections that one address may open in 10 s",
      1 ... 1_000_000,
      \.service.transport.newConnectionsPerAddress
    ),
    Number(
      "maxFramesPerSecond",
      "frames other than DATA of one connection in a second; beyond them it is slowed down",
      100 ... 10_000_000,
      \.service.transport.framesPerSecond
    ),
    Number(
      "maxResetsPerAddress",
      "calls that one address may reset in 30 s",
      1 ... 10_000_000,
      \.service.transport.resetsPerAddress
    ),
    Number(
      "maxUnfinishedBytes",
      "bytes of messages that have not arrived whole, of all connections",
      65_536 ... (1 << 40),
      \.service.transport.unfinishedBytes
    ),
    Number(
      "maxUnfinishedBytesPerConnection",
      "bytes of messages that have not arrived whole, of one connection",
      65_536 ... (1 << 40),
      \.service.transport.unfinishedBytesPerConnection
    ),
    Number(
      "maxUnreadBytes",
      "bytes of answers that wait to be read, of all connections",
      65_536 ... (1 << 40),
      \.service.transport.unreadBytes
    ),
    Number(
      "maxUnreadBytesPerConnection",
      "bytes of answers that wait to be read, of one connection",
      65_536 ... (1 << 40),
      \.service.transport.unreadBytesPerConnection
    ),
    Number(
      "windowBytes",
      "bytes that clients may send ahead",
      65_535 ... (1 << 30),
      \.service.transport.windowBytes
    ),
    Number(
      "maxPings",
      "PINGs of one connection in 30 s",
      1 ... 1_000_000,
      \.service.transport.pings
    ),
    Number(
      "greetingTimeoutMs",
      "for a connection to begin as HTTP/2 does",
      1 ... 3_600_000,
      \.service.transport.greeting
    ),
    Number(
      "firstCallTimeoutMs",
      "for the first call of a connection",
      1 ... 86_400_000,
      \.service.transport.firstCall
    ),
    Number(
      "idleTimeoutMs",
      "that a connection may be without calls",
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
      "for a request to arrive whole, and for the next message of an import",
      1 ... 3_600_000,
      \.service.transport.request
    ),
    Number(
      "openTimeoutMs",
      "for the first request of a stream",
      1 ... 3_600_000,
      \.service.timing.open
    ),
    Number(
      "writeTimeoutMs",
      "for one write to a client that does not read",
      1 ... 3_600_000,
      \.service.timing.write
    ),
    Number(
      "slowNoticeMs",
      "that frames may wait for an acknowledgement until the client is told that it is slow",
      1 ... 3_600_000,
      \.service.timing.slowNotice
    ),
    Number(
      "slowTimeoutMs",
      "that they may wait until the stream ends",
      1 ... 3_600_000,
      \.service.timing.slowEnd
    ),
    Number("waitTimeoutMs", "for a version to come", 1 ... 3_600_000, \.service.timing.longestWait),
    Number(
      "watchIntervalMs",
      "between signs of life of watched updates",
      1 ... 3_600_000,
      \.service.timing.watchInterval
    ),
    Number(
      "reconnectSpreadMs",
      "over which clients come back",
      0 ... 3_600_000,
      \.service.timing.reconnectSpread
    ),
    Number(
      "resumeGraceMs",
      "that sessions of shared collections outlive their streams",
      0 ... 86_400_000,
      \.service.resume.grace
    ),
    Number(
      "privateResumeGraceMs",
      "that sessions of private contents outlive their streams",
      0 ... 86_400_000,
      \.service.resume.privateGrace
    ),
    Number(
      "maxDetachedSessions",
      "sessions without a stream",
      0 ... 10_000_000,
      \.service.resume.sessions
    ),
    Number(
      "maxDetachedBytes",
      "bytes of sessions without a stream",
      0 ... (1 << 44),
      \.service.resume.bytes
    ),
    Number(
      "shutdownTimeoutMs",
      "for streams to end on SIGTERM",
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

/// Something that the operator got wrong, in one line.
struct UsageError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
