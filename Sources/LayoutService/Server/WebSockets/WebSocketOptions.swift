// SPDX-License-Identifier: Apache-2.0

/// The server cannot listen at the address of its `WebSocketOptions`.
public struct CannotListenForWebSockets: Error, CustomStringConvertible {
  /// The system's error message.
  public let reason: String

  /// The system's error message.
  public var description: String { reason }
}

/// Where and for whom a server accepts WebSockets, each of which is one call.
public struct WebSocketOptions: Hashable, Sendable {
  /// An address of this machine, IPv4 or IPv6.
  public var host: String
  /// The port; 0 = any free one.
  public var port: Int
  /// Origins whose pages may connect, such as "https://example.com"; "*" = any. Always allowed are
  /// pages that the same address serves under a literal address or localhost, and programs other
  /// than browsers.
  public var origins: Set<String>

  /// Creates options; by default any free port of this machine, for its own pages.
  public init(host: String = "127.0.0.1", port: Int = 0, origins: Set<String> = []) {
    self.host = host
    self.port = port
    self.origins = origins
  }
}
