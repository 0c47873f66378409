// SPDX-License-Identifier: Apache-2.0

/// Which items a client is told to prepare before they come into sight.
///
/// Candidates are cells within the distances beyond the visible rect, which includes what content
/// insets cover. If there are more than `maxItems`, those ahead come first, then the nearest ones.
public struct PrefetchOptions: Hashable, Sendable {
  /// The most candidates: 0 to 1,000; 0 = nothing is prefetched.
  public var maxItems: Int
  /// How far candidates may be beyond the visible rect, in viewports: in the direction of
  /// scrolling, and in both directions of an axis at rest. 0 to 5; nil = 1.
  public var distanceAhead: Double?
  /// The same against the direction of scrolling. 0 to 5; nil = 0.5.
  public var distanceBehind: Double?

  /// The most candidates that a client may ask for.
  public static let greatestMaxItems = 1000
  /// The greatest distance, in viewports.
  static let greatestDistance = 5.0

  /// Options with the given values; by default nothing is prefetched.
  public init(
    maxItems: Int = 0,
    distanceAhead: Double? = nil,
    distanceBehind: Double? = nil
  ) {
    self.maxItems = maxItems
    self.distanceAhead = distanceAhead
    self.distanceBehind = distanceBehind
  }

  /// Whether anything is prefetched.
  public var isOn: Bool { maxItems > 0 }

  /// The options that a session uses: every value is set, and brought within its range.
  var granted: PrefetchOptions {
    guard isOn else { return PrefetchOptions() }
    return PrefetchOptions(
      maxItems: min(maxItems, Self.greatestMaxItems),
      distanceAhead: Self.granted(distanceAhead ?? 1),
      distanceBehind: Self.granted(distanceBehind ?? 0.5)
    )
  }

  private static func granted(_ distance: Double) -> Double {
    distance.isFinite ? min(max(distance, 0), greatestDistance) : 0
  }
}
