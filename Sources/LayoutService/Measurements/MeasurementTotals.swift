// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession
internal import Metrics
internal import Synchronization

/// The server's totals of shared sizes.
final class MeasurementTotals: Sendable {
  /// All groups, also those without viewers.
  let groups = Atomic<Int>(0)
  /// The bytes of their sizes.
  let bytes = Atomic<Int>(0)
  private let accepted: Counter
  private let equal: Counter
  private let refused: [SharedRefusal: Counter]

  /// - Parameter metrics: makes the handles.
  init(_ metrics: any MetricsFactory) {
    func counter(_ outcome: String) -> Counter {
      Counter(
        label: ServiceMetricLabel.sharedSizes,
        dimensions: [("outcome", outcome)],
        factory: metrics
      )
    }
    accepted = counter("accepted")
    equal = counter("equal")
    refused = Dictionary(
      uniqueKeysWithValues: SharedRefusal.allCases.map { ($0, counter("refused_\($0.rawValue)")) }
    )
  }

  func count(_ outcome: SharedOutcome) {
    if outcome.accepted > 0 { accepted.increment(by: outcome.accepted) }
    if outcome.equal > 0 { equal.increment(by: outcome.equal) }
    for reason in outcome.refused.values { refused[reason]?.increment() }
  }
}
