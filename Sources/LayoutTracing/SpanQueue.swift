// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Metrics
internal import Synchronization

/// Ended spans that wait to be exported. Beyond the limit, further ones are dropped.
final class SpanQueue: Sendable {
  private struct State {
    var spans = Deque<SpanRecord>()
    /// Waits for spans; nil = nobody does.
    var waiter: AsyncStream<Void>.Continuation?
    var isClosed = false
  }

  private let limit: Int
  private let state = Mutex(State())
  private let metrics: TracingMetrics

  init(limit: Int, metrics: any MetricsFactory) {
    self.limit = max(1, limit)
    self.metrics = TracingMetrics(metrics)
  }

  var count: Int { state.withLock { $0.spans.count } }

  /// Takes a span; it is dropped if there are too many or nobody exports any more.
  func append(_ span: SpanRecord) {
    let (isTaken, waiter) = state.withLock { state in
      guard state.spans.count < limit, !state.isClosed else {
        return (false, state.waiter)
      }
      state.spans.append(span)
      // Half a queue is a good batch; fewer spans can wait until the interval is over.
      return (true, state.spans.count * 2 >= limit ? state.waiter : nil)
    }
    if !isTaken { metrics.dropped(1, .queueFull) }
    waiter?.yield()
  }

  /// Removes and returns the oldest spans.
  func take(atMost count: Int) -> [SpanRecord] {
    state.withLock { state in
      let taken = Array(state.spans.prefix(count))
      state.spans.removeFirst(taken.count)
      return taken
    }
  }

  /// Puts spans that could not be exported back to the front.
  func putBack(_ spans: [SpanRecord]) { state.withLock { $0.spans.prepend(contentsOf: spans) } }

  /// Counts spans that were taken and exported.
  func exported(_ count: Int) { metrics.exported(count) }

  /// Counts spans that were taken and lost.
  func dropped(_ count: Int, _ reason: TracingMetrics.DropReason) {
    metrics.dropped(count, reason)
  }

  /// Wakes the exporter, so that it looks for spans.
  func wake() { state.withLock { $0.waiter }?.yield() }

  /// Fires when the queue is half full, and by `wake()`. For one consumer.
  func wakings() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    state.withLock { $0.waiter = continuation }
    return stream
  }

  /// Accepts no more spans, and drops the remaining ones.
  func close() {
    let left = state.withLock { state in
      state.isClosed = true
      defer { state.spans = [] }
      return state.spans.count
    }
    metrics.dropped(left, .shutdown)
  }
}
