// SPDX-License-Identifier: Apache-2.0

internal import Tracing

/// Spans below that of the call, or of an action of a stream. If nothing is traced, they cost a
/// lookup of a task-local value.
///
/// Attributes never contain item keys, tokens, or text of clients except names of collections.
enum Spans {
  /// The span that new spans are children of.
  private struct Scope: Sendable {
    var tracer: any Tracer
    var span: any Span
  }

  private enum ScopeKey: InstrumentationContextKey {
    typealias Value = Scope
  }

  private static var scope: Scope? { InstrumentationContext.current?[ScopeKey.self] }

  /// Runs `body` with `span` as the parent of new spans.
  static func run<Value, Failure: Error>(
    below span: any Span,
    of tracer: any Tracer,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    var context = span.context
    context[ScopeKey.self] = Scope(tracer: tracer, span: span)
    let result: Result<Value, Failure> = await InstrumentationContext.withValue(context) {
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs `body` in a child of the current span, if there is one.
  static func run<Value, Failure: Error>(
    _ name: String,
    _ attributes: @autoclosure () -> SpanAttributes = [:],
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let scope else { return try await body() }
    let span = scope.tracer.startAnySpan(name)
    span.attributes = attributes()
    do throws(Failure) {
      let value = try await run(below: span, of: scope.tracer, body)
      span.end()
      return value
    } catch {
      span.end(after: error)
      throw error
    }
  }

  /// Adds attributes to the current span.
  static func annotate(_ change: (inout SpanAttributes) -> Void) {
    scope?.span.updateAttributes(change)
  }

  /// Records a child of the current span for something that has just ended.
  static func note(
    _ name: String,
    took duration: Duration,
    _ attributes: @autoclosure () -> SpanAttributes,
    error: (any Error)? = nil
  ) {
    guard let scope else { return }
    note(name, took: duration, attributes(), error: error, of: scope.tracer, in: .current)
  }

  /// Records a child of the current span for an operation of the store.
  static func note(storeOperation name: String, took duration: Duration, error: (any Error)?) {
    note("store \(name)", took: duration, ["db.operation.name": .string(name)], error: error)
  }

  /// Records a span for something that has just ended.
  static func note(
    _ name: String,
    took duration: Duration,
    _ attributes: SpanAttributes,
    error: (any Error)? = nil,
    of tracer: any Tracer,
    in context: InstrumentationContext?
  ) {
    let end = DefaultTracerClock.now.nanosecondsSinceEpoch
    let length = min(UInt64(clamping: duration.wholeNanoseconds), end)
    let span: any Span = tracer.startSpan(
      name,
      context: context ?? .topLevel,
      at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end - length)
    )
    span.attributes = attributes
    span.end(after: error, at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
  }
}

extension Span {
  /// Ends the span. The error is that of the operation; nil = it succeeded.
  func end(
    after error: (any Error)?,
    at instant: DefaultTracerClock.Timestamp = DefaultTracerClock.now
  ) {
    if let error {
      let isCancelled = error is CancellationError
      updateAttributes { attributes in
        attributes["error.type"] = CallStatus.reason(of: error) ?? CallStatus.name(of: error)
      }
      if !isCancelled { setStatus(SpanStatus(code: .error)) }
    }
    end(at: instant)
  }
}
