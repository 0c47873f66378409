// SPDX-License-Identifier: Apache-2.0

public import Metrics
internal import Synchronization
public import Tracing

/// A tracer whose spans an `OTLPExporter` sends to a collector of OpenTelemetry's. It reads and
/// writes the headers of W3C Trace Context.
///
///     let tracer = OTLPTracer(sampling: TraceSampling(ratio: 0.01))
///     let server = LayoutServer(tracer: tracer)
///     let exporter = OTLPExporter(tracer, configuration: OTLPConfiguration(endpoint: endpoint))
///     async let exporting: Void = exporter.run()
///
/// A span that has ended goes to a queue, and never waits. Beyond the queue's limit spans are
/// dropped and counted.
public final class OTLPTracer: Tracer {
  /// A span of this tracer.
  public typealias Span = RecordedSpan

  let queue: SpanQueue
  private let sampling: TraceSampling
  /// The second in which calls were recorded because their caller said so, and how many.
  private let calls = Mutex((begin: ContinuousClock.now, count: 0))

  /// A tracer without spans.
  ///
  /// - Parameters:
  ///   - queueLimit: spans that may wait to be exported.
  ///   - metrics: makes the metrics, whose labels are in `TracingMetricLabel`.
  public init(
    sampling: TraceSampling = TraceSampling(ratio: 1),
    queueLimit: Int = 2048,
    metrics: any MetricsFactory = MetricsSystem.factory
  ) {
    self.sampling = sampling
    queue = SpanQueue(limit: queueLimit, metrics: metrics)
  }

  /// Begins a span below the one of `context`, or a trace. A span that is not sampled is not
  /// recorded.
  public func startSpan<Instant: TracerInstant>(
    _ operationName: String,
    context: @autoclosure () -> InstrumentationContext,
    ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant,
    function: String,
    file fileID: String,
    line: UInt
  ) -> RecordedSpan {
    var context = context()
    let parent = context.trace
    var generator = SystemRandomNumberGenerator()
    let trace = parent?.trace ?? TraceIdentifier(using: &generator)
    // Traces that begin here have random identifiers.
    var flags: UInt8 = parent?.flags ?? (sampling.records(trace) ? 0b11 : 0b10)
    if let parent, parent.isRemote, parent.isSampled, !sampling.records(trace), !takesCall() {
      flags &= ~1
    }
    let own = TraceContext(
      trace: trace,
      span: SpanIdentifier(using: &generator),
      flags: flags,
      state: parent?.state ?? TraceState(),
      isRemote: false
    )
    context.trace = own
    guard own.isSampled else { return RecordedSpan(nil, in: context) { _ in } }
    let record = SpanRecord(
      context: own,
      parent: parent,
      name: operationName,
      kind: kind,
      start: instant().nanosecondsSinceEpoch
    )
    return RecordedSpan(record, in: context) { [queue] in queue.append($0) }
  }

  /// Counts a call that is recorded because its caller says so, which anybody can say.
  ///
  /// - Returns: whether there were not too many in this second.
  private func takesCall() -> Bool {
    let now = ContinuousClock.now
    return calls.withLock { calls in
      if now - calls.begin >= .seconds(1) { calls = (now, 0) }
      calls.count += 1
      return calls.count <= sampling.callsPerSecond
    }
  }

  /// Does nothing: the exporter sends spans in its own time.
  @available(*, deprecated)
  public func forceFlush() {}

  // MARK: - Propagation

  /// Reads `traceparent` and `tracestate`. If the first is malformed, both are ignored.
  public func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier,
    into context: inout InstrumentationContext,
    using extractor: Extract
  ) where Extract.Carrier == Carrier {
    guard let parent = extractor.extract(key: "traceparent", from: carrier),
      var trace = TraceContext(traceParent: String(parent.trimmed))
    else { return }
    let state = extractor.extract(key: "tracestate", from: carrier)
    trace.state = state.flatMap { TraceState($0) } ?? TraceState()
    context.trace = trace
  }

  /// Writes `traceparent` and `tracestate`.
  public func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext,
    into carrier: inout Carrier,
    using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let trace = context.trace else { return }
    injector.inject(trace.traceParent, forKey: "traceparent", into: &carrier)
    let state = trace.state.description
    if !state.isEmpty { injector.inject(state, forKey: "tracestate", into: &carrier) }
  }
}
