// SPDX-License-Identifier: Apache-2.0

/// How fast scrolling loses speed after the finger has lifted.
public enum DecelerationRate: UInt8, Hashable, Sendable, CaseIterable {
  /// As `UIScrollView.DecelerationRate.normal`.
  case normal
  /// As `UIScrollView.DecelerationRate.fast`.
  case fast

  /// The part of the speed that is left after one millisecond.
  public var perMillisecond: Double {
    switch self {
    case .normal: 0.998
    case .fast: 0.99
    }
  }

  /// Where scrolling ends by itself.
  ///
  /// The speed falls by the same factor every millisecond, so the distance is a geometric series:
  /// the projection that Apple showed in "Designing Fluid Interfaces" (WWDC 2018, session 803).
  ///
  /// - Parameters:
  ///   - offset: where scrolling is, in points.
  ///   - velocity: the change of the offset, in points a second.
  public func offset(from offset: Double, velocity: Double) -> Double {
    offset + velocity / 1000 * perMillisecond / (1 - perMillisecond)
  }
}
