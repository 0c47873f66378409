// SPDX-License-Identifier: Apache-2.0

/// The limits of calls other than StreamLayout.
public struct CallLimits: Hashable, Sendable {
  /// Concurrent calls of one connection.
  public var perConnection = 100
  /// Concurrent calls of one host, over all its connections.
  public var perHost = 2000
  /// Concurrent imports of one connection.
  public var importsPerConnection = 8
  /// Concurrent imports of all clients.
  public var imports = 64
  /// Bytes that all running imports may keep in memory, roughly.
  public var importBytes = 1 << 30
  /// Work that one connection may request per second in the long run, in units of about 50 µs: a
  /// call counts 1, and more for large requests, contents and answers.
  public var workPerSecond = 10_000
  /// Work that one connection may request at once.
  public var workBurst = 20_000
  /// How many times as much work one host may request, over all its connections.
  public var workFactorPerHost = 4
  /// How long a call waits until its connection may request work again. A call that would wait
  /// longer is refused.
  public var longestDelay: Duration = .seconds(1)
  /// How long a client may take to send the next message of a call.
  public var messageTimeout: Duration = .seconds(30)
  /// The size of one page of a listing or a query in bytes, roughly.
  public var pageBytes = 1 << 20
  /// The largest default layout of a collection, and named layout, in bytes when encoded.
  public var defaultLayoutBytes = 256 << 10

  /// Creates limits for a server with some hundred clients.
  public init() {}
}
