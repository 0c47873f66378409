// SPDX-License-Identifier: Apache-2.0

public import Logging

/// Where the admin port listens, and its limits.
public struct AdminConfiguration: Hashable, Sendable {
  /// An address of this machine, IPv4 or IPv6. Every program that can connect to it can end
  /// sessions and write backups.
  public var host = "127.0.0.1"
  /// 0 = any free port.
  public var port = 0
  /// Open connections. To accept a further one, the port closes the one that has waited longest for
  /// its client.
  public var connections = 64
  /// Bytes of the path with its query.
  public var pathBytes = 2048
  /// Bytes of all header fields of a request together, and of each.
  public var headerBytes = 16 << 10
  /// Header fields of a request.
  public var headerFields = 64
  /// Bytes of a request's body.
  public var bodyBytes = 64 << 10
  /// For a request to arrive completely, the first one counted from the beginning of the
  /// connection.
  public var request: Duration = .seconds(10)
  /// Until the next request of the same connection.
  public var idle: Duration = .seconds(75)
  /// For a client to read an answer.
  public var write: Duration = .seconds(30)
  /// The folder that backups are written to; "" = none are written.
  public var backupFolder = ""

  /// The default limits.
  public init() {}
}

/// What operators may change in the program around the server.
public struct AdminControls: Sendable {
  /// The least severe level that is logged.
  public var logLevel: @Sendable () -> Logger.Level
  /// Changes the least severe level.
  public var setLogLevel: @Sendable (Logger.Level) -> Void

  /// Controls of a program's log.
  public init(
    logLevel: @escaping @Sendable () -> Logger.Level,
    setLogLevel: @escaping @Sendable (Logger.Level) -> Void
  ) {
    self.logLevel = logLevel
    self.setLogLevel = setLogLevel
  }
}
