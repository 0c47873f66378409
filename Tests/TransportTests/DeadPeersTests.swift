// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import NIOCore
import NIOPosix
import Testing

@testable import LayoutService

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("Dead peers", .timeLimit(.minutes(2)))
struct DeadPeersTests {
  @Test("the kernel is told how long a peer may be silent, within what it takes")
  func options() async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0)
      .get()
    let address = try #require(listener.localAddress)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(to: address)
      .get()
    func value(_ name: CInt) async throws -> Int {
      try await channel.getOption(
        ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: name))
      ).get()
    }
    for (limit, seconds) in [
      (Duration.seconds(60), 60), (.milliseconds(1), 4), (.seconds(1 << 40), 86_400),
    ] {
      try await channel.closeWhenPeerIsDead(after: limit).get()
      #expect(try await value(TCP_USER_TIMEOUT) == seconds * 1000)
      #expect(try await value(TCP_KEEPIDLE) == min(seconds / 2, 32_767))
    }
    try await channel.close()
    try await listener.close()
  }
}
#endif
