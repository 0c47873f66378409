// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import PostgreSQLStore

@Suite("Connections of libpq", .timeLimit(.minutes(1)))
struct PostgresLinkTests {
  /// The options of a socket that is connecting to a port where somebody listens and says nothing.
  private func options(_ suffix: String) throws -> [Int32] {
    let listener = try ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).wait()
    defer { try? listener.close().wait() }
    let port = try #require(listener.localAddress?.port)
    let link = try #require(PostgresLink(url: "postgresql://a@127.0.0.1:\(port)/b?\(suffix)"))
    while link.socket < 0, case .waits = link.poll() {}
    let names = [TCP_USER_TIMEOUT, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT]
    return names.map { name in
      var value: Int32 = -1
      var size = socklen_t(MemoryLayout<Int32>.size)
      _ = unsafe getsockopt(link.socket, Int32(IPPROTO_TCP), name, &value, &size)
      return value
    }
  }

  @Test("connections whose packets vanish are given up after ten seconds")
  func defaults() throws { #expect(try options("") == [10_000, 5, 2, 3]) }

  @Test("what the URL says goes first")
  func overridden() throws {
    #expect(try options("tcp_user_timeout=3000&keepalives_idle=60") == [3000, 60, 2, 3])
  }
}
#endif
