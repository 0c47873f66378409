// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The machine at the client's end of a connection, which all its connections share.
enum PeerHost {
  /// The machine of an address as gRPC writes it.
  ///
  /// - Parameter peer: "ipv4:10.0.0.7:51234", "ipv6:[2001:db8::7]:51234".
  /// - Returns: "ipv4:10.0.0.7". Of IPv6 addresses the first 64 bits, "ipv6:[2001:db8::]/64": that is
  ///   what one client has for itself. Whatever has no port, such as the socket of a file, is its own
  ///   host.
  static func host(of peer: String) -> String {
    guard peer.hasPrefix("ipv4:") || peer.hasPrefix("ipv6:"), let colon = peer.lastIndex(of: ":"),
      peer[..<colon].contains(":")
    else { return peer }
    let host = peer[..<colon]
    return network(of: host) ?? String(host)
  }

  /// nil for all but IPv6 addresses of a network.
  private static func network(of host: Substring) -> String? {
    guard host.hasPrefix("ipv6:["), host.hasSuffix("]") else { return nil }
    // "fe80::1%eth0": the interface is no part of the address.
    let text = host.dropFirst(6).dropLast().prefix { $0 != "%" }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(AF_INET6, String(text), &bytes) == 1 else { return nil }
    return PeerAddress(ipv6: bytes[...]).text
  }
}
