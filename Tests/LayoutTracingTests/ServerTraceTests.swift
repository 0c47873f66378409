// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutProtocol
import LayoutService
import LayoutTracing
import SwiftProtobuf
import Testing
import Tracing

@Suite(.timeLimit(.minutes(2)))
struct ServerTraceTests {
  private typealias Transport = HTTP2ClientTransport.Posix
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let caller = "00f067aa0ba902b7"
  private static let traced: Metadata = [
    "traceparent": "00-\(trace)-\(caller)-01", "tracestate": "vendor=1",
  ]

  /// Runs a server that is traced, and gives all spans that it made.
  private static func spans(
    ratio: Double = 0,
    _ body: @Sendable (GRPCClient<Transport>) async throws -> Void
  ) async throws -> [ExportedSpan] {
    let collector = Collector()
    try await collector.run { endpoint in
      let tracer = OTLPTracer(sampling: TraceSampling(ratio: ratio))
      let exporter = OTLPExporter(tracer, configuration: OTLPConfiguration(endpoint: endpoint))
      let server = LayoutServer(storage: MemoryStorage(), tracer: tracer)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        let address = try await server.listeningAddress
        let transport = try Transport(
          target: .ipv4(
            address: "127.0.0.1",
            port: Int(address.split(separator: ":").last ?? "") ?? 0
          ),
          transportSecurity: .plaintext
        )
        try await withGRPCClient(transport: transport) { try await body($0) }
        server.beginGracefulShutdown()
        try await group.waitForAll()
      }
      exporter.stop()
      try await exporter.run()
    }
    return collector.spans
  }

  private static func create(
    _ client: GRPCClient<Transport>,
    _ metadata: Metadata = [:]
  ) async throws {
    let collections = CollectionLayout_V1_CollectionService.Client(wrapping: client)
    _ = try await collections.createCollection(
      .with {
        $0.collectionID = "art"
        $0.collection.defaultLayout.list.rowHeight = 10
        $0.contents.sections = [
          .with {
            $0.blocks = [
              .with {
                $0.count = 2
                $0.keys = ["secret-key-1", "secret-key-2"]
              }
            ]
          }
        ]
      },
      metadata: metadata
    )
  }

  private static func insertion() -> Wire.UpdateBatch {
    .with {
      $0.operations.operations = [
        .with {
          $0.insertItems.at.item = 0
          $0.insertItems.blocks = [
            .with {
              $0.count = 1
              $0.keys = ["secret-key-3"]
            }
          ]
        }
      ]
    }
  }

  @Test func `a call continues the trace of its caller down to the store`() async throws {
    let spans = try await Self.spans { client in
      try await Self.create(client)
      let collections = CollectionLayout_V1_CollectionService.Client(wrapping: client)
      _ = try await collections.applyUpdates(
        .with {
          $0.name = "collections/art"
          $0.batch = Self.insertion()
        },
        metadata: Self.traced
      )
    }
    let byName = Dictionary(grouping: spans, by: \.name)
    let call = try #require(byName["collection_layout.v1.CollectionService/ApplyUpdates"]?.first)
    let commit = try #require(byName["commit"]?.first)
    let append = try #require(byName["store append"]?.first)
    // The call without a trace is not recorded with a ratio of 0.
    #expect(spans.count == 3)
    #expect(spans.allSatisfy { hexadecimal($0.traceID) == Self.trace })
    #expect(hexadecimal(call.parentSpanID) == Self.caller)
    #expect(call.flags & 0x300 == 0x300)
    #expect(call.kind == .server)
    #expect(spans.allSatisfy { $0.traceState == "vendor=1" })
    #expect(commit.parentSpanID == call.spanID)
    #expect(append.parentSpanID == commit.spanID)
    let attributes = Dictionary(
      uniqueKeysWithValues: call.attributes.map { ($0.key, $0.value.stringValue) }
    )
    #expect(attributes["rpc.system.name"] == "grpc")
    #expect(attributes["rpc.method"] == "collection_layout.v1.CollectionService/ApplyUpdates")
    #expect(attributes["rpc.response.status_code"] == "OK")
    #expect(attributes["network.peer.address"] == "127.0.0.1")
    #expect(attributes["error.type"] == nil)
    #expect(call.startTimeUnixNano <= append.startTimeUnixNano)
    #expect(call.endTimeUnixNano >= append.endTimeUnixNano)
    // Names of collections are in spans, keys of items are not.
    #expect(commit.attributes.contains { $0.value.stringValue == "art" })
    #expect(!spans.contains { (try? $0.jsonString())?.contains("secret-key") ?? true })
  }

  @Test func `a refused call says why, and is no fault of the server`() async throws {
    let spans = try await Self.spans { client in
      let collections = CollectionLayout_V1_CollectionService.Client(wrapping: client)
      _ = try? await collections.getCollection(
        .with { $0.name = "collections/none" },
        metadata: Self.traced
      )
    }
    let call = try #require(spans.first)
    let attributes = Dictionary(
      uniqueKeysWithValues: call.attributes.map { ($0.key, $0.value.stringValue) }
    )
    #expect(attributes["rpc.response.status_code"] == "NOT_FOUND")
    #expect(attributes["layout.refusal.reason"] == "COLLECTION_NOT_FOUND")
    #expect(call.status.code == .unset)
  }

  @Test(arguments: ["00-\(trace)-\(caller)-00", "garbage", ""])
  func `what is not sampled makes no spans`(_ header: String) async throws {
    let spans = try await Self.spans { client in
      try await Self.create(client, ["traceparent": "\(header)", "tracestate": "a=1"])
    }
    #expect(spans.isEmpty)
  }

  @Test func `a trace without a caller begins with the call`() async throws {
    let spans = try await Self.spans(ratio: 1) { try await Self.create($0) }
    let root = try #require(spans.first { $0.parentSpanID.isEmpty })
    #expect(root.name == "collection_layout.v1.CollectionService/CreateCollection")
    #expect(spans.filter { $0.parentSpanID.isEmpty }.count == 1)
  }

  @Test func `a query makes a span of the layout that it needs`() async throws {
    let spans = try await Self.spans { client in
      try await Self.create(client)
      let queries = CollectionLayout_V1_LayoutQueryService.Client(wrapping: client)
      _ = try await queries.getContentSize(
        .with {
          $0.target.collection = "collections/art"
          $0.target.viewport.size.width = 100
          $0.target.viewport.size.height = 100
        },
        metadata: Self.traced
      )
    }
    let prepare = try #require(spans.first { $0.name == "prepare" })
    #expect(
      prepare.attributes.contains { $0.key == "layout.kind" && $0.value.stringValue == "list" }
    )
  }

  @Test func `a stream makes spans of what it does, and of many frames only some`() async throws {
    let steps = 200
    let spans = try await Self.spans { client in
      try await Self.create(client)
      let sessions = CollectionLayout_V1_LayoutSessionService.Client(wrapping: client)
      let (requests, sender) = AsyncStream.makeStream(of: Wire.StreamLayoutRequest.self)
      sender.yield(
        .with {
          $0.eventSeq = 1
          $0.open.collection = "collections/art"
          $0.open.viewport.size = .with {
            $0.width = 100
            $0.height = 5
          }
        }
      )
      sender.yield(
        .with {
          $0.eventSeq = 2
          $0.update = Self.insertion()
        }
      )
      try await sessions.streamLayout(metadata: Self.traced) { writer in
        for await request in requests { try await writer.write(request) }
      } onResponse: { response in
        var seq: UInt64 = 2
        for try await message in response.messages {
          guard case .frame(let frame) = message.message, !frame.continued else { continue }
          guard seq < steps else {
            sender.yield(
              .with {
                $0.eventSeq = seq + 1
                $0.close = .init()
              }
            )
            sender.finish()
            continue
          }
          seq += 1
          sender.yield(
            .with {
              $0.ack = .with { $0.frameSeq = frame.frameSeq }
              $0.eventSeq = seq
              $0.viewport.size = .with {
                $0.width = 100
                $0.height = 5 + Double(seq % 7)
              }
            }
          )
        }
      }
    }
    let call = try #require(
      spans.first { $0.name == "collection_layout.v1.LayoutSessionService/StreamLayout" }
    )
    #expect(hexadecimal(call.parentSpanID) == Self.caller)
    let byName = Dictionary(grouping: spans, by: \.name)
    #expect(byName["open"]?.first?.parentSpanID == call.spanID)
    #expect(byName["prepare"]?.first?.parentSpanID == call.spanID)
    let commit = try #require(byName["commit"]?.first)
    #expect(commit.parentSpanID == call.spanID)
    #expect(byName["store append"]?.first?.parentSpanID == commit.spanID)
    let frames = byName["frame"] ?? []
    #expect((1 ... 400).contains(frames.count))
    #expect(frames.allSatisfy { $0.parentSpanID == call.spanID })
    #expect(spans.count <= 510)
  }
}

private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
