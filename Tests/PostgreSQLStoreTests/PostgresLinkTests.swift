// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Glibc
import NIOCore
import NIOPosix
import StoreTesting
import Synchronization
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

  @Test("each failed attempt begins with the next host, with its own port and address")
  func turned() throws {
    let url = "postgresql://a@one:1,two:2,three:3/b?hostaddr=10.0.0.1,10.0.0.2,10.0.0.3"
    let target = try #require(ConnectionTarget(url: url))
    func options(_ turns: Int) -> [String] {
      target.hosts(turnedBy: turns).map { "\($0.keyword)=\($0.value)" }
    }
    #expect(
      options(1) == ["host=two,three,one", "hostaddr=10.0.0.2,10.0.0.3,10.0.0.1", "port=2,3,1"]
    )
    #expect(options(3) == options(0))
    let alike = try #require(ConnectionTarget(url: "host=one,two port=5432"))
    #expect(alike.hosts(turnedBy: 1).map(\.value) == ["two,one", "5432"])
    let single = try #require(ConnectionTarget(url: "postgresql://a@one/b"))
    #expect(single.hosts(turnedBy: 1).isEmpty)
  }

  @Test(
    "hosts that accept connections and then say nothing are passed over for the next one",
    .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed")
  )
  func silentHosts() async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let folder = try PostgresInstance.shared().folder
    var setup = ConnectionDriver.Setup(
      url: "host=127.0.0.1,127.0.0.1,\(folder) port=\(port),\(port),5432 dbname=postgres "
        + "user=layout",
      statements: [Statement("SELECT current_setting('transaction_read_only')")]
    )
    setup.timing.connect = .milliseconds(1500)
    let attempts = Mutex(0)
    setup.report = { _ in attempts.withLock { $0 += 1 } }
    let connection = try PostgresConnection(setup, name: "test")
    let answers = try await connection.perform(Exchange(Statement("SELECT 7::bigint")))
    #expect(try answers.first?.rows.first?.integer(0) == 7)
    #expect(attempts.withLock { $0 } == 3)
    // A connection that is lost is made again by the attempt that worked, with the same host first.
    let end = Statement("SELECT pg_terminate_backend(pg_backend_pid())")
    await #expect(throws: (any Error).self) { try await connection.perform(Exchange(end)) }
    _ = try await connection.perform(Exchange(Statement("SELECT 7::bigint")))
    #expect(attempts.withLock { $0 } == 5)
    connection.close {}
    try await listener.close()
  }

  @Test("what the URL says goes first")
  func overridden() throws {
    #expect(try options("tcp_user_timeout=3000&keepalives_idle=60") == [3000, 60, 2, 3])
  }
}
#endif
