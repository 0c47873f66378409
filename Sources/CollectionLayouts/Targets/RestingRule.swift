// SPDX-License-Identifier: Apache-2.0

/// The direction in which content is flicked along one axis.
public enum ScrollFlick: Hashable, Sendable {
  /// The finger lifts at rest, or too slowly for a flick.
  case none
  /// The offset grows.
  case forward
  /// The offset falls.
  case backward

  /// The least speed of a flick, in points a second.
  public static let leastSpeed = 300.0

  /// The flick with this change of the offset, in points a second.
  public init(velocity: Double) {
    self = velocity >= Self.leastSpeed ? .forward : velocity <= -Self.leastSpeed ? .backward : .none
  }
}

/// Chooses among the offsets at which scrolling may rest along one axis.
///
/// Without a flick it is the one nearest to where scrolling would end by itself. A flick goes at
/// least to the next offset in its direction. With a limit it goes at most to the next offset in
/// either direction.
struct RestingRule {
  /// Where scrolling would end by itself.
  var wanted: Double
  /// Where scrolling is.
  var current: Double
  /// The direction of the flick, in the coordinate of `wanted` and `current`.
  var flick: ScrollFlick
  /// Whether it ends at most one place away.
  var isLimitedToOne: Bool
  /// How near to a place counts as resting there, in points: renderers round offsets to pixels.
  var tolerance = RestingRule.tolerance

  static let tolerance = 0.5

  /// The part of an axis in which a place has to be.
  enum Bound {
    case above(Double)
    case below(Double)

    func admits(_ offset: Double) -> Bool {
      switch self {
      case .above(let least): offset > least
      case .below(let most): offset < most
      }
    }

    /// The offset if it is within the bound, else the bound itself.
    func nearest(to offset: Double) -> Double {
      switch self {
      case .above(let least): max(offset, least)
      case .below(let most): min(offset, most)
      }
    }
  }

  /// A place at which scrolling may rest.
  struct Place<Value> {
    var offset: Double
    var value: Value
  }

  /// The place at which scrolling rests; nil if there is none at all.
  ///
  /// - Parameter nearest: returns the place nearest to an offset, among those within a bound; nil
  ///   if there is none. It is called three times at most.
  func place<Value>(
    _ nearest: (_ offset: Double, _ bound: Bound?) -> Place<Value>?
  ) -> Place<Value>? {
    let next = Bound.above(current + tolerance)
    let previous = Bound.below(current - tolerance)
    switch flick {
    case .forward:
      let offset = isLimitedToOne ? current : max(wanted, current)
      return nearest(offset, next) ?? nearest(offset, nil)
    case .backward:
      let offset = isLimitedToOne ? current : min(wanted, current)
      return nearest(offset, previous) ?? nearest(offset, nil)
    case .none:
      guard let found = nearest(wanted, nil) else { return nil }
      guard isLimitedToOne else { return found }
      if next.admits(found.offset) { return nearest(current, next) ?? found }
      if previous.admits(found.offset) { return nearest(current, previous) ?? found }
      return found
    }
  }
}
