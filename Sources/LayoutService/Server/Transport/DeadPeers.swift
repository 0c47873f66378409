// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension Channel {
  /// Closes the connection when the peer's machine has not answered for this long, whether there is
  /// unsent data (RFC 5482) or not (RFC 9293 §3.8.4).
  ///
  /// PINGs of HTTP/2 are no help: a connection that does not answer them is only asked to go.
  func closeWhenPeerIsDead(after limit: Duration) -> EventLoopFuture<Void> {
    #if canImport(Glibc) || canImport(Musl)
    let seconds = Int(clamping: min(max(4, limit.components.seconds), 86_400))
    let options: [(level: NIOBSDSocket.OptionLevel, name: CInt, value: Int)] = [
      (.tcp, TCP_USER_TIMEOUT, seconds * 1000), (.tcp, TCP_KEEPIDLE, min(seconds / 2, 32_767)),
      (.tcp, TCP_KEEPINTVL, max(1, seconds / 8)), (.tcp, TCP_KEEPCNT, 4),
      (.socket, SO_KEEPALIVE, 1),
    ]
    let set = options.map { option in
      setOption(
        ChannelOptions.Types.SocketOption(
          level: option.level,
          name: NIOBSDSocket.Option(rawValue: option.name)
        ),
        value: option.value
      )
    }
    return EventLoopFuture.andAllSucceed(set, on: eventLoop)
    #else
    return setOption(.socketOption(.so_keepalive), value: 1)
    #endif
  }
}
