// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import GRPCProtobuf
import LayoutMetrics
import LayoutTracing
import NIOCore
import NIOPosix
import SwiftProtobuf
import Testing
import Tracing

@Suite(.timeLimit(.minutes(2)))
struct ExportTests {
  /// Runs an exporter until the body ends.
  private static func exporting(
    _ tracer: OTLPTracer,
    to endpoint: OTLPEndpoint,
    _ change: (inout OTLPConfiguration) -> Void = { _ in },
    _ body: () async throws -> Void
  ) async throws {
    var configuration = OTLPConfiguration(endpoint: endpoint)
    configuration.interval = .milliseconds(20)
    configuration.retries.first = .milliseconds(1)
    change(&configuration)
    let exporter = OTLPExporter(tracer, configuration: configuration)
    let running = Task { try await exporter.run() }
    try await body()
    exporter.stop()
    try await running.value
  }

  private static func count(_ metrics: PrometheusMetrics, _ sample: String) -> String? {
    metrics.page(.text).split(separator: "\n").first { $0.hasPrefix("\(sample) ") }
      .map { String($0.dropFirst(sample.count + 1)) }
  }

  @Test func `what is said of a span arrives`() async throws {
    let collector = Collector()
    let metrics = PrometheusMetrics()
    try await collector.run { endpoint in
      let tracer = OTLPTracer(metrics: metrics)
      try await Self.exporting(tracer, to: endpoint, { $0.resource = [("service.name", "test")] }) {
        let parent = tracer.startSpan("parent", ofKind: .server)
        let child = tracer.startSpan("child", context: parent.context)
        child.attributes = [
          "text": "a", "number": 7, "half": .double(0.5), "is": true,
          "list": .stringArray(["x", "y"]),
          "long": .string(String(repeating: "z", count: 5000)),
        ]
        child.addLink(parent)
        child.end()
        parent.setStatus(SpanStatus(code: .error, message: "failed"))
        parent.end()
        let spans = await collector.spans { $0.count == 2 }
        let (first, second) = (try #require(spans.first), try #require(spans.last))
        #expect(first.name == "child")
        #expect(first.parentSpanID == second.spanID)
        #expect(first.traceID == second.traceID)
        #expect(first.traceID.count == 16)
        #expect(first.flags & 0x3ff == 0x103)
        #expect(second.parentSpanID.isEmpty)
        #expect(second.kind == .server)
        #expect(second.status.code == .error)
        #expect(first.links.map(\.spanID) == [second.spanID])
        let values = Dictionary(uniqueKeysWithValues: first.attributes.map { ($0.key, $0.value) })
        #expect(values["text"]?.stringValue == "a")
        #expect(values["number"]?.intValue == 7)
        #expect(values["half"]?.doubleValue == 0.5)
        #expect(values["is"]?.boolValue == true)
        #expect(values["list"]?.arrayValue.values.map(\.stringValue) == ["x", "y"])
        #expect(values["long"]?.stringValue.count == 512)
        #expect(collector.resource == ["service.name": "test"])
      }
    }
    #expect(Self.count(metrics, "layout_trace_spans_exported_total") == "2")
  }

  @Test func `what may pass is sent again, and all else is dropped`() async throws {
    let unavailable = RPCError(code: .unavailable, message: "later")
    let exhausted = RPCError(
      GoogleRPCStatus(
        code: .resourceExhausted,
        message: "wait",
        details: .retryInfo(delay: .milliseconds(1))
      )
    )
    let collector = Collector(answering: [
      .failure(unavailable), .failure(exhausted), .success(.init()),
      .failure(RPCError(code: .invalidArgument, message: "no")),
      .failure(RPCError(code: .resourceExhausted, message: "too large")),
    ])
    let metrics = PrometheusMetrics()
    try await collector.run { endpoint in
      let tracer = OTLPTracer(metrics: metrics)
      try await Self.exporting(tracer, to: endpoint) {
        tracer.startSpan("first").end()
        _ = await collector.spans { $0.count == 1 }
        #expect(collector.requests == 3)
        tracer.startSpan("refused").end()
        _ = await collector.spans { _ in collector.requests == 4 }
        tracer.startSpan("too large").end()
        _ = await collector.spans { _ in collector.requests == 5 }
        tracer.startSpan("last").end()
        let spans = await collector.spans { $0.count == 2 }
        #expect(spans.map(\.name) == ["first", "last"])
      }
    }
    #expect(
      Self.count(metrics, "layout_trace_spans_dropped_total{reason=\"export_failed\"}") == "2"
    )
  }

  @Test func `spans that a collector leaves out are counted and not sent again`() async throws {
    let partly = ExportReply.with {
      $0.partialSuccess.rejectedSpans = 1
      $0.partialSuccess.errorMessage = "too old"
    }
    let rejected = "layout_trace_spans_dropped_total{reason=\"rejected\"}"
    let collector = Collector(answering: [.success(partly)])
    let metrics = PrometheusMetrics()
    try await collector.run { endpoint in
      let tracer = OTLPTracer(metrics: metrics)
      try await Self.exporting(tracer, to: endpoint) {
        tracer.startSpan("a").end()
        // The exporter has to have read the answer before it stops.
        while Self.count(metrics, rejected) != "1" { await Task.detached {}.value }
      }
    }
    #expect(collector.requests == 1)
  }

  @Test func `the last spans are sent when the exporter stops`() async throws {
    let collector = Collector()
    try await collector.run { endpoint in
      let tracer = OTLPTracer()
      let patient: (inout OTLPConfiguration) -> Void = {
        $0.interval = .seconds(3600)
        $0.lastTimeout = .seconds(60)
      }
      try await Self.exporting(tracer, to: endpoint, patient) {
        for _ in 0 ..< 10 { tracer.startSpan("call").end() }
      }
    }
    #expect(collector.spans.count == 10)
  }

  @Test func `half a queue is sent before its time`() async throws {
    let collector = Collector()
    try await collector.run { endpoint in
      let tracer = OTLPTracer(queueLimit: 100)
      try await Self.exporting(tracer, to: endpoint, { $0.interval = .seconds(3600) }) {
        // The exporter may not wait yet when the first half is full.
        while collector.requests == 0 {
          tracer.startSpan("call").end()
          await Task.detached {}.value
        }
      }
    }
    #expect(collector.spans.count >= 50)
  }

  // MARK: - Collectors that do not work

  /// Spans end at once and the memory is bounded, however long the collector is silent.
  private static func endure(_ endpoint: OTLPEndpoint) async throws {
    let metrics = PrometheusMetrics()
    let tracer = OTLPTracer(queueLimit: 1000, metrics: metrics)
    let clock = ContinuousClock()
    let impatient: (inout OTLPConfiguration) -> Void = {
      $0.timeout = .milliseconds(50)
      $0.lastTimeout = .milliseconds(50)
    }
    try await exporting(tracer, to: endpoint, impatient) {
      let time = clock.measure { for _ in 0 ..< 50_000 { tracer.startSpan("call").end() } }
      // A thousandth of that would do; what counts is that no span waits for a collector.
      #expect(time < .seconds(30))
    }
    let page = metrics.page(.text)
    #expect(page.contains("layout_trace_spans_dropped_total{reason=\"queue_full\"}"))
    #expect(Self.count(metrics, "layout_trace_spans_exported_total") == "0")
    let lost = page.split(separator: "\n").filter {
      $0.hasPrefix("layout_trace_spans_dropped_total{")
    }.compactMap { Int($0.split(separator: " ").last ?? "") }.reduce(0, +)
    #expect(lost == 50_000)
  }

  @Test func `a collector that is not there costs nothing but the spans`() async throws {
    // A port that was free a moment ago.
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = listener.localAddress?.port ?? 0
    try await listener.close()
    try await Self.endure(#require(OTLPEndpoint("http://127.0.0.1:\(port)")))
  }

  @Test func `a collector that never answers costs nothing but the spans`() async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = listener.localAddress?.port ?? 0
    try await Self.endure(#require(OTLPEndpoint("http://127.0.0.1:\(port)")))
    try await listener.close()
  }
}
