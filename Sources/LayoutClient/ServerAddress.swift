// SPDX-License-Identifier: Apache-2.0

/// Where a server listens: "HOST:PORT", with the host in brackets where it is an IPv6 address.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an address, IPv6 without brackets.
  public var host: String
  /// 1 to 65,535.
  public var port: Int

  /// The server's own default.
  public static let standard = ServerAddress(host: "127.0.0.1", port: 50051)

  /// The address of a server.
  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// nil where the text has no port within 1…65535, or no host.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1 ... 65535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  /// As `init(_:)` reads it.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
