// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Tracing

@testable import LayoutTracing

@Suite(.timeLimit(.minutes(1)))
struct TracerTests {
  @Test func `a span that ended waits with what was said of it`() throws {
    let tracer = OTLPTracer()
    let parent = tracer.startSpan("call", ofKind: .server)
    let child = tracer.startSpan("commit", context: parent.context)
    child.attributes["layout.collection"] = "art"
    child.addEvent("applied")
    child.setStatus(SpanStatus(code: .error, message: "no"))
    child.end()
    child.attributes["late"] = 1
    child.end()
    let records = tracer.queue.take(atMost: 10)
    let record = try #require(records.first)
    #expect(records.count == 1)
    #expect(record.parent?.span == parent.context.trace?.span)
    #expect(record.context.trace == parent.context.trace?.trace)
    #expect(record.attributes.count == 1)
    #expect(record.events.map(\.name) == ["applied"])
    #expect(record.status?.code == .error)
    #expect(record.end >= record.start)
  }

  @Test func `nothing is kept of a trace that is not sampled`() {
    let tracer = OTLPTracer(sampling: TraceSampling(ratio: 0))
    let span = tracer.startSpan("call")
    let child = tracer.startSpan("commit", context: span.context)
    child.end()
    span.end()
    #expect(!span.isRecording)
    #expect(!child.isRecording)
    #expect(tracer.queue.count == 0)
  }

  @Test func `the caller's decision counts more than the ratio`() {
    let identifiers = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    var context = InstrumentationContext.topLevel
    context.trace = TraceContext(traceParent: "00-\(identifiers)-01")
    #expect(
      OTLPTracer(sampling: TraceSampling(ratio: 0)).startSpan("a", context: context).isRecording
    )
    context.trace = TraceContext(traceParent: "00-\(identifiers)-00")
    #expect(
      !OTLPTracer(sampling: TraceSampling(ratio: 1)).startSpan("a", context: context).isRecording
    )
  }

  @Test func `callers decide only for so many calls per second`() {
    var context = InstrumentationContext.topLevel
    let identifiers = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    context.trace = TraceContext(traceParent: "00-\(identifiers)-01")
    let tracer = OTLPTracer(sampling: TraceSampling(ratio: 0, callsPerSecond: 3))
    let spans = (0 ..< 1000).map { _ in tracer.startSpan("a", context: context) }
    let recorded = spans.map(\.isRecording)
    let count = recorded.count { $0 }
    // Perhaps a second ends meanwhile.
    #expect(recorded.prefix(3) == [true, true, true] && count < 100)
    // What belongs to a call that is recorded is recorded as well.
    #expect(tracer.startSpan("b", context: spans[0].context).isRecording)
  }

  private static let parts: [(Double, ClosedRange<Int>)] = [
    (0, 0 ... 0), (0.25, 2200 ... 2800), (1, 10_000 ... 10_000), (.nan, 0 ... 0),
    (7, 10_000 ... 10_000),
  ]

  @Test(arguments: parts)
  func `of the traces that begin here a part is recorded`(
    _ ratio: Double,
    _ allowed: ClosedRange<Int>
  ) {
    var generator = SplitMix64(seed: 11)
    let sampling = TraceSampling(ratio: ratio)
    let count = (0 ..< 10_000).count { _ in sampling.records(TraceIdentifier(using: &generator)) }
    #expect(allowed.contains(count))
  }

  @Test func `a full queue drops what comes, and a span never waits`() {
    let tracer = OTLPTracer(queueLimit: 100)
    for _ in 0 ..< 1000 { tracer.startSpan("call").end() }
    #expect(tracer.queue.count == 100)
    tracer.queue.close()
    tracer.startSpan("late").end()
    #expect(tracer.queue.count == 0)
  }

  @Test func `a span keeps a limited number of events`() throws {
    let tracer = OTLPTracer()
    let span = tracer.startSpan("call")
    for _ in 0 ..< 100 { span.addEvent("again") }
    span.end()
    let record = try #require(tracer.queue.take(atMost: 1).first)
    #expect(record.events.count == 32)
    #expect(record.droppedEvents == 68)
  }

  // MARK: - Retries

  @Test func `delays double up to the longest, a part of them at random`() {
    let retries = ExportRetries()
    let longest = (1 ... 4).map { retries.delay(after: $0, wanted: nil, random: 0) }
    #expect(longest == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    #expect(retries.delay(after: 2, wanted: nil, random: 1) == .seconds(1))
    #expect(retries.delay(after: 5, wanted: nil, random: 0) == nil)
    var many = retries
    many.attempts = .max
    #expect(many.delay(after: 1_000_000, wanted: nil, random: 0) == .seconds(30))
  }

  @Test func `a collector may ask for a delay, but not for any`() {
    let retries = ExportRetries()
    #expect(retries.delay(after: 1, wanted: .seconds(3), random: 0.5) == .seconds(3))
    #expect(retries.delay(after: 1, wanted: .seconds(86_400), random: 0.5) == .seconds(30))
    #expect(retries.delay(after: 1, wanted: .seconds(-1), random: 0.5) == .zero)
  }

  // MARK: - Endpoints

  @Test(arguments: [
    ("http://127.0.0.1:4317", "127.0.0.1", 4317, false),
    ("https://collector.example.org/", "collector.example.org", 4317, true),
    ("http://[::1]:9", "::1", 9, false), ("http://[::1]", "::1", 4317, false),
  ])
  func `an endpoint is a URL`(_ text: String, _ host: String, _ port: Int, _ isEncrypted: Bool) {
    let endpoint = OTLPEndpoint(text)
    #expect(endpoint?.host == host)
    #expect(endpoint?.port == port)
    #expect(endpoint?.isEncrypted == isEncrypted)
  }

  @Test(arguments: [
    "", "127.0.0.1:4317", "grpc://a:1", "http://", "http://:4317", "http://a:0", "http://a:65536",
    "http://a:+1", "http://a/v1/traces", "http://a b", "http://user:secret@a", "http://[::1",
    "http://[]:1",
  ])
  func `other texts are no endpoints`(_ text: String) {
    #expect(OTLPEndpoint(text) == nil)
  }
}
