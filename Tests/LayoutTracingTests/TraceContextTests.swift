// SPDX-License-Identifier: Apache-2.0

import Testing
import Tracing

@testable import LayoutTracing

@Suite(.timeLimit(.minutes(1)))
struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  @Test func `what is read is written again`() throws {
    let header = "00-\(Self.trace)-\(Self.span)-01"
    let context = try #require(TraceContext(traceParent: header))
    #expect(context.trace.description == Self.trace)
    #expect(context.span.description == Self.span)
    #expect(context.isSampled)
    #expect(context.isRemote)
    #expect(context.traceParent == header)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
    "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-extra", "ff-\(trace)-\(span)-01",
    "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span)-0g",
    "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    "0-\(trace)-\(span)-01", "00_\(trace)_\(span)_01",
    "00-\(trace)-\(span)-01,00-\(trace)-\(span)-01",
    "01-\(trace)-\(span)-01.extra", "00-\(trace)\u{e9}-\(span)-01",
  ])
  func `a malformed header is ignored`(_ header: String) {
    #expect(TraceContext(traceParent: header) == nil)
  }

  @Test(arguments: ["01-\(trace)-\(span)-01", "cc-\(trace)-\(span)-01-what-comes-later"])
  func `of a newer version the known fields are read`(_ header: String) throws {
    let context = try #require(TraceContext(traceParent: header))
    #expect(context.traceParent == "00-\(Self.trace)-\(Self.span)-01")
  }

  @Test func `flags without a meaning are not handed on`() throws {
    let context = try #require(TraceContext(traceParent: "00-\(Self.trace)-\(Self.span)-fe"))
    #expect(!context.isSampled)
    #expect(context.traceParent.hasSuffix("-02"))
  }

  // MARK: - tracestate

  @Test(arguments: [
    ("congo=t61rcWkgMzE", "congo=t61rcWkgMzE"), (" a=1 ,\tb=2\t", "a=1,b=2"),
    ("a=1,,b=2,", "a=1,b=2"),
    ("tenant@system=value with spaces", "tenant@system=value with spaces"),
    ("0a_-*/=x", "0a_-*/=x"),
    ("", ""), (" , ", ""),
  ])
  func `members are handed on in their order`(_ header: String, _ expected: String) {
    #expect(TraceState(header)?.description == expected)
  }

  @Test(arguments: [
    "a", "=1", "a=", "A=1", "_a=1", "a b=1", "a=1=2", "a=1,a=2", "a=\u{7f}", "a=é",
    (1 ... 33).map { "k\($0)=v" }.joined(separator: ","),
    "a=\(String(repeating: "x", count: 257))", "\(String(repeating: "x", count: 257))=1",
  ])
  func `a malformed state is left out`(_ header: String) {
    #expect(TraceState(header) == nil)
  }

  @Test func `of too much state large members go first, then the last ones`() throws {
    let large = "large=\(String(repeating: "x", count: 200))"
    let small = (0 ..< 30).map { "k\($0)=\(String(repeating: "y", count: 18))" }
    let state = try #require(TraceState(([large] + small).joined(separator: ",")))
    let left = state.description.split(separator: ",").map(String.init)
    #expect(state.description.utf8.count <= 512)
    #expect(!left.contains(large))
    #expect(left == Array(small.prefix(left.count)))
    #expect(left.count > 20)
  }

  // MARK: - Through the tracer

  private struct Headers: Extractor, Injector {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
      carrier[key] = value
    }
  }

  @Test func `a bad state does not spoil the trace, a bad parent spoils both`() {
    let tracer = OTLPTracer()
    var context = InstrumentationContext.topLevel
    let parent = "00-\(Self.trace)-\(Self.span)-01"
    tracer.extract(
      ["traceparent": "  \(parent)\t", "tracestate": "A=1"],
      into: &context,
      using: Headers()
    )
    #expect(context.trace?.trace.description == Self.trace)
    #expect(context.trace?.state.description == "")
    var other = InstrumentationContext.topLevel
    tracer.extract(["traceparent": "00", "tracestate": "a=1"], into: &other, using: Headers())
    #expect(other.trace == nil)
  }

  @Test func `what a span hands on names it, its trace and the state`() throws {
    let tracer = OTLPTracer()
    var context = InstrumentationContext.topLevel
    let headers = ["traceparent": "00-\(Self.trace)-\(Self.span)-01", "tracestate": "a=1"]
    tracer.extract(headers, into: &context, using: Headers())
    let span = tracer.startSpan("work", context: context)
    var carrier: [String: String] = [:]
    tracer.inject(span.context, into: &carrier, using: Headers())
    let own = try #require(span.context.trace?.span)
    #expect(carrier == ["traceparent": "00-\(Self.trace)-\(own)-01", "tracestate": "a=1"])
    #expect(own.description != Self.span)
  }
}
