// SPDX-License-Identifier: Apache-2.0

internal import SwiftProtobuf
internal import Tracing

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

typealias ExportRequest = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest
typealias ExportResponse = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse
private typealias KeyValue = Opentelemetry_Proto_Common_V1_KeyValue
private typealias AnyValue = Opentelemetry_Proto_Common_V1_AnyValue

extension ExportRequest {
  /// A request with all of the spans.
  init(_ spans: [SpanRecord], resource: [(key: String, value: String)]) {
    var scope = Opentelemetry_Proto_Trace_V1_ScopeSpans()
    scope.scope.name = "layout-server"
    scope.spans = spans.map { Opentelemetry_Proto_Trace_V1_Span($0) }
    var group = Opentelemetry_Proto_Trace_V1_ResourceSpans()
    group.resource.attributes = resource.map { KeyValue($0.key, .string($0.value)) }
    group.scopeSpans = [scope]
    self.init()
    resourceSpans = [group]
  }
}

extension Opentelemetry_Proto_Trace_V1_Span {
  fileprivate init(_ span: SpanRecord) {
    self.init()
    traceID = Data(span.context.trace.bytes)
    spanID = Data(span.context.span.bytes)
    traceState = span.context.state.description
    if let parent = span.parent { parentSpanID = Data(parent.span.bytes) }
    flags = UInt32(span.context.flags) | Self.knowsParent
    if span.parent?.isRemote == true { flags |= Self.hasRemoteParent }
    name = span.name
    kind = Opentelemetry_Proto_Trace_V1_Span.SpanKind(span.kind)
    startTimeUnixNano = span.start
    endTimeUnixNano = span.end
    attributes = span.attributes.encoded
    droppedAttributesCount = UInt32(clamping: span.attributes.count - attributes.count)
    events = span.events.map { event in
      var message = Opentelemetry_Proto_Trace_V1_Span.Event()
      message.timeUnixNano = event.nanosecondsSinceEpoch
      message.name = event.name
      message.attributes = event.attributes.encoded
      return message
    }
    droppedEventsCount = UInt32(clamping: span.droppedEvents)
    links = span.links.compactMap { Link($0) }
    droppedLinksCount = UInt32(clamping: span.droppedLinks)
    if let status = span.status {
      self.status.code = status.code == .ok ? .ok : .error
      self.status.message = String((status.message ?? "").prefix(SpanRecord.textLimit))
    }
  }

  fileprivate static let knowsParent: UInt32 = 0x100
  fileprivate static let hasRemoteParent: UInt32 = 0x200
}

extension Opentelemetry_Proto_Trace_V1_Span.Link {
  /// nil = the linked span does not belong to this tracer.
  fileprivate init?(_ link: SpanLink) {
    guard let trace = link.context.trace else { return nil }
    self.init()
    traceID = Data(trace.trace.bytes)
    spanID = Data(trace.span.bytes)
    traceState = trace.state.description
    attributes = link.attributes.encoded
    flags = UInt32(trace.flags) | Opentelemetry_Proto_Trace_V1_Span.knowsParent
    if trace.isRemote { flags |= Opentelemetry_Proto_Trace_V1_Span.hasRemoteParent }
  }
}

extension Opentelemetry_Proto_Trace_V1_Span.SpanKind {
  fileprivate init(_ kind: SpanKind) {
    switch kind {
    case .server: self = .server
    case .client: self = .client
    case .producer: self = .producer
    case .consumer: self = .consumer
    case .internal: self = .internal
    }
  }
}

extension SpanAttributes {
  /// In the order of their names. Attributes beyond the limit are left out.
  fileprivate var encoded: [KeyValue] {
    var all: [(key: String, value: SpanAttribute)] = []
    forEach { all.append(($0, $1)) }
    return all.sorted { $0.key < $1.key }.prefix(SpanRecord.attributeLimit)
      .map { KeyValue($0.key, $0.value) }
  }
}

extension Opentelemetry_Proto_Common_V1_KeyValue {
  fileprivate init(_ key: String, _ value: SpanAttribute) {
    self.init()
    self.key = key
    self.value = AnyValue(value)
  }
}

extension Opentelemetry_Proto_Common_V1_AnyValue {
  fileprivate init(_ value: SpanAttribute) {
    self.init()
    switch value {
    case .int32(let number): intValue = Int64(number)
    case .int64(let number): intValue = number
    case .double(let number): doubleValue = number
    case .bool(let isTrue): boolValue = isTrue
    case .string(let text): stringValue = Self.clipped(text)
    case .stringConvertible(let value): stringValue = Self.clipped("\(value)")
    case .int32Array(let list): arrayValue = Self.list(list) { .int64(Int64($0)) }
    case .int64Array(let list): arrayValue = Self.list(list) { .int64($0) }
    case .doubleArray(let list): arrayValue = Self.list(list) { .double($0) }
    case .boolArray(let list): arrayValue = Self.list(list) { .bool($0) }
    case .stringArray(let list): arrayValue = Self.list(list) { .string($0) }
    case .stringConvertibleArray(let list): arrayValue = Self.list(list) { .string("\($0)") }
    default: break
    }
  }

  private static func clipped(_ text: String) -> String {
    String(text.prefix(SpanRecord.textLimit))
  }

  private static func list<Element>(
    _ elements: [Element],
    _ attribute: (Element) -> SpanAttribute
  ) -> Opentelemetry_Proto_Common_V1_ArrayValue {
    var list = Opentelemetry_Proto_Common_V1_ArrayValue()
    list.values = elements.prefix(SpanRecord.attributeLimit).map { Self(attribute($0)) }
    return list
  }
}
