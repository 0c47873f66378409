// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import LayoutService

@Suite("ConnectionGuard", .timeLimit(.minutes(1)))
struct ConnectionGuardTests {
  @Test(
    "answers PINGs and lets everything else pass as it is, however it arrives in pieces",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func pieces(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var input = Frames.greeting
    var passing = Frames.greeting
    var answers: [UInt8] = []
    for number in 0 ..< 40 as Range<UInt8> {
      switch random.below(4) {
      case 0, 1:
        input += Frames.ping(number)
        answers += Frames.ping(number, isAnswer: true)
      case 2:
        // What looks like a PING inside of another frame is none.
        let frame = Frames.frame(
          type: UInt8(random.below(6)),
          Frames.ping(number) + [UInt8](repeating: 6, count: random.below(300))
        )
        input += frame
        passing += frame
      default:
        let frame =
          random.chance(50) ? Frames.ping(number, isAnswer: true) : Frames.frame(type: 6, [1, 2])
        input += frame
        passing += frame
      }
    }
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    let longest = [1, 3, 8, 17, 64, 1000][Int(seed % 6)]
    while !input.isEmpty {
      let count = min(input.count, random.int(1 ... longest))
      try channel.receive(Array(input.prefix(count)))
      input.removeFirst(count)
    }
    #expect(try channel.passed() == passing)
    #expect(try channel.sent() == answers)
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test(
    "after the goodbye only the HEADERS of new calls pass, however they arrive in pieces",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func refusedCalls(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    try channel.receive(Frames.greeting + Frames.frame(type: 1, stream: 7, [1, 2, 3]))
    // Calls that begin before a goodbye belong to it, and one of several has a higher number.
    try channel.receive(Frames.frame(type: 1, stream: 5, [1]))
    _ = try channel.passed()
    try channel.writeOutbound(ByteBuffer(bytes: Frames.goAway(0)))
    _ = try channel.sent()

    var (input, passing): ([UInt8], [UInt8]) = ([], [])
    var credit = 0
    for _ in 0 ..< 40 {
      let type = ([0, 0, 1, 3, 8, 9] as [UInt8])[random.below(6)]
      let stream = ([0, 5, 7, 9, 11] as [UInt8])[random.below(5)]
      let payload = [UInt8](repeating: 6, count: random.below(300))
      let frame = Frames.frame(type: type, stream: stream, payload)
      input += frame
      // Empty DATA of a call never passes.
      if stream > 7 && [0, 3, 8].contains(type) || type == 0 && payload.isEmpty && stream > 0 {
        credit += type == 0 ? payload.count : 0
      } else {
        passing += frame
      }
    }
    let longest = [1, 3, 8, 17, 64, 1000][Int(seed % 6)]
    while !input.isEmpty {
      let count = min(input.count, random.int(1 ... longest))
      try channel.receive(Array(input.prefix(count)))
      input.removeFirst(count)
    }
    #expect(try channel.passed() == passing)
    var sent = try channel.sent()[...]
    while !sent.isEmpty {
      let update = sent.prefix(13)
      sent = sent.dropFirst(13)
      #expect(update.prefix(9) == [0, 0, 4, 8, 0, 0, 0, 0, 0])
      credit -= update.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(credit == 0)
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test(
    "resets of calls that have their whole answer pass as the end of the request, however they arrive in pieces",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func resetsOfAnsweredCalls(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    try channel.receive(Frames.greeting)
    _ = try channel.passed()
    let longest = [1, 3, 8, 17, 64, 1000][Int(seed % 6)]
    for round in 0 ..< 60 {
      // What the client sent of a call, and whether the server has ended it by then.
      let stream = UInt8(2 * round + 1)
      let endsRequest = random.chance(30)
      let isAnswered = random.chance(50)
      let begin = Frames.frame(type: 1, flags: 4, stream: stream, [1, 2])
      let end = Frames.frame(type: 0, flags: endsRequest ? 1 : 0, stream: stream, [3])
      try channel.receive(begin + end)
      #expect(try channel.passed() == begin + end)
      try channel.writeOutbound(
        ByteBuffer(bytes: Frames.frame(type: 1, flags: isAnswered ? 5 : 4, stream: stream, [4]))
      )
      _ = try channel.sent()

      let reset = Frames.frame(type: 3, stream: stream, [0, 0, 0, 8])
      let other = Frames.frame(type: 8, stream: 0, [0, 0, 0, 1])
      var input = other + reset + other
      while !input.isEmpty {
        let count = min(input.count, random.int(1 ... longest))
        try channel.receive(Array(input.prefix(count)))
        input.removeFirst(count)
      }
      let isReplaced = isAnswered && !endsRequest
      let passing = isReplaced ? Frames.frame(type: 0, flags: 1, stream: stream) : reset
      #expect(try channel.passed() == other + passing + other)
    }
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test("resets of calls that have their whole answer count for no limit")
  func freeResets() throws {
    let transport = TransportGuard.sample { $0.resetsPerAddress = 1 }
    for isAnswered in [true, false] {
      let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
      try channel.receive(Frames.greeting)
      for call in 0 ..< 60 as Range<UInt8> {
        let stream = 2 * call + 1
        try channel.receive(Frames.frame(type: 1, flags: 4, stream: stream, [1]))
        if isAnswered {
          let end = Frames.frame(type: 1, flags: 5, stream: stream, [4])
          try channel.writeOutbound(ByteBuffer(bytes: end))
        }
        try channel.receive(Frames.frame(type: 3, stream: stream, [0, 0, 0, 8]))
      }
      #expect(channel.isActive == isAnswered)
      _ = try? channel.finish()
    }
  }

  @Test("a call is forgotten once its request has ended or either side has reset it")
  func openRequests() throws {
    var random = SplitMix64(seed: 5)
    var requests = OpenRequests()
    // Written down by the rule: what each side has done last.
    var (open, answered): (Set<UInt8>, Set<UInt8>) = ([], [])
    for _ in 0 ..< 5000 {
      let stream = UInt8(random.below(40))
      let type = ([0, 1, 3, 8] as [UInt8])[random.below(4)]
      let isEnd = random.chance(40) && type != 3
      let frame = Frames.frame(
        type: type,
        flags: isEnd ? 1 : 0,
        stream: stream,
        type == 3 ? [0, 0, 0, 0] : []
      )
      let header = try #require(FrameHeader(ByteBuffer(bytes: frame)))
      if random.chance(50) {
        #expect(requests.received(header) == (type == 3 && answered.contains(stream)))
        if type == 1, !isEnd, !answered.contains(stream) { open.insert(stream) }
        if type == 3 || isEnd && type != 8 {
          open.remove(stream)
          answered.remove(stream)
        }
      } else {
        requests.sent(header)
        if type == 3 {
          open.remove(stream)
          answered.remove(stream)
        } else if isEnd, type != 8, open.remove(stream) != nil {
          answered.insert(stream)
        }
      }
      #expect(requests.count == open.count + answered.count)
    }
  }

  @Test("a buffer without PINGs passes as it is, without a copy")
  func noCopy() throws {
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    try channel.receive(Frames.greeting)
    _ = try channel.passed()
    let buffer = ByteBuffer(bytes: Frames.frame(type: 0, Array(repeating: 1, count: 5000)))
    try channel.writeInbound(buffer)
    let passed = try #require(try channel.readInbound(as: ByteBuffer.self))
    #expect(passed == buffer)
    let address = buffer.withUnsafeReadableBytes { $0.baseAddress }
    #expect(passed.withUnsafeReadableBytes { $0.baseAddress } == address)
    _ = try channel.finish()
  }

  @Test("PRIORITY is not handed on, but counts; a malformed one is")
  func priority() throws {
    let transport = TransportGuard.sample { $0.framesPerSecond = 1000 }
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    let priority = Frames.frame(type: 2, [0, 0, 0, 0, 16])
    let malformed = [
      Frames.frame(type: 2, stream: 0, [0, 0, 0, 0, 16]), Frames.frame(type: 2, [0, 0, 0, 0]),
    ]
    try channel.receive(Frames.greeting)
    _ = try channel.passed()
    try channel.receive(priority + malformed[0] + priority + malformed[1])
    #expect(try channel.passed() == malformed[0] + malformed[1])
    for _ in 0 ..< 30 {
      try channel.receive(Array(repeating: priority, count: 200).flatMap(\.self))
    }
    #expect(transport.log.counts["slowedDown"] ?? 0 > 0)
    #expect(try channel.passed().isEmpty && channel.isActive)
    _ = try? channel.finish()
  }

  @Test("empty DATA changes nothing and is not handed on, but counts; the end of a call is")
  func emptyData() throws {
    let transport = TransportGuard.sample { $0.framesPerSecond = 1000 }
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    let begin = Frames.greeting + Frames.frame(type: 1)
    let empty = Frames.frame(type: 0)
    let end = Frames.frame(type: 0, flags: 1)
    try channel.receive(begin + empty + empty + end + empty)
    #expect(try channel.passed() == begin + end)
    for _ in 0 ..< 30 { try channel.receive(Array(repeating: empty, count: 200).flatMap(\.self)) }
    #expect(transport.log.counts["slowedDown"] ?? 0 > 0)
    _ = try? channel.finish()
  }

  @Test("empty DATA, or nothing but padding, of a call that has not begun is handed on as an error")
  func idleCalls() throws {
    for frame in [
      Frames.frame(type: 0, stream: 3), Frames.frame(type: 0, flags: 8, stream: 3, [0]),
    ] {
      let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
      try channel.receive(Frames.greeting + Frames.frame(type: 1))
      _ = try channel.passed()
      try channel.receive(frame)
      #expect(try channel.passed() == frame)
      _ = try? channel.finish()
    }
  }

  @Test("what one reading brings beyond a few frames waits until the loop has looked at others")
  func longReading() throws {
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    try channel.receive(Frames.greeting)
    _ = try channel.passed()
    let frames = Array(repeating: Frames.frame(type: 0, [1]), count: 700)
    try channel.writeInbound(ByteBuffer(bytes: Array(frames.joined())))
    var passed: [Int] = []
    for _ in 0 ..< 4 {
      // Whatever the loop executes before it looks at its connections.
      channel.embeddedEventLoop.run()
      passed.append(try channel.passed().count / frames[0].count)
      channel.runRound()
    }
    #expect(passed == [256, 256, 188, 0])
    _ = try? channel.finish()
  }

  @Test("a connection whose PINGs are beyond all measure closes with ENHANCE_YOUR_CALM")
  func pingFlood() throws {
    let transport = TransportGuard.sample {
      $0.pings = 10
      $0.pingPeriod = .seconds(3600)
    }
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    try channel.receive(Frames.greeting)
    for number in 0 ..< 10 as Range<UInt8> { try channel.receive(Frames.ping(number)) }
    #expect(channel.isActive)
    #expect(try channel.sent().count == 10 * Frames.ping(0).count)
    try channel.receive(Frames.ping(10))
    #expect(!channel.isActive)
    let goodbye = try channel.sent()
    #expect(goodbye[3] == 7 && goodbye[16] == 11)
    #expect(transport.log.counts == ["calmed": 1])
  }

  @Test("a client that does not read is not read either, once a thousand answers wait")
  func unreadAnswers() throws {
    let reads = ReadCounter()
    let channel = try EmbeddedChannel.connection(reads)
    try channel.pipeline.syncOperations.addHandler(ConnectionGuard(transport: .sample()))
    try channel.receive(Frames.greeting)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    try channel.receive(Array(repeating: Frames.ping(1), count: 3000).flatMap(\.self))
    let before = reads.count
    channel.pipeline.read()
    channel.runRound()
    let answer = Frames.ping(1).count
    #expect(reads.count == before)
    #expect(try channel.sent().count / answer == 1001)
    var rest = 0
    for _ in 0 ..< 2 {
      channel.isWritable = true
      channel.pipeline.fireChannelWritabilityChanged()
      channel.isWritable = false
      channel.pipeline.fireChannelWritabilityChanged()
      for _ in 0 ..< 64 { channel.runRound() }
      rest += try channel.sent().count / answer
    }
    #expect(rest == 1999 && reads.count == before + 1 && channel.isActive)
    _ = try? channel.finish()
  }

  @Test("updates of windows count among the answers that wait")
  func unreadUpdates() throws {
    let transport = TransportGuard.sample { $0.windowBytes = 512 }
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    try channel.receive(Frames.greeting)
    try channel.receive(Frames.frame(type: 1))
    _ = (try channel.sent(), try channel.passed())
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    // Nothing but padding, of which the window of the call and that of the connection are told.
    let padding = Frames.frame(type: 0, flags: 8, [199] + Array(repeating: 0, count: 199))
    for _ in 0 ..< 3000 { try channel.receive(padding) }
    for _ in 0 ..< 64 { channel.runRound() }
    let update = Frames.frame(type: 8, [0, 0, 0, 1]).count
    #expect((1001 ... 1002).contains(try channel.sent().count / update))
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    for _ in 0 ..< 64 { channel.runRound() }
    #expect(try channel.sent().count / update > 1002)
    _ = try? channel.finish()
  }

  @Test("a client that reads is read, though what waits for it fills the connection again")
  func refilled() throws {
    let reads = ReadCounter()
    let channel = try EmbeddedChannel.connection(reads)
    try channel.pipeline.syncOperations.addHandler(ConnectionGuard(transport: .sample()))
    try channel.pipeline.syncOperations.addHandler(Refilling())
    try channel.receive(Frames.greeting)
    for _ in 0 ..< 20 {
      channel.isWritable = false
      channel.pipeline.fireChannelWritabilityChanged()
      try channel.receive(Array(repeating: Frames.ping(1), count: 100).flatMap(\.self))
      channel.isWritable = true
      channel.pipeline.fireChannelWritabilityChanged()
    }
    #expect(try channel.sent().count == 2000 * Frames.ping(1).count)
    _ = try? channel.finish()
  }

  @Test("too many frames are read more slowly; DATA is not counted")
  func slowDown() throws {
    let transport = TransportGuard.sample { $0.framesPerSecond = 500 }
    let reads = ReadCounter()
    let channel = try EmbeddedChannel.connection(reads)
    try channel.pipeline.syncOperations.addHandler(ConnectionGuard(transport: transport))
    try channel.receive(Frames.greeting)
    for _ in 0 ..< 1000 { try channel.receive(Frames.frame(type: 0, [1])) }
    for _ in 0 ..< 90 { try channel.receive(Frames.frame(type: 8, [0, 0, 0, 1])) }
    #expect(transport.log.counts.isEmpty)
    let before = reads.count
    // HEADERS count ten times.
    for _ in 0 ..< 50 where transport.log.counts.isEmpty {
      try channel.receive(Frames.frame(type: 1))
    }
    #expect(transport.log.counts == ["slowedDown": 1])
    channel.pipeline.read()
    channel.pipeline.read()
    let paused = reads.count
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(reads.count == paused + 1)
    #expect(paused == before)
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test("what is beyond the limit in one reading waits, and passes in its order")
  func heldBack() throws {
    let transport = TransportGuard.sample { $0.framesPerSecond = 500 }
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    try channel.receive(Frames.greeting)
    _ = try channel.passed()
    let frames = (0 ..< 250 as Range<Int>).map { number in
      Frames.frame(type: 8, [0, 0, 0, UInt8(number)])
    }
    try channel.receive(Array(frames.joined()))
    var passed = try channel.passed()
    // What may come at once, and then what makes it too much.
    #expect((100 ... 201).contains(passed.count / frames[0].count))
    #expect(transport.log.counts == ["slowedDown": 1])
    for _ in 0 ..< 250 where passed.count < 250 * frames[0].count {
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      passed += try channel.passed()
    }
    #expect(passed == Array(frames.joined()))
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test("of a reading full of tiny frames no more is handed on than is counted")
  func rounds() throws {
    let transport = TransportGuard.sample { $0.framesPerSecond = 1000 }
    let connection = ConnectionGuard(transport: transport)
    let channel = try EmbeddedChannel.connection(connection)
    // As a call does: it takes in what came at the end of a reading.
    let calls = LateCalls(connection, units: 5)
    try channel.pipeline.syncOperations.addHandler(calls)
    try channel.receive(Frames.greeting)
    let frames = Array(repeating: Frames.frame(type: 0, [1]), count: 2000)
    try channel.receive(Array(frames.joined()))
    #expect(calls.count == 256 && transport.log.counts == ["slowedDown": 1])
    var pauses = 0
    while calls.count < 2000, pauses < 100 {
      let before = calls.count
      // Less than the longest pause.
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(150))
      #expect(calls.count - before <= 256)
      pauses += 1
    }
    #expect(calls.count == 2000 && channel.isActive)
    _ = try? channel.finish()
  }

  @Test("a frame of more settings than there are closes the connection")
  func settings() throws {
    let transport = TransportGuard.sample()
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    try channel.receive(Frames.greeting)
    let setting: [UInt8] = [0, 4, 0, 0, 255, 255]
    for count in [0, 10, 64] as [Int] {
      try channel.receive(
        Frames.frame(type: 4, Array(repeatElement(setting, count: count).joined()))
      )
    }
    #expect(channel.isActive)
    _ = try channel.sent()
    try channel.receive(Frames.frame(type: 4, Array(repeatElement(setting, count: 65).joined())))
    #expect(!channel.isActive)
    let goodbye = try channel.sent()
    #expect(goodbye[3] == 7 && goodbye[16] == 11)
    #expect(transport.log.counts == ["calmed": 1])
  }

  @Test("messages in small pieces, and many settings, are read more slowly")
  func tinyFrames() throws {
    let pieces: (EmbeddedChannel, ConnectionGuard) throws -> Void = { _, connection in
      for _ in 0 ..< 150 { connection.countPieces(1) }
    }
    let settings: (EmbeddedChannel, ConnectionGuard) throws -> Void = { channel, _ in
      for _ in 0 ..< 3 {
        try channel.receive(Frames.frame(type: 4, Array(repeating: 0, count: 6 * 50)))
      }
    }
    for flood in [pieces, settings] {
      let transport = TransportGuard.sample { $0.framesPerSecond = 500 }
      let connection = ConnectionGuard(transport: transport)
      let channel = try EmbeddedChannel.connection(connection)
      try channel.receive(Frames.greeting)
      #expect(transport.log.counts.isEmpty)
      try flood(channel, connection)
      #expect(transport.log.counts == ["slowedDown": 1])
      _ = try channel.finish()
    }
  }

  @Test("calls reset too often, over all connections of an address, close those that go on")
  func resets() throws {
    let transport = TransportGuard.sample { $0.resetsPerAddress = 100 }
    let reset = Frames.frame(type: 3, [0, 0, 0, 8])
    func connect() throws -> EmbeddedChannel {
      let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
      try channel.receive(Frames.greeting)
      return channel
    }
    let (quiet, busy, busier) = (try connect(), try connect(), try connect())
    for _ in 0 ..< 60 { try busy.receive(reset) }
    #expect(busy.isActive)
    for _ in 0 ..< 80 where busier.isActive { try busier.receive(reset) }
    #expect(!busier.isActive)
    try quiet.receive(reset)
    #expect(quiet.isActive)
    try busy.receive(reset)
    #expect(!busy.isActive)
    let refused = try connect()
    #expect(!refused.isActive)
    #expect(transport.log.counts == ["calmed": 2, "refusedConnection": 1])
    _ = try quiet.finish()
  }

  @Test("nothing of a refused connection is looked at, whatever came before it closed")
  func refused() throws {
    let transport = TransportGuard.sample { $0.connectionsPerAddress = 1 }
    let first = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    let second = EmbeddedChannel()
    // As where the client has gone: closing reads once more.
    try second.pipeline.syncOperations.addHandler(
      ReadAtClose(Frames.greeting + Frames.frame(type: 1))
    )
    try second.pipeline.syncOperations.addHandler(ConnectionGuard(transport: transport))
    try second.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    #expect(!second.isActive)
    #expect(try second.passed() == [])
    _ = try first.finish()
  }

  @Test("counts connections, and forgets those that have gone")
  func connections() throws {
    let transport = TransportGuard.sample { $0.connectionsPerAddress = 2 }
    let first = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    let second = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    #expect(transport.connectionCount == 2)
    let third = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    #expect(!third.isActive)
    // Its handlers are removed by the loop's next turn.
    third.embeddedEventLoop.run()
    _ = try first.finish()
    let fourth = try EmbeddedChannel.connection(ConnectionGuard(transport: transport))
    #expect(fourth.isActive)
    _ = try second.finish()
    _ = try fourth.finish()
    #expect(transport.connectionCount == 0)
  }

  @Test("a connection that does not greet, or does not call, closes in time")
  func silence() throws {
    let transport = TransportGuard.sample()
    let start = NIODeadline.now()
    let silent = ConnectionGuard(transport: transport)
    let quiet = ConnectionGuard(transport: transport)
    let (silentChannel, quietChannel) = (
      try EmbeddedChannel.connection(silent), try EmbeddedChannel.connection(quiet)
    )
    let events = EventRecorder()
    try quietChannel.pipeline.syncOperations.addHandler(events)
    try quietChannel.receive(Frames.greeting)
    for connection in [silent, quiet] { connection.check(at: start) }
    for connection in [silent, quiet] { connection.check(at: start + .seconds(5)) }
    #expect(silentChannel.isActive)
    for connection in [silent, quiet] { connection.check(at: start + .seconds(6)) }
    #expect(!silentChannel.isActive)
    quiet.check(at: start + .seconds(30))
    #expect(events.quiesced == 0)
    quiet.check(at: start + .seconds(31))
    quiet.check(at: start + .seconds(32))
    #expect(events.quiesced == 1 && quietChannel.isActive)
    quiet.check(at: start + .seconds(36))
    #expect(quietChannel.isActive)
    quiet.check(at: start + .seconds(38))
    #expect(!quietChannel.isActive)
  }

  @Test("the end of a connection is followed by the end of its read")
  func readComplete() throws {
    let events = EventRecorder()
    let channel = try EmbeddedChannel.connection(ConnectionGuard(transport: .sample()))
    try channel.pipeline.syncOperations.addHandler(events)
    try channel.close().wait()
    #expect(events.sequence == ["inactive", "readComplete"])
  }
}

@Suite("Frames that are sent", .timeLimit(.minutes(1)))
struct OutboundFramesTests {
  private func verdicts(_ writes: [[UInt8]]) -> [OutboundFrames.Verdict] {
    var frames = OutboundFrames()
    return writes.map { frames.next(ByteBuffer(bytes: $0)) }
  }

  private func header(_ bytes: [UInt8]) -> OutboundFrames.Verdict {
    .frame(FrameHeader(ByteBuffer(bytes: bytes)))
  }

  @Test("an error is the client's, unless it crosses the server's goodbye")
  func goodbye() {
    let (polite, broken, calm) = (Frames.goAway(0), Frames.goAway(1), Frames.goAway(11))
    #expect(verdicts([broken]) == [violation(1, "the client broke HTTP/2")])
    #expect(
      verdicts([polite, broken]) == [header(polite), .replaced(ByteBuffer(bytes: polite))]
    )
    #expect(
      verdicts([polite, calm]) == [
        header(polite), violation(11, "too many resets or control frames"),
      ]
    )
  }

  @Test(
    "a GOAWAY with an error says that calls may have been worked on, so that none is made again"
  )
  func lastStream() {
    // As the HTTP/2 handler writes it: whatever was answered, the last call is 0.
    let nothing = Frames.frame(type: 7, stream: 0, [0, 0, 0, 0, 0, 0, 0, 11])
    let told = verdicts([nothing])
    #expect(told == [violation(11, "too many resets or control frames")])
    guard case .violation(let bytes)? = told.first else { return }
    #expect(bytes.getInteger(at: bytes.readerIndex + 9, as: UInt32.self) == 0x7FFF_FFFF)
    // With a reason that is a write of its own.
    let whole = Frames.frame(type: 7, stream: 0, [0, 0, 0, 0, 0, 0, 0, 11] + Array("why".utf8))
    let parts = verdicts([Array(whole.dropLast(3)), Array(whole.suffix(3))])
    var expected = Array(whole.dropLast(3))
    expected.replaceSubrange(9 ..< 13, with: [0x7F, 255, 255, 255])
    #expect(parts == [.violation(ByteBuffer(bytes: expected)), .frame(nil)])
  }

  @Test("the last call that a GOAWAY names never grows")
  func lastStreamAfterGoodbye() {
    let polite = Frames.frame(type: 7, stream: 0, [0, 0, 0, 9, 0, 0, 0, 0])
    let calm = Frames.goAway(11)
    guard case .violation(let bytes)? = verdicts([polite, calm]).last else {
      Issue.record("no violation")
      return
    }
    #expect(bytes.getInteger(at: bytes.readerIndex + 9, as: UInt32.self) == 9)
  }

  private func violation(_ error: UInt32, _ reason: String) -> OutboundFrames.Verdict {
    .violation(ByteBuffer(goingAwayWith: error, reason: reason, allocator: ByteBufferAllocator()))
  }

  @Test("what looks like a frame inside of a payload is none")
  func payloads() {
    let head = Array(Frames.frame(type: 0, Frames.goAway(1)).prefix(9))
    #expect(
      verdicts([head, Frames.goAway(1), Frames.goAway(1)])
        == [header(head), .frame(nil), violation(1, "the client broke HTTP/2")]
    )
    let part = Array(Frames.goAway(1).prefix(5))
    #expect(
      verdicts([head, part, Array(Frames.goAway(1).dropFirst(5))])
        == [header(head), .frame(nil), .frame(nil)]
    )
  }
}

/// Has bytes come when the connection is closed.
private final class ReadAtClose: ChannelOutboundHandler {
  typealias OutboundIn = Never
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    context.fireChannelRead(NIOAny(ByteBuffer(bytes: bytes)))
    context.close(mode: mode, promise: promise)
  }
}

private final class ReadCounter: ChannelOutboundHandler {
  typealias OutboundIn = Never
  private(set) var count = 0

  func read(context: ChannelHandlerContext) {
    count += 1
    context.read()
  }
}

/// Writes so much as soon as there is room that there is none afterwards.
private final class Refilling: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if let channel = context.channel as? EmbeddedChannel, channel.isWritable {
      channel.isWritable = false
      channel.pipeline.fireChannelWritabilityChanged()
    }
    context.fireChannelWritabilityChanged()
  }
}

private final class EventRecorder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private(set) var quiesced = 0
  private(set) var sequence: [String] = []

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { quiesced += 1 }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    sequence.append("inactive")
    context.fireChannelInactive()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    sequence.append("readComplete")
    context.fireChannelReadComplete()
  }
}

/// Counts the bytes of frames at the end of a reading, and tells the guard what they count.
private final class LateCalls: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: ConnectionGuard
  private let units: Int
  private var waiting = 0
  /// Frames so far.
  private(set) var count = 0

  init(_ connection: ConnectionGuard, units: Int) {
    self.connection = connection
    self.units = units
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // A frame of a byte takes ten; the greeting is none.
    waiting += unwrapInboundIn(data).readableBytes / 10
    if waiting == 2, count == 0 { waiting = 0 }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    count += waiting
    for _ in 0 ..< waiting { connection.countPieces(units) }
    waiting = 0
  }
}
