// SPDX-License-Identifier: Apache-2.0

internal import Metrics
internal import Synchronization

/// How long layouts take, by the kind of the layout, and by whether they are prepared from the
/// contents alone or derived from one of an older version.
public final class LayoutDurations: Sendable {
  private struct Key: Hashable {
    var kind: String
    var isDerived: Bool
  }

  /// The label of the durations of computations that made a layout, including pauses for the turns
  /// of others. Its dimensions are "layout.kind" and "step", which is "prepare" or "derive".
  public static let label = "layout.preparation.duration"

  private let metrics: any MetricsFactory
  /// Handles are made when a kind is first prepared, because the custom kinds are not known before.
  private let timers = Mutex<[Key: Timer]>([:])

  init(_ metrics: any MetricsFactory) { self.metrics = metrics }

  func record(_ duration: Duration, of kind: String, isDerived: Bool) {
    let key = Key(kind: kind, isDerived: isDerived)
    let timer = timers.withLock { timers in
      if let known = timers[key] { return known }
      let timer = Timer(
        label: Self.label,
        dimensions: [("layout.kind", kind), ("step", isDerived ? "derive" : "prepare")],
        factory: metrics
      )
      timers[key] = timer
      return timer
    }
    timer.record(duration: duration)
  }
}
