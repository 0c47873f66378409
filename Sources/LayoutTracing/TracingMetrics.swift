// SPDX-License-Identifier: Apache-2.0

internal import Metrics

/// The labels of the metrics that tracing makes.
public enum TracingMetricLabel {
  /// Spans that a collector accepted.
  public static let exported = "layout.trace.spans.exported"
  /// Spans that were lost: "reason".
  public static let dropped = "layout.trace.spans.dropped"
}

/// Counts what happened to spans.
struct TracingMetrics: Sendable {
  /// Why spans are lost. The raw value is the value of the metrics' label.
  enum DropReason: String, CaseIterable {
    /// More spans ended than were exported.
    case queueFull = "queue_full"
    /// The collector was unreachable, or refused the request.
    case exportFailed = "export_failed"
    /// The collector accepted the request without them.
    case rejected
    /// The server ended before they were sent.
    case shutdown
  }

  private let exportedSpans: Counter
  private let droppedSpans: [DropReason: Counter]

  init(_ metrics: any MetricsFactory) {
    exportedSpans = Counter(label: TracingMetricLabel.exported, factory: metrics)
    droppedSpans = Dictionary(
      uniqueKeysWithValues: DropReason.allCases.map { reason in
        let dimensions = [("reason", reason.rawValue)]
        return (
          reason,
          Counter(label: TracingMetricLabel.dropped, dimensions: dimensions, factory: metrics)
        )
      }
    )
  }

  func exported(_ count: Int) { if count > 0 { exportedSpans.increment(by: count) } }

  func dropped(_ count: Int, _ reason: DropReason) {
    if count > 0 { droppedSpans[reason]?.increment(by: count) }
  }
}
