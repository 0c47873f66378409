// SPDX-License-Identifier: Apache-2.0

import LayoutService

/// Limits of connections and calls.
extension ServerOptions {
  /// Where the server listens.
  static let ports: [Number] = [
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
  ]

  /// Connections.
  static let connections: [Number] = [
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
      "HTTP/2 frames of one connection per second; above that it is read more slowly",
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
      "maxUnreadBytesPerAddress",
      "bytes of answers that the clients of one address have not read yet",
      65_536 ... (1 << 40),
      \.service.transport.unreadBytesPerAddress
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
  ]

  /// Calls.
  static let calls: [Number] = [
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
  ]
}
