// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionStore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import LayoutClient
import LayoutProtocol
import LayoutService
import Metrics
import SwiftProtobuf
import Testing

typealias Transport = HTTP2ClientTransport.Posix

/// The three services of one server, over loopback.
struct Clients: Sendable {
  let server: LayoutServer
  /// Where the server listens.
  let port: Int
  let grpc: GRPCClient<Transport>

  var collections: CollectionLayout_V1_CollectionService.Client<Transport> { .init(wrapping: grpc) }
  var queries: CollectionLayout_V1_LayoutQueryService.Client<Transport> { .init(wrapping: grpc) }
  var sessions: CollectionLayout_V1_LayoutSessionService.Client<Transport> {
    .init(wrapping: grpc)
  }

  /// A collection "a" of sized items that is shown as a list unless viewers say otherwise.
  @discardableResult
  func createCollection(
    _ id: String = "a",
    items: Int = 100
  ) async throws -> CollectionLayout_V1_Collection {
    try await collections.createCollection(
      .with {
        $0.collectionID = id
        $0.collection.displayName = "Test"
        $0.collection.defaultLayout.list.rowHeight = 10
        $0.contents.sections = [.with { $0.blocks = [.with { $0.count = UInt32(items) }] }]
      }
    ).collection
  }

  func insert(
    _ count: UInt32,
    at item: UInt32 = 0,
    into id: String = "a",
    requestID: String = "",
    expected: UInt64? = nil
  ) async throws -> CollectionLayout_V1_ApplyUpdatesResponse {
    try await collections.applyUpdates(
      .with {
        $0.name = "collections/\(id)"
        $0.batch = .inserting(count, at: item)
        $0.batch.requestID = requestID
        if let expected { $0.batch.expectedDataVersion = expected }
      }
    )
  }

  /// Returns once no session has a stream.
  func sessionsEnd() async {
    await server.sessionChanges.wait { server.sessionCount == 0 }
  }
}

extension Wire.UpdateBatch {
  static func inserting(_ count: UInt32, at item: UInt32) -> Wire.UpdateBatch {
    .with {
      $0.operations.operations = [
        .with {
          $0.insertItems.at = .with {
            $0.section = 0
            $0.item = item
          }
          $0.insertItems.blocks = [.with { $0.count = count }]
        }
      ]
    }
  }
}

extension ServiceConfiguration {
  /// Among hundreds of other tests a stream may have to wait for its turn.
  static let patient: ServiceConfiguration = {
    var configuration = ServiceConfiguration()
    configuration.timing.open = .seconds(60)
    return configuration
  }()
}

/// Runs a server and a client connected to it.
func withServer(
  _ configuration: ServiceConfiguration = .patient,
  layouts: LayoutRegistry = .init(),
  storage: any CollectionStorage = MemoryStorage(),
  window: Int = 1 << 20,
  metrics: any MetricsFactory = NOOPMetricsHandler.instance,
  _ body: @Sendable @escaping (Clients) async throws -> Void
) async throws {
  let server = LayoutServer(
    configuration: configuration,
    layouts: layouts,
    storage: storage,
    metrics: metrics
  )
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await server.run() }
    let address = try await server.listeningAddress
    let port = Int(address.split(separator: ":").last ?? "") ?? 0
    let transport = try HTTP2ClientTransport.Posix(
      target: .ipv4(address: "127.0.0.1", port: port),
      transportSecurity: .plaintext,
      config: .defaults { $0.http2.targetWindowSize = window }
    )
    try await withGRPCClient(transport: transport) { grpc in
      try await body(Clients(server: server, port: port, grpc: grpc))
    }
    server.beginGracefulShutdown()
    try await group.waitForAll()
  }
}

/// One stream of a session, from the client's side.
struct SessionProbe {
  typealias Request = CollectionLayout_V1_StreamLayoutRequest
  typealias Response = CollectionLayout_V1_StreamLayoutResponse

  fileprivate var responses: RPCAsyncSequence<Response, any Error>.AsyncIterator
  fileprivate let requests: AsyncStream<Request>.Continuation

  func send(_ fill: (inout Request) -> Void) { requests.yield(.with(fill)) }

  func closeRequests() { requests.finish() }

  /// Ends the session for good with its second event, and returns once the server has ended the
  /// stream.
  mutating func discard() async throws {
    send {
      $0.eventSeq = 2
      $0.close.discard = true
    }
    while try await next() != nil {}
  }

  mutating func next() async throws -> Response? { try await responses.next() }

  /// The next response for which `pick` gives something; others are passed over.
  mutating func next<Value>(_ pick: (Response) -> Value?) async throws -> Value {
    while let response = try await next() {
      if let value = pick(response) { return value }
    }
    throw StreamEnded()
  }

  mutating func frame() async throws -> Wire.LayoutFrame {
    let frame = try await next { response -> Wire.LayoutFrame? in
      if case .frame(let frame) = response.message { frame } else { nil }
    }
    send { $0.ack.frameSeq = frame.frameSeq }
    return frame
  }

  /// The next response for which `pick` gives something. Frames before it are acknowledged.
  private mutating func acknowledging<Value>(
    _ pick: (Response) -> Value?
  ) async throws -> Value {
    while let response = try await next() {
      if let value = pick(response) { return value }
      if case .frame(let frame) = response.message { send { $0.ack.frameSeq = frame.frameSeq } }
    }
    throw StreamEnded()
  }

  /// The fate of an event. Frames that come before it are acknowledged.
  mutating func result(of event: UInt64) async throws -> Wire.EventResult {
    try await acknowledging { response in
      if case .eventResult(let result) = response.message, result.eventSeq == event {
        result
      } else {
        nil
      }
    }
  }

  /// The next notice of a type. Frames that come before it are acknowledged.
  mutating func notice(_ type: Wire.Notice.TypeEnum) async throws -> Wire.Notice {
    try await acknowledging { response in
      if case .notice(let notice) = response.message, notice.type == type { notice } else { nil }
    }
  }

  /// Opens a session and takes the answer.
  mutating func open(
    _ fill: (inout Wire.OpenSession) -> Void = { $0.collection = "collections/a" }
  ) async throws -> Wire.SessionOpened {
    send { request in
      request.eventSeq = 1
      request.open = .with {
        $0.viewport.size = .with {
          $0.width = 100
          $0.height = 200
        }
        fill(&$0)
      }
    }
    return try await next { response -> Wire.SessionOpened? in
      if case .opened(let opened) = response.message { opened } else { nil }
    }
  }
}

struct StreamEnded: Error {}

extension Clients {
  func withSession<Result: Sendable>(
    metadata: Metadata = [:],
    _ body: @Sendable @escaping (inout SessionProbe) async throws -> Result
  ) async throws -> Result {
    let (stream, continuation) = AsyncStream<SessionProbe.Request>.makeStream()
    let sending = RequestTask()
    return try await sessions.streamLayout(metadata: metadata) { writer in
      try await sending.run {
        for await request in stream { try await writer.write(request) }
      }
    } onResponse: { response in
      try await sending.endAfter {
        var probe = SessionProbe(
          responses: response.messages.makeAsyncIterator(),
          requests: continuation
        )
        defer { continuation.finish() }
        return try await body(&probe)
      }
    }
  }

  /// Imports the parts that `write` sends.
  func importContents(
    _ write:
      @escaping @Sendable (
        RPCWriter<CollectionLayout_V1_ImportContentsRequest>
      ) async throws -> Void
  ) async throws -> CollectionLayout_V1_ImportContentsResponse {
    let sending = RequestTask()
    return try await collections.importContents { writer in
      try await sending.run { try await write(writer) }
    } onResponse: { response in
      try await sending.endAfter { try response.message }
    }
  }
}

/// The problem that a call fails with.
func problem(of call: () async throws -> Void) async -> LayoutProblem? {
  do {
    try await call()
    Issue.record("the call did not fail")
    return nil
  } catch let error as RPCError {
    return LayoutProblem(error)
  } catch {
    Issue.record("the call failed with \(error)")
    return nil
  }
}
