// SPDX-License-Identifier: Apache-2.0

import NIOCore
import TestSupport
import Testing

@testable import LayoutService

@Suite("TokenBucket", .timeLimit(.minutes(1)))
struct TokenBucketTests {
  @Test("allows what a bucket of tokens allows", arguments: 1 ... 20 as ClosedRange<UInt64>)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let (tokens, period) = (random.int(1 ... 50), Int64(random.int(1 ... 100)) * 1_000_000)
    let cost = period / Int64(tokens)
    var bucket = TokenBucket(tokens: tokens, period: .nanoseconds(period))
    // The rule, written down: a level that sinks with time and rises with events.
    var (level, last) = (0 as Int64, 1_000_000_000 as Int64)
    for _ in 0 ..< 500 {
      let now = last + Int64(random.below(Int(cost) * 4))
      let count = random.below(tokens / 2 + 2)
      level = min(max(0, level - (now - last)) + cost * Int64(count), 2 * period)
      last = now
      let time = NIODeadline.uptimeNanoseconds(UInt64(now))
      #expect(bucket.take(count, at: time) == (level <= period))
      let wait = bucket.wait(at: time).nanoseconds
      #expect(wait == max(0, level + cost - period) || level == 0)
    }
  }

  @Test("numbers of any size are within its arithmetic")
  func extremes() {
    var bucket = TokenBucket(tokens: .max, period: .seconds(30))
    let one = bucket.take(1, at: .distantFuture)
    #expect(one)
    var small = TokenBucket(tokens: 0, period: .zero)
    let all = [NIODeadline.uptimeNanoseconds(0), .distantFuture].map { small.take(.max, at: $0) }
    #expect(all == [false, false])
  }
}

@Suite("PeerTable", .timeLimit(.minutes(1)))
struct PeerTableTests {
  private func address(_ text: String) throws -> PeerAddress {
    PeerAddress(try SocketAddress(ipAddress: text, port: 1))
  }

  @Test("an IPv6 network counts as one address, and IPv4 is the same on both kinds of socket")
  func addresses() throws {
    #expect(try address("2001:db8::1") == address("2001:db8::ffff:1"))
    #expect(try address("2001:db8::1") != address("2001:db8:0:1::1"))
    #expect(try address("::ffff:10.1.2.3") == address("10.1.2.3"))
    #expect(try address("10.1.2.3") != address("10.1.2.4"))
    #expect(try address("::1") != address("0.0.0.1"))
    #expect(PeerAddress(nil) == PeerAddress(try SocketAddress(unixDomainSocketPath: "/a")))
  }

  @Test("refuses what is too much, and says what")
  func refusals() throws {
    var limits = TransportLimits()
    limits.connectionsPerAddress = 2
    limits.newConnectionsPerAddress = 4
    let table = PeerTable(limits: limits)
    let (here, now) = (try address("10.0.0.1"), NIODeadline.uptimeNanoseconds(1_000_000_000_000))
    let first = try table.admit(here, at: now).get()
    _ = try table.admit(here, at: now).get()
    #expect(throws: PeerTable.Refusal.tooManyConnections) { try table.admit(here, at: now).get() }
    table.release(first)
    _ = try table.admit(here, at: now).get()
    #expect(throws: PeerTable.Refusal.connectsTooOften) { try table.admit(here, at: now).get() }
    _ = try table.admit(try address("10.0.0.2"), at: now).get()
    first.withUse { _ = $0.resets.take(limits.resetsPerAddress + 1, at: now + .seconds(20)) }
    #expect(throws: PeerTable.Refusal.resetsTooOften) {
      try table.admit(here, at: now + .seconds(20)).get()
    }
  }

  @Test("remembers no more addresses than twice the connections that are allowed")
  func bounded() throws {
    var limits = TransportLimits()
    limits.connections = 1024
    let table = PeerTable(limits: limits)
    let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    var kept: [Peer] = []
    for number in 0 ..< 10_000 {
      let peer = try table.admit(
        address("10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"),
        at: now
      ).get()
      if number % 20 == 0 { kept.append(peer) } else { table.release(peer) }
    }
    #expect(table.count <= 2049)
    // Those with connections are all known.
    let again = try table.admit(address("10.0.0.0"), at: now).get()
    #expect(again === kept[0])
  }
}

@Suite("MessageMeter", .timeLimit(.minutes(1)))
struct MessageMeterTests {
  @Test(
    "counts messages, however they arrive in pieces",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func pieces(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (bytes, ends): ([UInt8], [Int]) = ([], [])
    for _ in 0 ..< random.below(30) {
      let length = random.chance(30) ? 0 : random.below(600)
      bytes += [0, 0, 0, UInt8(length >> 8), UInt8(length & 255)]
      bytes += (0 ..< length).map { _ in UInt8(random.below(256)) }
      ends.append(bytes.count)
    }
    bytes += Array(repeating: 0, count: random.below(5))
    var meter = MessageMeter(limit: 600)
    var position = 0
    while position < bytes.count {
      let count = min(bytes.count - position, random.int(1 ... [1, 4, 7, 1000][Int(seed % 4)]))
      try meter.read(ByteBuffer(bytes: bytes[position ..< position + count]))
      position += count
      let whole = ends.filter { $0 <= position }
      #expect(meter.messageCount == whole.count)
      #expect(meter.unfinishedBytes == position - (whole.last ?? 0))
    }
  }

  @Test("finds compressed messages by their first byte", arguments: [1, 2, 255] as [UInt8])
  func compressed(flag: UInt8) throws {
    var meter = MessageMeter(limit: 600)
    try meter.read(ByteBuffer(bytes: [0, 0, 0, 0, 1, flag]))
    #expect(throws: MessageMeter.Fault.compressed(flag: flag)) {
      try meter.read(ByteBuffer(bytes: [flag]))
    }
  }

  @Test("finds messages that are too large by their prefix", arguments: [0, 1, 600, 1 << 24])
  func limit(limit: Int) throws {
    func prefix(_ length: UInt32) -> ByteBuffer {
      var buffer = ByteBuffer(integer: UInt8(0))
      buffer.writeInteger(length)
      return buffer
    }
    var meter = MessageMeter(limit: limit)
    try meter.read(prefix(UInt32(limit)))
    var other = MessageMeter(limit: limit)
    #expect(throws: MessageMeter.Fault.tooLarge(found: limit + 1)) {
      try other.read(prefix(UInt32(limit + 1)))
    }
    var largest = MessageMeter(limit: limit)
    #expect(throws: MessageMeter.Fault.tooLarge(found: Int(UInt32.max))) {
      try largest.read(prefix(.max))
    }
  }
}
