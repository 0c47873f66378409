// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The header `Host` of HTTP/1.1.
package enum HostHeader {
  /// Whether a value names an address or localhost, with or without a port. Any other name may be
  /// an attacker's that resolves to this machine (DNS rebinding).
  package static func isAddress(_ value: String) -> Bool {
    if value.hasPrefix("[") {
      guard let end = value.firstIndex(of: "]"), isPort(value[end...].dropFirst()) else {
        return false
      }
      guard case .v6 = address(value[..<end].dropFirst()) else { return false }
      return true
    }
    let name = value.prefix { $0 != ":" }
    guard isPort(value[name.endIndex...]) else { return false }
    if name.lowercased() == "localhost" { return true }
    guard case .v4 = address(name) else { return false }
    return true
  }

  /// Whether a request names no host, an address, or localhost. Other names may be anybody's.
  ///
  /// - Parameter values: those of the header `Host`.
  package static func isLocal(_ values: [String]) -> Bool {
    guard let host = values.first, !host.isEmpty else { return values.count <= 1 }
    return values.count == 1 && isAddress(host)
  }

  /// Whether a text is empty, or a colon and a port number.
  private static func isPort(_ text: Substring) -> Bool {
    guard let colon = text.first else { return true }
    let digits = text.dropFirst().utf8
    return colon == ":" && (1 ... 5).contains(digits.count)
      && digits.allSatisfy { (UInt8(ascii: "0") ... UInt8(ascii: "9")).contains($0) }
      && UInt16(text.dropFirst()) != nil
  }

  private static func address(_ text: Substring) -> SocketAddress? {
    try? SocketAddress(ipAddress: String(text), port: 0)
  }
}
