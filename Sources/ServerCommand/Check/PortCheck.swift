// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Whether a server could listen on an address.
enum PortCheck {
  enum State: Hashable {
    case free
    /// Another program listens there.
    case taken
    /// Listening fails for this reason.
    case impossible(String)
  }

  /// - Parameter host: an address, not a name.
  static func state(host: String, port: Int) -> State {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    unsafe hints.ai_socktype = stream
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0, let info = unsafe found else {
      return .impossible("no address")
    }
    defer { unsafe freeaddrinfo(info) }
    let descriptor = unsafe socket(info.pointee.ai_family, stream, 0)
    guard descriptor >= 0 else { return .impossible(reason) }
    defer { close(descriptor) }
    // Like the server, so that connections that have just ended do not count.
    var yes: Int32 = 1
    _ = unsafe setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_REUSEADDR,
      &yes,
      socklen_t(MemoryLayout<Int32>.size)
    )
    guard unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 else {
      return errno == EADDRINUSE ? .taken : .impossible(reason)
    }
    return .free
  }

  private static var reason: String { unsafe String(cString: strerror(errno)) }

  #if canImport(Glibc)
  private static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }
  #else
  private static var stream: Int32 { SOCK_STREAM }
  #endif
}
