// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
public import Tracing

/// A span of an `OTLPTracer`.
public final class RecordedSpan: Span {
  private struct State {
    /// nil = the span is not recorded.
    var record: SpanRecord?
    var hasEnded = false
  }

  /// The context of the span, for the spans below it.
  public let context: InstrumentationContext
  /// Whether what is said about the span is kept.
  public let isRecording: Bool
  private let state: Mutex<State>
  private let finished: @Sendable (SpanRecord) -> Void

  /// - Parameters:
  ///   - record: nil = the span is not recorded.
  ///   - finished: takes the record when the span ends.
  init(
    _ record: SpanRecord?,
    in context: InstrumentationContext,
    finished: @escaping @Sendable (SpanRecord) -> Void
  ) {
    self.context = context
    self.finished = finished
    isRecording = record != nil
    state = Mutex(State(record: record))
  }

  /// The name of the operation. Changes after the span's end have no effect.
  public var operationName: String {
    get { state.withLock { $0.record?.name } ?? "" }
    set { change { $0.name = newValue } }
  }

  /// The attributes of the span. Changes after its end have no effect.
  public var attributes: SpanAttributes {
    get { state.withLock { $0.record?.attributes } ?? [:] }
    set { change { $0.attributes = newValue } }
  }

  /// Whether it went well.
  public func setStatus(_ status: SpanStatus) { change { $0.status = status } }

  /// Something that happened in it. Only the first 32 are kept.
  public func addEvent(_ event: SpanEvent) { change { $0.add(event) } }

  /// Another span that is related to it. Only the first 32 are kept.
  public func addLink(_ link: SpanLink) { change { $0.add(link) } }

  /// Adds an error as an event. Its text is left out, because it may contain what clients sent.
  public func recordError<Instant: TracerInstant>(
    _ error: any Error,
    attributes: SpanAttributes,
    at instant: @autoclosure () -> Instant
  ) {
    var attributes = attributes
    attributes["exception.type"] = String(reflecting: type(of: error))
    addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
  }

  /// Ends the span and hands it to the exporter. Repeated calls have no effect.
  public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let end = instant().nanosecondsSinceEpoch
    let record = state.withLock { state -> SpanRecord? in
      guard !state.hasEnded, var record = state.record else { return nil }
      // The machine's clock may have been set back since the start.
      record.end = max(end, record.start)
      state.hasEnded = true
      state.record = record
      return record
    }
    if let record { finished(record) }
  }

  private func change(_ body: (inout SpanRecord) -> Void) {
    state.withLock { state in
      guard !state.hasEnded, var record = state.record.take() else { return }
      body(&record)
      state.record = record
    }
  }
}
