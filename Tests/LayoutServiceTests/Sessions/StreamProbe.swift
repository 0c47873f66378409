// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutSession
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutService

/// Takes what a stream writes, or does not.
final class FakeWriter: RPCWriterProtocol {
  private struct State {
    var isTaking = true
    /// Writes that are not taken.
    var stuck: [CheckedContinuation<Void, any Error>] = []
    var resultCount = 0
  }

  private let state = Mutex(State())
  /// Whether a write that is not taken ends when it is cancelled, as those of the transport do.
  private let heedsCancellation: Bool
  private let written: AsyncStream<Wire.StreamLayoutResponse>.Continuation
  let responses: AsyncStream<Wire.StreamLayoutResponse>
  /// Something for each write that is not taken.
  let stuck: AsyncStream<Void>
  private let noteStuck: AsyncStream<Void>.Continuation

  init(heedsCancellation: Bool) {
    self.heedsCancellation = heedsCancellation
    (responses, written) = AsyncStream.makeStream()
    (stuck, noteStuck) = AsyncStream.makeStream()
  }

  /// How many results of events were taken.
  var resultCount: Int { state.withLock { $0.resultCount } }

  func stopTaking() { state.withLock { $0.isTaking = false } }

  func takeAgain() {
    state.withLock { $0.isTaking = true }
    end(.success(()))
  }

  /// Ends all writes.
  func release() {
    end(.success(()))
    written.finish()
  }

  private func end(_ result: Result<Void, any Error>) {
    let stuck = state.withLock { state in
      defer { state.stuck = [] }
      return state.stuck
    }
    for write in stuck { write.resume(with: result) }
  }

  func write(_ element: EncodedResponse) async throws {
    try await write(contentsOf: CollectionOfOne(element))
  }

  func write(contentsOf elements: some Sequence<EncodedResponse>) async throws {
    let messages = try elements.map { try Wire.StreamLayoutResponse(serializedBytes: $0.bytes) }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isTaken = state.withLock { state in
          if !state.isTaking { state.stuck.append(continuation) }
          return state.isTaking
        }
        if isTaken { continuation.resume() } else { noteStuck.yield() }
      }
    } onCancel: {
      if heedsCancellation { end(.failure(CancellationError())) }
    }
    for message in messages {
      if case .eventResult = message.message { state.withLock { $0.resultCount += 1 } }
      written.yield(message)
    }
  }
}

/// One stream of a server without a network, whose time passes as a test says.
struct StreamProbe: ~Copyable {
  let services: SessionServices
  let writer: FakeWriter
  private let requests: AsyncThrowingStream<StreamRequest, any Error>.Continuation
  private var responses: AsyncStream<Wire.StreamLayoutResponse>.Iterator
  private var stuck: AsyncStream<Void>.Iterator
  private let call: Task<Void, any Error>

  init(
    _ services: SessionServices,
    peer: String = "ipv4:127.0.0.1:4000",
    heedsCancellation: Bool = true
  ) {
    self.services = services
    let writer = FakeWriter(heedsCancellation: heedsCancellation)
    self.writer = writer
    let (stream, requests) = AsyncThrowingStream<StreamRequest, any Error>.makeStream()
    self.requests = requests
    responses = writer.responses.makeAsyncIterator()
    stuck = writer.stuck.makeAsyncIterator()
    call = Task {
      try await SessionStream(services: services).run(
        RPCAsyncSequence(wrapping: stream),
        RPCWriter(wrapping: writer),
        lane: nil,
        context: CallContext(metadata: [:], peer: peer, cancellation: .init())
      )
    }
  }

  deinit {
    requests.finish()
    call.cancel()
    writer.release()
  }

  func send(_ fill: (inout Wire.StreamLayoutRequest) -> Void) {
    requests.yield(.message(.with(fill)))
  }

  /// Sends a request as the transport passes it on.
  func send(arriving bytes: [UInt8]) throws {
    requests.yield(try StreamRequest(arriving: bytes.span.bytes))
  }

  func closeRequests() { requests.finish() }

  /// Returns once a write waits.
  mutating func waitForStuckWrite() async { _ = await stuck.next() }

  mutating func next<Value>(_ pick: (Wire.StreamLayoutResponse) -> Value?) async throws -> Value {
    while let response = await responses.next() {
      if let value = pick(response) { return value }
    }
    throw StreamEnded()
  }

  mutating func frame() async throws -> Wire.LayoutFrame {
    try await next { response in
      if case .frame(let frame) = response.message { frame } else { nil }
    }
  }

  /// Opens a session of its own contents and takes the answer.
  mutating func open(
    _ fill: (inout Wire.OpenSession) -> Void = Self.fillOpening
  ) async throws -> Wire.SessionOpened {
    sendOpening(fill)
    return try await opened()
  }

  private static func fillOpening(_ open: inout Wire.OpenSession) {
    open.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
    open.layout.list.rowHeight = 10
  }

  mutating func opened() async throws -> Wire.SessionOpened {
    try await next { response in
      if case .opened(let opened) = response.message { opened } else { nil }
    }
  }

  func sendOpening(_ fill: (inout Wire.OpenSession) -> Void = Self.fillOpening) {
    send { request in
      request.eventSeq = 1
      request.open.viewport.size = .with {
        $0.width = 100
        $0.height = 200
      }
      fill(&request.open)
    }
  }

  /// How the call ended; nil = as the client wished.
  func end() async -> LayoutProblem? {
    do {
      try await call.value
      return nil
    } catch let problem as LayoutProblem {
      return problem
    } catch {
      Issue.record("the call failed with \(error)")
      return nil
    }
  }
}

extension SessionServices {
  static func manual(
    _ time: ManualTime,
    _ layouts: LayoutRegistry = .init(),
    _ configuration: ServiceConfiguration = .init()
  ) -> SessionServices {
    SessionServices(
      configuration: configuration,
      layouts: layouts,
      storage: MemoryStorage(),
      clock: time.clock(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
  }
}
