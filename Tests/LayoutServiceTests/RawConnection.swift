// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An HTTP/2 connection that makes calls and can be torn down as when a machine goes away: no
/// RST_STREAM, no GOAWAY.
struct RawConnection {
  private let descriptor: CInt

  /// - Parameters:
  ///   - message: of each call, serialized; less than 256 bytes.
  ///   - calls: how many calls to make, at most 100.
  ///   - resets: whether each call is followed by an RST_STREAM, in the same write.
  init?(port: Int, path: String, message: [UInt8], calls: Int = 1, resets: Bool = false) {
    #if canImport(Darwin) || canImport(Musl)
    let kind = SOCK_STREAM
    #else
    let kind = CInt(SOCK_STREAM.rawValue)
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { return nil }
    let headers = [
      (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "test"),
      ("content-type", "application/grpc"), ("te", "trailers"),
    ]
    // Literal fields without indexing.
    var block: [UInt8] = []
    for (name, value) in headers { block += [0] + Self.string(name) + Self.string(value) }
    let body: [UInt8] = [0, 0, 0, 0, UInt8(message.count)] + message
    var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    bytes += Self.frame(type: 4, flags: 0, stream: 0, [])
    for stream in (0 ..< calls).map({ UInt8(2 * $0 + 1) }) {
      bytes += Self.frame(type: 1, flags: 4, stream: stream, block)
      bytes += Self.frame(type: 0, flags: 1, stream: stream, body)
      if resets { bytes += Self.frame(type: 3, flags: 0, stream: stream, [0, 0, 0, 8]) }
    }
    guard write(descriptor, bytes, bytes.count) == bytes.count else { return nil }
  }

  /// Sends a TCP RST.
  func tearDown() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout.size(ofValue: linger))
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
    close(descriptor)
  }

  private static func string(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private static func frame(
    type: UInt8,
    flags: UInt8,
    stream: UInt8,
    _ payload: [UInt8]
  ) -> [UInt8] {
    [0, UInt8(payload.count / 256), UInt8(payload.count % 256), type, flags, 0, 0, 0, stream]
      + payload
  }
}
