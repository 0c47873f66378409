// SPDX-License-Identifier: Apache-2.0

/// The server cannot listen where `WebSocketOptions` say.
public struct CannotListenForWebSockets: Error, CustomStringConvertible {
  /// What the system says.
  public let reason: String

  /// The reason.
  public var description: String { reason }
}

/// Where and for whom a server accepts WebSockets, each of which is one call.
public struct WebSocketOptions: Hashable, Sendable {
  /// An address of this machine, IPv4 or IPv6.
  public var host: String
  /// 0 = any free port.
  public var port: Int
  /// Origins whose pages may connect, such as "https://example.com"; "*" = those of all. Pages that the same
  /// address serves under a literal address or localhost, and programs that are no browser, always may.
  public var origins: Set<String>

  /// Options; by default any free port of this machine, for its own pages.
  public init(host: String = "127.0.0.1", port: Int = 0, origins: Set<String> = []) {
    self.host = host
    self.port = port
    self.origins = origins
  }
}
