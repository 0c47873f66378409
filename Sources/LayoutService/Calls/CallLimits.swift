// SPDX-License-Identifier: Apache-2.0

/// What clients may ask for with calls other than StreamLayout.
public struct CallLimits: Hashable, Sendable {
  /// Calls of one connection at the same time.
  public var perConnection = 100
  /// Calls of one host at the same time, over all its connections.
  public var perHost = 2000
  /// Imports of one connection at the same time.
  public var importsPerConnection = 8
  /// Imports of all clients at the same time.
  public var imports = 64
  /// Bytes that all imports under way may keep in memory, roughly.
  public var importBytes = 1 << 30
  /// Work that one connection may ask for in a second in the long run, in units of about 50 µs: a
  /// call counts 1, and more for large requests, contents and answers.
  public var workPerSecond = 10_000
  /// Work that one connection may ask for at once.
  public var workBurst = 20_000
  /// How many times as much work one host may ask for, over all its connections.
  public var workFactorPerHost = 4
  /// How long a call waits for its connection's work to be affordable again. Where that takes
  /// longer, it is refused.
  public var longestDelay: Duration = .seconds(1)
  /// For the next message of a client that is to send one.
  public var messageTimeout: Duration = .seconds(30)
  /// Bytes of one page of a listing or a query, roughly.
  public var pageBytes = 1 << 20
  /// Bytes of the default layout of a collection.
  public var defaultLayoutBytes = 256 << 10

  /// What suits a server with some hundred clients.
  public init() {}
}
