// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP2

@testable import LayoutService

extension TransportGuard {
  static func sample(
    messageBytes: Int = 1000,
    _ change: (inout TransportLimits) -> Void = { _ in },
    turn: @escaping CallTurns.Turn = { loop, body in loop.execute(body) }
  ) -> TransportGuard {
    var limits = TransportLimits()
    change(&limits)
    return TransportGuard(
      limits: limits,
      messageBytes: messageBytes,
      write: .seconds(10),
      methods: LayoutServices.methods,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      turn: turn
    )
  }
}

extension Peer {
  /// An address without limits of its own.
  static func sample() -> Peer {
    let most = TokenBucket(perSecond: 1_000_000)
    return Peer(
      address: PeerAddress(nil),
      use: Use(newConnections: most, frames: most, resets: most)
    )
  }
}

/// Frames, as bytes.
enum Frames {
  static let greeting = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func frame(
    type: UInt8,
    flags: UInt8 = 0,
    stream: UInt8 = 1,
    _ payload: [UInt8] = []
  ) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
      + [0, 0, 0, stream] + payload
  }

  static func ping(_ number: UInt8, isAnswer: Bool = false) -> [UInt8] {
    var bytes = frame(type: 6, flags: isAnswer ? 1 : 0, Array(repeating: number, count: 8))
    bytes[8] = 0
    return bytes
  }

  static func goAway(_ error: UInt8) -> [UInt8] {
    frame(type: 7, [0x7f, 255, 255, 255, 0, 0, 0, error])
  }

  /// Everything that can be read, in one piece.
  static func all(_ next: () throws -> ByteBuffer?) rethrows -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try next() { bytes += Array(buffer.readableBytesView) }
    return bytes
  }
}

extension EmbeddedChannel {
  /// A connection that is open.
  static func connection(_ handler: any ChannelHandler) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: handler)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  /// Adds HTTP/2 behind a guard. Its calls read only when they are told.
  ///
  /// - Parameter handler: makes the handler of a new call, given its channel.
  func addHTTP2(
    behind connection: ConnectionGuard,
    _ handler: @escaping (any Channel) -> any ChannelHandler
  ) throws {
    let parts = NIOLoopBound((connection, handler), eventLoop: eventLoop)
    _ = try pipeline.syncOperations.configureHTTP2Pipeline(
      mode: .server,
      connectionConfiguration: .init(),
      streamConfiguration: .init(),
      inboundStreamInitializer: { stream in
        stream.eventLoop.makeCompletedFuture {
          try stream.syncOptions?.setOption(.autoRead, value: false)
          let (connection, handler) = parts.value
          try stream.pipeline.syncOperations.addHandler(StreamGuard(connection: connection))
          try stream.pipeline.syncOperations.addHandler(handler(stream))
        }
      }
    )
  }

  /// Takes bytes, and all turns that they need.
  func receive(_ bytes: [UInt8]) throws {
    try writeInbound(ByteBuffer(bytes: bytes))
    for _ in 0 ..< 64 { runRound() }
  }

  /// Runs what is ready, and what waits for the next round of the loop.
  func runRound() { embeddedEventLoop.advanceTime(by: .microseconds(20)) }

  func passed() throws -> [UInt8] { try Frames.all { try readInbound(as: ByteBuffer.self) } }
  func sent() throws -> [UInt8] { try Frames.all { try readOutbound(as: ByteBuffer.self) } }
}
