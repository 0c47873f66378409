// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import LayoutService

@Suite("PingGuard")
struct PingGuardTests {
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private static func frame(type: UInt8, flags: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
      + [0, 0, 0, 1] + payload
  }

  private static func ping(_ number: UInt8, isAnswer: Bool = false) -> [UInt8] {
    var bytes = frame(type: 6, flags: isAnswer ? 1 : 0, Array(repeating: number, count: 8))
    bytes[8] = 0
    return bytes
  }

  /// Everything that can be read, in one piece.
  private static func all(_ next: () throws -> ByteBuffer?) rethrows -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try next() { bytes += Array(buffer.readableBytesView) }
    return bytes
  }

  private func channel(budget: Int) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: PingGuard(budget: budget, period: .hours(1)))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  @Test(
    "answers PINGs and lets everything else pass as it is, however it arrives in pieces",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func pieces(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var input = Self.preface
    var passing = Self.preface
    var answers: [UInt8] = []
    for number in 0 ..< 30 as Range<UInt8> {
      switch Int.random(in: 0 ..< 4, using: &random) {
      case 0, 1:
        input += Self.ping(number)
        answers += Self.ping(number, isAnswer: true)
      case 2:
        // What looks like a PING inside of another frame is none.
        let frame = Self.frame(
          type: UInt8.random(in: 0 ... 5, using: &random),
          Self.ping(number)
            + [UInt8](repeating: 6, count: Int.random(in: 0 ... 300, using: &random))
        )
        input += frame
        passing += frame
      default:
        let answer = Self.ping(number, isAnswer: true)
        input += answer
        passing += answer
      }
    }
    let channel = try channel(budget: 100)
    let longest = [1, 3, 17, 64, 1000][Int(seed % 5)]
    while !input.isEmpty {
      let count = min(input.count, Int.random(in: 1 ... longest, using: &random))
      try channel.writeInbound(ByteBuffer(bytes: input.prefix(count)))
      input.removeFirst(count)
    }
    #expect(try Self.all { try channel.readInbound(as: ByteBuffer.self) } == passing)
    #expect(try Self.all { try channel.readOutbound(as: ByteBuffer.self) } == answers)
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test("closes a connection whose PINGs are beyond all measure")
  func flood() throws {
    let channel = try channel(budget: 10)
    try channel.writeInbound(ByteBuffer(bytes: Self.preface))
    for number in 0 ..< 10 as Range<UInt8> {
      try channel.writeInbound(ByteBuffer(bytes: Self.ping(number)))
    }
    #expect(channel.isActive)
    try channel.writeInbound(ByteBuffer(bytes: Self.ping(10)))
    #expect(!channel.isActive)
    let answers = try Self.all { try channel.readOutbound(as: ByteBuffer.self) }
    #expect(answers.count == 10 * Self.ping(0).count)
  }
}
