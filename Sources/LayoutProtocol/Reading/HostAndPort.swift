// SPDX-License-Identifier: Apache-2.0

/// Where a server is: "127.0.0.1:50051", "layouts.example:443" or "[::1]:50051".
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
  /// A name or an IP address; IPv6 without brackets.
  package var host: String
  /// 1 to 65,535.
  package var port: Int

  /// Any host and port, without a check.
  package init(_ host: String, _ port: Int) { (self.host, self.port) = (host, port) }

  /// The address in the form that `init(_:)` parses.
  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// The longest name of the domain name system, which is longer than any IP address.
  private static let longestHost = 253

  /// Parses "HOST:PORT", with an IPv6 address in brackets.
  ///
  /// - Returns: nil if the host has other characters than names and addresses have, or the port is
  ///   not 1 to 65,535 in digits.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8.prefix(Self.longestHost + "[]:65535".utf8.count + 1))
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = bytes[(colon + 1)...]
    guard digits.allSatisfy(Self.isDigit),
      let port = UInt16(String(decoding: digits, as: UTF8.self)),
      port > 0
    else { return nil }
    var host = bytes[..<colon]
    let isInBrackets = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
    if isInBrackets { host = host.dropFirst().dropLast() }
    guard (1 ... Self.longestHost).contains(host.count),
      host.allSatisfy(isInBrackets ? Self.isInAddress : Self.isInName)
    else { return nil }
    (self.host, self.port) = (String(decoding: host, as: UTF8.self), Int(port))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0") ... UInt8(ascii: "9")).contains(byte)
  }

  /// Underscores are not allowed in names of hosts, but containers have them.
  private static func isInName(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a") ... UInt8(ascii: "z")).contains(byte | 0x20)
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// An IPv6 address may have a zone, as in "fe80::1%eth0".
  private static func isInAddress(_ byte: UInt8) -> Bool {
    isInName(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
  }
}
