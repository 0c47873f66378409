// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import LayoutSession
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Lanes of layout streams", .timeLimit(.minutes(1)))
struct StreamLaneTests {
  @Test("a request takes the lane once the session has all that the library was given")
  func requests() throws {
    let world = try World()
    // The opening is the library's, and so is what comes before the session has taken it.
    #expect(try world.receive(LayoutStream.acknowledgement(1)) == .library)
    #expect(try world.receive(LayoutStream.acknowledgement(2)) == .library)
    world.lane.noteTaken()
    #expect(try world.receive(LayoutStream.acknowledgement(3)) == .library)
    world.lane.noteTaken()
    world.lane.noteTaken()
    #expect(try world.receive(LayoutStream.acknowledgement(4)) == .lane)
    #expect(try world.receive(LayoutStream.acknowledgement(5)) == .lane)
    #expect(world.session.acks == [4, 5])
    world.lane.leave()
    #expect(try world.receive(LayoutStream.acknowledgement(6)) == .library)
  }

  @Test("parts of messages, several at once, other events and the end take the long way")
  func others() throws {
    let world = try World()
    func longWay(_ bytes: [UInt8], messages: Int, end: Bool = false) throws {
      #expect(try world.receive(bytes, end: end) == .library)
      for _ in 0 ..< messages { world.lane.noteTaken() }
    }
    try longWay(LayoutStream.acknowledgement(1), messages: 1)
    let ack = LayoutStream.acknowledgement(2)
    try longWay(Array(ack.prefix(4)), messages: 0)
    try longWay(Array(ack.dropFirst(4)), messages: 1)
    try longWay(LayoutStream.acknowledgement(3) + LayoutStream.acknowledgement(4), messages: 2)
    try longWay(
      LayoutStream.acknowledgement(5) + Array(LayoutStream.acknowledgement(6).prefix(3)),
      messages: 1
    )
    try longWay(Array(LayoutStream.acknowledgement(6).dropFirst(3)), messages: 1)
    try longWay(
      LayoutStream.message(
        .with {
          $0.eventSeq = 2
          $0.sync = .init()
        }
      ),
      messages: 1
    )
    #expect(world.session.acks == [])
    #expect(try world.receive(LayoutStream.acknowledgement(7)) == .lane)
    try longWay(LayoutStream.acknowledgement(8), messages: 1, end: true)
    #expect(world.session.acks == [7])
  }

  @Test("a session without room gets the next request the long way, which waits")
  func room() throws {
    let world = try World()
    _ = try world.receive(LayoutStream.acknowledgement(1))
    world.lane.noteTaken()
    world.session.hasRoom = false
    #expect(try world.receive(LayoutStream.acknowledgement(2)) == .lane)
    #expect(try world.receive(LayoutStream.acknowledgement(3)) == .library)
    #expect(try world.receive(LayoutStream.acknowledgement(4)) == .library)
    world.session.hasRoom = true
    world.lane.noteTaken()
    world.lane.noteTaken()
    #expect(try world.receive(LayoutStream.acknowledgement(5)) == .lane)
    #expect(world.session.acks == [2, 5])
  }

  @Test("sessions that take long leave the event loop to others until the next round")
  func time() throws {
    let world = try World()
    _ = try world.receive(LayoutStream.acknowledgement(1))
    world.lane.noteTaken()
    world.session.cost = .milliseconds(2)
    #expect(try world.receive(LayoutStream.acknowledgement(2)) == .lane)
    #expect(try world.receive(LayoutStream.acknowledgement(3)) == .library)
    world.lane.noteTaken()
    world.run()
    #expect(try world.receive(LayoutStream.acknowledgement(4)) == .lane)
  }

  @Test("responses take the lane once the library has written all that it was given")
  func responses() throws {
    let world = try World()
    // Before the headers nothing can be written.
    #expect(!world.lane.write([Self.response(1)]))
    world.lane.noteGiven([Self.response(1)])
    #expect(!world.lane.write([Self.response(2)]))
    try world.libraryWrites([Self.response(1)])
    #expect(world.lane.write([Self.response(2), Self.response(3)]))
    #expect(try world.sent() == [1, 2, 3])
    // A client that does not read is waited for in the call, whatever it acknowledges.
    world.channel.isWritable = false
    world.channel.pipeline.fireChannelWritabilityChanged()
    #expect(!world.lane.write([Self.response(4)]))
    #expect(!world.lane.write([]))
    world.channel.isWritable = true
    world.channel.pipeline.fireChannelWritabilityChanged()
    #expect(world.lane.write([]))
    #expect(world.lane.write([Self.response(5), Self.response(6)]))
    #expect(try world.sent() == [5, 6])
    // Nothing comes after the end.
    let end: HPACKHeaders = ["grpc-status": "0"]
    try world.channel.writeOutbound(World.Payload.headers(.init(headers: end, endStream: true)))
    #expect(world.lane.write([Self.response(7)]))
    #expect(try world.sent() == [])
    _ = try? world.channel.finish()
    #expect(world.lane.write([Self.response(8)]))
  }

  @Test("large responses that wait for the client count like the library's")
  func unread() throws {
    let world = try World { $0.unreadBytes = 20_000 }
    try world.libraryWrites([Self.response(1)])
    world.lane.noteGiven([Self.response(1)])
    #expect(world.lane.write([Self.response(1, bytes: 30_000)]))
    var wasReset = false
    while let payload = try world.channel.readOutbound(as: World.Payload.self) {
      if case .rstStream(let code) = payload { wasReset = code == .enhanceYourCalm }
    }
    #expect(wasReset)
  }

  @Test(
    "both ways together keep the order",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func order(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try World()
    var (asked, answered): (UInt64, UInt64) = (0, 0)
    // What the library holds of each direction.
    var (requests, responses): ([UInt64], [EncodedResponse]) = ([], [])
    var lanes = 0
    for _ in 0 ..< 400 {
      switch random.below(5) {
      case 0, 1:
        asked += 1
        if try world.receive(LayoutStream.acknowledgement(asked)) == .library {
          requests.append(asked)
        } else {
          lanes += 1
        }
      case 2:
        guard !requests.isEmpty else { continue }
        world.session.acks.append(requests.removeFirst())
        world.lane.noteTaken()
      case 3:
        answered += 1
        let response = Self.response(answered)
        if world.lane.write([response]) {
          lanes += 1
        } else {
          world.lane.noteGiven([response])
          responses.append(response)
        }
      default:
        // The library puts some messages together.
        let count = min(responses.count, random.int(1 ... 3))
        guard count > 0 else { continue }
        try world.libraryWrites(Array(responses.prefix(count)))
        responses.removeFirst(count)
      }
      world.run()
    }
    world.session.acks += requests
    try world.libraryWrites(responses)
    #expect(world.session.acks == Array(1 ... asked))
    #expect(try world.sent() == Array(1 ... answered))
    #expect(lanes > 20)
  }

  // MARK: - Messages

  /// The result of an event, with a problem of about this size.
  private static func response(_ event: UInt64, bytes: Int = 0) -> EncodedResponse {
    EncodedResponse(
      .with {
        $0.eventResult.eventSeq = event
        if bytes > 0 { $0.eventResult.problem.message = String(repeating: "x", count: bytes) }
      }
    )
  }
}

/// A stream whose library and session are the test's.
private final class World {
  typealias Payload = HTTP2Frame.FramePayload

  enum Way { case lane, library }

  final class Session: LaneSession {
    private struct State {
      var acks: [UInt64] = []
      var hasRoom = true
      var cost = TimeAmount.zero
    }

    private let state = Mutex(State())

    var acks: [UInt64] {
      get { state.withLock { $0.acks } }
      set { state.withLock { $0.acks = newValue } }
    }
    var hasRoom: Bool {
      get { state.withLock { $0.hasRoom } }
      set { state.withLock { $0.hasRoom = newValue } }
    }
    var cost: TimeAmount {
      get { state.withLock { $0.cost } }
      set { state.withLock { $0.cost = newValue } }
    }

    func receive(_ step: ScrollStep) -> Bool {
      acks.append(step.ack?.sequence ?? 0)
      let end = NIODeadline.now() + cost
      while NIODeadline.now() < end {}
      return hasRoom
    }
  }

  let channel: EmbeddedChannel
  let lane: StreamLane
  let session = Session()
  private let parent = EmbeddedChannel()

  init(_ change: (inout TransportLimits) -> Void = { _ in }) throws {
    let transport = TransportGuard.sample(change)
    let connection = ConnectionGuard(transport: transport)
    try parent.pipeline.syncOperations.addHandler(connection)
    channel = try .connection(StreamGuard(connection: connection))
    let begin: HPACKHeaders = [":path": LayoutStream.path]
    try channel.writeInbound(Payload.headers(.init(headers: begin, endStream: false)))
    guard case .headers(let found) = try channel.readInbound(as: Payload.self) else {
      throw ChannelError.inappropriateOperationForState
    }
    lane = try #require(LayoutStream.lane(transport, found.headers))
    // Each stream has one handler.
    #expect(LayoutStream.lane(transport, found.headers) == nil)
    lane.join(session)
  }

  /// Runs what waits, as at the end of a round.
  func run() {
    // The connection's loop, which in a server is that of its streams.
    parent.embeddedEventLoop.run()
    channel.embeddedEventLoop.run()
  }

  /// - Returns: which way the bytes went.
  func receive(_ bytes: [UInt8], end: Bool = false) throws -> Way {
    let data = Payload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: end)
    try channel.writeInbound(Payload.data(data))
    return try channel.readInbound(as: Payload.self) == nil ? .lane : .library
  }

  func libraryWrites(_ responses: [EncodedResponse]) throws {
    let bytes = responses.flatMap { LayoutStream.message($0.bytes) }
    let data = Payload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)))
    try channel.writeOutbound(Payload.data(data))
  }

  /// The numbers of the responses that were sent since the last call.
  func sent() throws -> [UInt64] {
    var bytes: [UInt8] = []
    while let payload = try channel.readOutbound(as: Payload.self) {
      guard case .data(let data) = payload, case .byteBuffer(let buffer) = data.data else {
        continue
      }
      bytes += Array(buffer.readableBytesView)
    }
    var numbers: [UInt64] = []
    while let message = LayoutStream.takeMessage(&bytes) {
      numbers.append(
        try CollectionLayout_V1_StreamLayoutResponse(serializedBytes: message).eventResult.eventSeq
      )
    }
    return numbers
  }
}
