// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Synchronization

/// Drives many streams against layout-server or echo-server and tells requests answered a second
/// and the server's processor time for each. Ping-pong, a request is a frame; in a window,
/// layout-server answers with one frame what came while it was busy.
///
///     stream-load layout|shared|echo PORT SERVER-PID STREAMS WINDOW SECONDS
///         [RESPONSE-BYTES REQUEST-BYTES]
///
/// Viewers bring collections of their own, or (`shared`) look at the same one.
///
/// Prints one line: requests answered a second, server µs for each, bytes a response, bytes a
/// request, and how much the server's memory grew by the streams once they were open and idle.
@main
struct StreamLoad {
  /// At most 128 streams go over one connection.
  private static let streamsPerConnection = 100

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 7, let port = Int(arguments[2]), let pid = Int(arguments[3]),
      let streams = Int(arguments[4]), let window = Int(arguments[5]),
      let seconds = Double(arguments[6])
    else {
      print("stream-load layout|shared|echo PORT SERVER-PID STREAMS WINDOW SECONDS [BYTES BYTES]")
      return
    }
    let numbers = arguments.dropFirst(7).compactMap(Int.init)
    let subject: any Subject =
      arguments[1] != "echo"
      ? Viewer(window: window, collection: arguments[1] == "shared" ? "grid" : nil)
      : Echo(requestBytes: numbers.dropFirst().first ?? 40, responseBytes: numbers.first ?? 256)
    try await run(
      subject,
      port: port,
      server: ServerProcess(pid: pid),
      streams: streams,
      window: window,
      seconds: seconds
    )
  }

  private static func run(
    _ subject: any Subject,
    port: Int,
    server: ServerProcess,
    streams: Int,
    window: Int,
    seconds: Double
  ) async throws {
    let tally = Tally()
    if subject.needsPreparation {
      try await withClient(port: port) { try await subject.prepare($0) }
    }
    let memory = server.residentBytes
    try await withThrowingTaskGroup(of: Void.self) { group in
      for first in stride(from: 0, to: streams, by: streamsPerConnection) {
        let count = min(streamsPerConnection, streams - first)
        group.addTask {
          try await connection(subject, port: port, streams: count, window: window, tally: tally)
        }
      }
      group.addTask {
        while tally.opened < streams { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(500))
        let idle = server.residentBytes - memory
        tally.start()
        try await Task.sleep(for: .milliseconds(300))
        let (before, answers) = (server.processorSeconds, tally.answers)
        let start = ContinuousClock.now
        try await Task.sleep(for: .seconds(seconds))
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let done = tally.answers - answers
        let used = server.processorSeconds - before
        tally.stop()
        let line = [
          Double(done) / elapsed, used * 1e6 / Double(max(done, 1)),
          Double(tally.responseBytes) / Double(max(tally.frames, 1)),
          Double(tally.requestBytes) / Double(max(tally.requests, 1)),
          Double(idle) / Double(streams),
        ]
        print(line.map { String(format: "%.1f", $0) }.joined(separator: " "))
      }
      try await group.waitForAll()
    }
  }

  private static func connection(
    _ subject: any Subject,
    port: Int,
    streams: Int,
    window: Int,
    tally: Tally
  ) async throws {
    try await withClient(port: port) { client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0 ..< streams {
          group.addTask { try await stream(subject, client, window: window, tally: tally) }
        }
        try await group.waitForAll()
      }
    }
  }

  private static func withClient(
    port: Int,
    _ body: (GRPCClient<HTTP2ClientTransport.Posix>) async throws -> Void
  ) async throws {
    let transport = try HTTP2ClientTransport.Posix(
      target: .ipv4(address: "127.0.0.1", port: port),
      transportSecurity: .plaintext,
      config: .defaults { $0.connection.flushCoalescing?.maxFlushDelay = .zero }
    )
    try await withGRPCClient(transport: transport) { try await body($0) }
  }

  private static func stream(
    _ subject: any Subject,
    _ client: GRPCClient<HTTP2ClientTransport.Posix>,
    window: Int,
    tally: Tally
  ) async throws {
    // One entry for each request to be written: the frame that it acknowledges.
    let (turns, turn) = AsyncStream.makeStream(of: UInt64.self)
    let request = StreamingClientRequest<[UInt8]> { writer in
      if let opening = subject.opening { try await writer.write(opening) } else { tally.open() }
      var step = 0
      for await frame in turns {
        let bytes = subject.request(step, acknowledging: frame)
        tally.request(bytes.count)
        try await writer.write(bytes)
        step += 1
      }
    }
    try await client.bidirectionalStreaming(
      request: request,
      descriptor: subject.method,
      serializer: RawBytes(),
      deserializer: RawBytes(),
      options: .defaults
    ) { response in
      if subject.opening == nil { await begin(turn, window: window, tally: tally) }
      var isOpen = subject.opening == nil
      for try await message in response.messages {
        guard let frame = subject.frame(in: message) else { continue }
        if !isOpen {
          isOpen = true
          tally.open()
          await begin(turn, window: window, frame: frame.sequence, tally: tally)
          continue
        }
        tally.frame(message.count, answering: 1 + frame.mergedEvents)
        if tally.isStopped {
          turn.finish()
        } else {
          for _ in 0 ... frame.mergedEvents { turn.yield(frame.sequence) }
        }
      }
    }
  }

  /// Fills the window once all streams are open.
  private static func begin(
    _ turn: AsyncStream<UInt64>.Continuation,
    window: Int,
    frame: UInt64 = 0,
    tally: Tally
  ) async {
    while !tally.isStarted { try? await Task.sleep(for: .milliseconds(20)) }
    for _ in 0 ..< window { turn.yield(frame) }
  }
}

/// What all streams did together.
final class Tally: Sendable {
  private let openedCount = Atomic(0)
  private let frameCount = Atomic(0)
  private let answerCount = Atomic(0)
  private let byteCount = Atomic(0)
  private let requestCount = Atomic(0)
  private let requestByteCount = Atomic(0)
  private let phase = Atomic(0)

  var opened: Int { openedCount.load(ordering: .relaxed) }
  var frames: Int { frameCount.load(ordering: .relaxed) }
  /// Requests that are answered: a frame of layout-server may answer several.
  var answers: Int { answerCount.load(ordering: .relaxed) }
  var responseBytes: Int { byteCount.load(ordering: .relaxed) }
  var requests: Int { requestCount.load(ordering: .relaxed) }
  var requestBytes: Int { requestByteCount.load(ordering: .relaxed) }
  var isStarted: Bool { phase.load(ordering: .relaxed) > 0 }
  var isStopped: Bool { phase.load(ordering: .relaxed) > 1 }

  func open() { openedCount.wrappingAdd(1, ordering: .relaxed) }
  func start() { phase.store(1, ordering: .relaxed) }
  func stop() { phase.store(2, ordering: .relaxed) }

  func frame(_ bytes: Int, answering requests: Int) {
    frameCount.wrappingAdd(1, ordering: .relaxed)
    answerCount.wrappingAdd(requests, ordering: .relaxed)
    byteCount.wrappingAdd(bytes, ordering: .relaxed)
  }

  func request(_ bytes: Int) {
    requestCount.wrappingAdd(1, ordering: .relaxed)
    requestByteCount.wrappingAdd(bytes, ordering: .relaxed)
  }
}
