// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// The address of a server as "HOST:PORT". An IPv6 address is in brackets.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host name or an IP address; IPv6 without brackets.
  public var host: String
  /// 1 to 65,535.
  public var port: Int

  /// The default address of `layout-server`.
  public static let standard = ServerAddress(host: "127.0.0.1", port: 50051)

  /// Creates an address.
  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses "HOST:PORT".
  ///
  /// - Returns: nil if the host has other characters than names and addresses have, an IPv6 address
  ///   has no brackets, or there is no port within 1…65535.
  public init?(_ text: String) {
    guard let place = HostAndPort(text) else { return nil }
    self.init(host: place.host, port: place.port)
  }

  /// The address in the form that `init(_:)` parses.
  public var description: String { HostAndPort(host, port).description }
}
