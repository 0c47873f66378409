// SPDX-License-Identifier: Apache-2.0

internal import Tracing

/// Everything that is known about a span.
struct SpanRecord: Sendable {
  let context: TraceContext
  /// nil = the span is the first of its trace.
  let parent: TraceContext?
  var name: String
  let kind: SpanKind
  let start: UInt64
  var end: UInt64 = 0
  var attributes = SpanAttributes()
  var events: [SpanEvent] = []
  var links: [SpanLink] = []
  var status: SpanStatus?
  /// The number of events and links beyond the limit.
  var droppedEvents = 0
  var droppedLinks = 0

  /// The most attributes of a span, of an event and of a link that are exported.
  static let attributeLimit = 64
  /// Characters of a text that are exported.
  static let textLimit = 512
  private static let eventLimit = 32
  private static let linkLimit = 32

  mutating func add(_ event: SpanEvent) {
    guard events.count < Self.eventLimit else {
      droppedEvents += 1
      return
    }
    events.append(event)
  }

  mutating func add(_ link: SpanLink) {
    guard links.count < Self.linkLimit else {
      droppedLinks += 1
      return
    }
    links.append(link)
  }
}
