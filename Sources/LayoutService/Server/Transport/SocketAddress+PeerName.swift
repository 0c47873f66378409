// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

extension SocketAddress? {
  /// In gRPC's form: "ipv4:10.0.0.7:51234", "ipv6:[2001:db8::7]:51234".
  var peerName: String {
    guard let self, let host = self.ipAddress, let port = self.port else { return "unix:" }
    return host.contains(":") ? "ipv6:[\(host)]:\(port)" : "ipv4:\(host):\(port)"
  }
}
