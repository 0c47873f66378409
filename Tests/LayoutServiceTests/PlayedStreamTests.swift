// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutClient

/// Viewers of a server that ends streams as no layout server should.
@Suite("Viewers of a faulty server", .timeLimit(.minutes(1)))
struct PlayedStreamTests {
  /// Plays sessions: opens each stream, sends an empty frame, and ends the first ones.
  private final class Player: CollectionLayout_V1_LayoutSessionService.SimpleServiceProtocol {
    /// How a stream ends after its first frame; nil = not by itself.
    let ends: [RPCError?]
    /// The numbers of the streams that end only after a request.
    let waiting: Set<Int>
    private let streams = Mutex<[Wire.OpenSession]>([])

    init(ends: [RPCError?], waiting: Set<Int> = []) { (self.ends, self.waiting) = (ends, waiting) }

    var openings: [Wire.OpenSession] { streams.withLock { $0 } }

    func streamLayout(
      request: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
      response: RPCWriter<Wire.StreamLayoutResponse>,
      context: ServerContext
    ) async throws {
      var requests = request.makeAsyncIterator()
      guard let opening = try await requests.next()?.open else { return }
      let number = streams.withLock { streams in
        streams.append(opening)
        return streams.count
      }
      try await response.write(
        .with {
          $0.opened.session = "sessions/\(number)"
          $0.opened.outcome = opening.resumes ? .reset : .created
          $0.opened.unitsPerPoint = 64
          $0.opened.resumeToken = .init([UInt8(number)])
        }
      )
      try await response.write(.frame(1))
      if waiting.contains(number) { _ = try await requests.next() }
      if number <= ends.count {
        if let error = ends[number - 1] { throw error }
        return
      }
      while let request = try await requests.next() {
        if case .close = request.event { return }
        if case .sync = request.event {
          // A frame that does not fit, which is noticed after the answer.
          try await response.write(.frame(3, after: 2))
          try await response.write(.with { $0.eventResult.eventSeq = request.eventSeq })
          // One that says nothing of these elements.
          try await response.write(.with { $0.heartbeat.lastFrameSeq = 77 })
        }
        if request.ack.rejected { try await response.write(.frame(4)) }
      }
    }
  }

  private static let configuration = ViewerConfiguration(
    source: .collection("collections/a"),
    viewport: ViewportChange(size: Size(width: 100, height: 200)),
    capabilities: ClientCapabilities()
  )

  /// Views until there have been so many streams.
  private func view(_ player: Player, streams: Int) async throws {
    try await RunningProvider.run(player) { server in
      let address = ServerAddress(host: "127.0.0.1", port: server.port)
      try await LayoutClient.connect(to: address) { client in
        try await client.view(Self.configuration) { viewer in
          while player.openings.count < streams {
            guard try await viewer.next() != nil else { return }
          }
        }
      }
    }
  }

  @Test("a stream that ends without a status is opened again")
  func withoutStatus() async throws {
    let player = Player(ends: [nil, nil])
    try await view(player, streams: 3)
    #expect(player.openings.map(\.resumes) == [false, true, true])
  }

  @Test("a session that is lost while its stream is open is followed by another one")
  func expired() async throws {
    let player = Player(ends: [RPCError(LayoutProblem.sessionExpired("sessions/1"))])
    try await view(player, streams: 2)
    // The server would only say again that it does not have the old one.
    #expect(player.openings.map(\.resumes) == [false, false])
  }

  /// Each is another one.
  private final class Tokens: TokenProvider {
    private let count = Mutex(0)

    var given: Int { count.withLock { $0 } }

    func token() -> AccessToken {
      let number = count.withLock {
        $0 += 1
        return $0
      }
      return AccessToken("t\(number)", expiry: .distantFuture)
    }
  }

  private static let refusal = RPCError(code: .unauthenticated, message: "the token has ended")

  /// Views until there have been so many streams. Those that end only after a request have worked
  /// for a while by then.
  private func viewWithTokens(_ player: Player, tokens: Tokens, streams: Int) async throws {
    try await RunningProvider.run(player) { server in
      let address = ServerAddress(host: "127.0.0.1", port: server.port)
      try await LayoutClient.connect(to: address, security: ClientSecurity(tokens: tokens)) {
        client in
        try await client.view(Self.configuration) { viewer in
          var worked = 0
          while player.openings.count < streams {
            if player.waiting.contains(player.openings.count), worked < player.openings.count {
              worked = player.openings.count
              await viewer.work(for: .seconds(1))
              await viewer.send(.with { $0.resync = .init() })
            }
            guard try await viewer.next() != nil else { return }
          }
        }
      }
    }
  }

  @Test("if another token is refused too, the viewer ends, however long the stream before worked")
  func refusedAgain() async throws {
    let player = Player(ends: Array(repeating: Self.refusal, count: 8), waiting: [1])
    let tokens = Tokens()
    let problem = await #expect(throws: LayoutProblem.self) {
      try await viewWithTokens(player, tokens: tokens, streams: 9)
    }
    #expect(problem?.code == .unauthenticated)
    #expect(player.openings.count == 2)
    #expect(tokens.given == 2)
  }

  @Test(
    "after a stream that worked, another token is asked for again, whatever ended that stream",
    arguments: [
      nil, RPCError(code: .unavailable, message: "away"),
      RPCError(LayoutProblem.sessionExpired("sessions/2")),
    ]
  )
  func refusedLater(end: RPCError?) async throws {
    let player = Player(ends: [Self.refusal, end, Self.refusal], waiting: [2])
    let tokens = Tokens()
    try await viewWithTokens(player, tokens: tokens, streams: 4)
    #expect(tokens.given == 3)
  }

  @Test("after a frame that was rejected, settling waits for the keyframe that replaces it")
  func settling() async throws {
    try await RunningProvider.run(Player(ends: [])) { server in
      let address = ServerAddress(host: "127.0.0.1", port: server.port)
      try await LayoutClient.connect(to: address) { client in
        try await client.view(Self.configuration) { viewer in
          try await viewer.settle()
          #expect(await viewer.mirror.frameSequence == 4)
        }
      }
    }
  }

  @Test("of confirmations that wait one is sent, the newest; rejections and events all are")
  func confirmations() async throws {
    let outbox = Outbox()
    func send(_ frame: UInt64, isRejected: Bool = false) {
      outbox.send(
        .with {
          $0.ack.frameSeq = frame
          $0.ack.rejected = isRejected
        }
      )
    }
    for frame in 1 ... 1000 as ClosedRange<UInt64> { send(frame) }
    outbox.send(.with { $0.resync = .init() })
    for frame in 1001 ... 1002 as ClosedRange<UInt64> { send(frame, isRejected: true) }
    for frame in 1003 ... 2000 as ClosedRange<UInt64> { send(frame) }
    #expect(outbox.count == 5)
    outbox.finish()
    outbox.send(.with { $0.resync = .init() })
    let sent = Mutex<[UInt64]>([])
    try await outbox.drain { request in sent.withLock { $0.append(request.ack.frameSeq) } }
    #expect(sent.withLock { $0 } == [1000, 0, 1001, 1002, 2000])
  }

  @Test("answers that wait are limited, whatever they are")
  func answers() {
    let outbox = Outbox()
    for frame in 1 ... 100_000 as ClosedRange<UInt64> {
      // A frame that does not fit, and a heartbeat.
      for isRejected in [true, false] {
        outbox.send(
          .with {
            $0.ack.frameSeq = isRejected ? frame : 0
            $0.ack.rejected = isRejected
          }
        )
      }
    }
    #expect(outbox.count == 1000)
  }
}

extension Wire.StreamLayoutResponse {
  /// An empty frame.
  fileprivate static func frame(_ sequence: UInt64, after base: UInt64 = 0) -> Self {
    .with {
      $0.frame.frameSeq = sequence
      $0.frame.baseFrameSeq = base
      $0.frame.contentSize = .with { ($0.width, $0.height) = (100, 100) }
      $0.frame.elements = .init()
    }
  }
}

extension Wire.OpenSession {
  fileprivate var resumes: Bool { if case .resume = source { true } else { false } }
}
