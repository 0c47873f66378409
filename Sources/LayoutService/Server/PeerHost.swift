// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The machine at the client's end of a connection.
enum PeerHost {
  /// The machine of a client's address.
  ///
  /// - Parameter peer: an address in gRPC's form: "ipv4:10.0.0.7:51234",
  ///   "ipv6:[2001:db8::7]:51234".
  /// - Returns: "ipv4:10.0.0.7". For IPv6 addresses the first 64 bits, "ipv6:[2001:db8::]/64", the
  ///   network that one client has for itself. An address without a port, such as a socket file, is
  ///   returned as it is.
  static func host(of peer: String) -> String {
    guard peer.hasPrefix("ipv4:") || peer.hasPrefix("ipv6:"), let colon = peer.lastIndex(of: ":"),
      peer[..<colon].contains(":")
    else { return peer }
    let host = peer[..<colon]
    return network(of: host) ?? String(host)
  }

  /// nil = not an IPv6 address of a network.
  private static func network(of host: Substring) -> String? {
    guard host.hasPrefix("ipv6:["), host.hasSuffix("]") else { return nil }
    // In "fe80::1%eth0" the interface does not belong to the address.
    let text = host.dropFirst(6).dropLast().prefix { $0 != "%" }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(AF_INET6, String(text), &bytes) == 1 else { return nil }
    return PeerAddress(ipv6: bytes[...]).text
  }
}
