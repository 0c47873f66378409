// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// How elements change while they are scrolled through the viewport, as a rule that a server or a
/// renderer can apply.
///
/// An element is near the leading edge of the visible rect, in the middle (its identity), near the
/// trailing edge, or between two of these phases. `ScrollEffectView` computes the result.
public struct ScrollEffect: Hashable, Sendable {
  /// The elements that change, all of one category.
  public var category: ElementCategory
  /// The kinds of these elements; empty = all kinds.
  public var kinds: [String]
  /// The axis along which positions are measured; nil = that along which the element scrolls.
  public var axis: ScrollAxis?
  /// The change of elements near the top or the leading edge; nil = none.
  public var leading: Edge?
  /// The change of elements near the bottom or the trailing edge; nil = none.
  public var trailing: Edge?
  /// The change of elements in the middle; by default none.
  public var identity: Values
  /// Whether elements change at once when they pass the identity's threshold.
  public var isDiscrete: Bool

  /// Makes an effect; the defaults change nothing.
  public init(
    category: ElementCategory = .cell,
    kinds: [String] = [],
    axis: ScrollAxis? = nil,
    leading: Edge? = nil,
    trailing: Edge? = nil,
    identity: Values = Values(),
    isDiscrete: Bool = false
  ) {
    self.category = category
    self.kinds = kinds
    self.axis = axis
    self.leading = leading
    self.trailing = trailing
    self.identity = identity
    self.isDiscrete = isDiscrete
  }

  /// The change of elements near an edge, and where it applies.
  public struct Edge: Hashable, Sendable {
    /// The full change.
    public var values: Values
    /// Where the identity begins. By default where elements are completely visible.
    public var identity: Threshold
    /// Where elements have changed completely. By default where they are no longer visible.
    public var outer: Threshold

    /// Makes an edge with these values.
    public init(
      _ values: Values,
      identity: Threshold = Threshold(visible: 1),
      outer: Threshold = Threshold(visible: 0)
    ) {
      self.values = values
      self.identity = identity
      self.outer = outer
    }
  }

  /// A position of elements near an edge of the visible rect.
  public struct Threshold: Hashable, Sendable {
    /// How much of the element is visible: 0 = it is about to appear, 1 = all of it, or as much as
    /// fits.
    public var visible: Double
    /// How far from that position towards the middle of the visible rect: 0…1.
    public var centered: Double
    /// How much closer to the middle, in points; negative = farther away.
    public var inset: Double

    /// Makes a threshold.
    public init(visible: Double, centered: Double = 0, inset: Double = 0) {
      self.visible = visible
      self.centered = centered
      self.inset = inset
    }

    /// The distance of the element's middle from the edge, in points.
    ///
    /// - Parameter length: the length of the element along the effect's axis.
    /// - Parameter extent: the length of the visible rect.
    func distance(length: Double, extent: Double) -> Double {
      let edge = visible * min(length, extent) - length / 2
      return min(extent / 2, (1 - centered) * edge + centered * extent / 2 + inset)
    }
  }

  /// The changes that effects make to an element. The defaults change nothing.
  public struct Values: Hashable, Sendable {
    /// Multiplies the element's opacity: 0…1.
    public var alpha: Double
    /// A factor about the middle of the element's bounds: 0…4.
    public var scale: Double
    /// A movement in points; x to the right, or to the left in right-to-left environments.
    public var translation: Point
    /// A rotation in radians, clockwise as seen, or counter-clockwise in right-to-left
    /// environments.
    public var rotation: Double
    /// Added to the element's z-index.
    public var zIndex: Int
    /// Whether the element is not drawn.
    public var isHidden: Bool

    /// Makes values; the defaults change nothing.
    public init(
      alpha: Double = 1,
      scale: Double = 1,
      translation: Point = .zero,
      rotation: Double = 0,
      zIndex: Int = 0,
      isHidden: Bool = false
    ) {
      self.alpha = alpha
      self.scale = scale
      self.translation = translation
      self.rotation = rotation
      self.zIndex = zIndex
      self.isHidden = isHidden
    }
  }

  /// The limits of effects. Effects beyond them are refused; if nobody validated them, they are
  /// clamped.
  public enum Limit {
    /// The most effects of one layout.
    public static let effects = 16
    /// The most kinds that the effects of one layout name.
    public static let kinds = 64
    /// The greatest factor, of one effect and of all.
    public static let scale = 4.0
    /// The greatest distance in points that one effect or all may move an element, each way.
    public static let translation = 4096.0
    /// The greatest angle of one effect, in radians.
    public static let rotation = 100.0
    /// The greatest z-index of one effect.
    public static let zIndex = 1_000_000
    /// The greatest inset of a threshold, in points.
    public static let inset = 16_384.0
    /// The greatest length and width of bounds that are scaled, rotated and moved, in points. It
    /// bounds how far from its place an element can be seen.
    public static let transformedLength = 4096.0
  }
}

// MARK: - Validation

extension ScrollEffect {
  /// Rejects effects that are beyond the limits. Fields are named as in LayoutSpec.
  public static func validate(_ effects: [ScrollEffect], findings: inout LayoutFindings) {
    let field = "scroll_effects"
    findings.expectCount(effects.count, of: "entries", atMost: Limit.effects, field)
    let kinds = effects.reduce(0) { $0 + $1.kinds.count }
    if kinds > Limit.kinds {
      findings.reject(field, "name \(kinds) kinds; at most \(Limit.kinds) are allowed")
    }
    for (index, effect) in effects.prefix(Limit.effects).enumerated() {
      effect.validate("\(field)[\(index)]", findings: &findings)
    }
  }

  private func validate(_ field: String, findings: inout LayoutFindings) {
    leading?.validate("\(field).leading", findings: &findings)
    trailing?.validate("\(field).trailing", findings: &findings)
    identity.validate("\(field).identity", findings: &findings)
  }
}

extension ScrollEffect.Edge {
  fileprivate func validate(_ field: String, findings: inout LayoutFindings) {
    values.validate("\(field).values", findings: &findings)
    identity.validate("\(field).identity", findings: &findings)
    outer.validate("\(field).outer", findings: &findings)
  }
}

extension ScrollEffect.Threshold {
  fileprivate func validate(_ field: String, findings: inout LayoutFindings) {
    findings.expect(visible, within: 0 ... 1, "\(field).visible")
    findings.expect(centered, within: 0 ... 1, "\(field).centered")
    let limit = ScrollEffect.Limit.inset
    findings.expect(inset, within: -limit ... limit, "\(field).inset")
  }
}

extension ScrollEffect.Values {
  fileprivate func validate(_ field: String, findings: inout LayoutFindings) {
    typealias Limit = ScrollEffect.Limit
    findings.expect(alpha, within: 0 ... 1, "\(field).alpha")
    findings.expect(scale, within: 0 ... Limit.scale, "\(field).scale")
    let distances = -Limit.translation ... Limit.translation
    findings.expect(translation.x, within: distances, "\(field).translation.x")
    findings.expect(translation.y, within: distances, "\(field).translation.y")
    findings.expect(rotation, within: -Limit.rotation ... Limit.rotation, "\(field).rotation")
    findings.expect(
      zIndex.magnitude <= UInt(Limit.zIndex),
      "\(field).z_index",
      found: zIndex,
      allowed: "numbers of at most \(Limit.zIndex) in magnitude"
    )
  }
}

extension LayoutFindings {
  fileprivate mutating func expect(
    _ value: Double,
    within range: ClosedRange<Double>,
    _ field: String
  ) {
    expect(
      range.contains(value),
      field,
      found: value,
      allowed: "numbers from \(range.lowerBound) to \(range.upperBound) are allowed"
    )
  }
}

// MARK: - Within the limits

extension ScrollEffect {
  /// The effect with all numbers within the limits.
  var limited: ScrollEffect {
    var effect = self
    effect.kinds = Array(kinds.prefix(Limit.kinds))
    effect.leading = leading?.limited
    effect.trailing = trailing?.limited
    effect.identity = identity.limited
    return effect
  }

  /// The values of all phases.
  var phases: [Values] { [identity] + [leading, trailing].compactMap { $0?.values } }
}

extension ScrollEffect.Edge {
  fileprivate var limited: ScrollEffect.Edge {
    ScrollEffect.Edge(values.limited, identity: identity.limited, outer: outer.limited)
  }
}

extension ScrollEffect.Threshold {
  fileprivate var limited: ScrollEffect.Threshold {
    let limit = ScrollEffect.Limit.inset
    return ScrollEffect.Threshold(
      visible: visible.limited(to: 0 ... 1),
      centered: centered.limited(to: 0 ... 1),
      inset: inset.limited(to: -limit ... limit)
    )
  }
}

extension ScrollEffect.Values {
  fileprivate var limited: ScrollEffect.Values {
    typealias Limit = ScrollEffect.Limit
    let distances = -Limit.translation ... Limit.translation
    return ScrollEffect.Values(
      alpha: alpha.limited(to: 0 ... 1),
      scale: scale.limited(to: 0 ... Limit.scale),
      translation: Point(
        x: translation.x.limited(to: distances),
        y: translation.y.limited(to: distances)
      ),
      rotation: rotation.limited(to: -Limit.rotation ... Limit.rotation),
      zIndex: min(max(zIndex, -Limit.zIndex), Limit.zIndex),
      isHidden: isHidden
    )
  }
}

extension Double {
  /// The nearest number in a range; the lower bound for NaN.
  func limited(to range: ClosedRange<Double>) -> Double {
    self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
  }
}
