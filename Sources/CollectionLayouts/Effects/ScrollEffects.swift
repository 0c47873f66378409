// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// The effects of one layout, checked and ready to be applied.
///
/// Numbers beyond `ScrollEffect.Limit` are clamped, and effects beyond the limit are dropped.
public struct ScrollEffects: Hashable, Sendable {
  /// The effects; at most `ScrollEffect.Limit.effects`.
  public let effects: [ScrollEffect]
  /// The axis of effects that name none.
  public let axis: ScrollAxis

  /// Makes the effects of a layout.
  ///
  /// - Parameter axis: the axis along which the content scrolls; nil = both or neither.
  public init(_ effects: [ScrollEffect], axis: ScrollAxis?) {
    self.effects = effects.prefix(ScrollEffect.Limit.effects).map(\.limited)
    self.axis = axis ?? .vertical
  }

  /// No effects.
  public static let none = ScrollEffects([], axis: nil)

  /// Whether there are no effects.
  public var isEmpty: Bool { effects.isEmpty }

  /// Whether some effects follow the axis along which an element scrolls.
  public var dependsOnElementAxis: Bool { effects.contains { $0.axis == nil } }

  /// Whether some effects are for certain kinds of cells.
  var namesCellKinds: Bool { effects.contains { $0.category == .cell && !$0.kinds.isEmpty } }

  /// The greatest distance in points, each way, by which effects can bring an element into a rect
  /// that its bounds without effects do not meet.
  public var reach: Double {
    var scale = 1.0
    var moved = 0.0
    var isTurned = false
    for effect in effects {
      let phases = effect.phases
      scale *= phases.reduce(1) { max($0, $1.scale) }
      moved += phases.reduce(0) {
        max($0, $1.translation.x.magnitude, $1.translation.y.magnitude)
      }
      if phases.contains(where: { $0.rotation != 0 }) { isTurned = true }
    }
    scale = min(scale, ScrollEffect.Limit.scale)
    moved = min(moved, ScrollEffect.Limit.translation)
    let half = ScrollEffect.Limit.transformedLength / 2
    // Turned bounds reach at most to their diagonal. The point is for rounding.
    let grown = isTurned ? half * scale * 2.0.squareRoot() : half * (scale - 1)
    return grown + moved == 0 ? 0 : grown + moved + 1
  }

  /// The effects on the elements of one category and kind, as a set of bits by the index of the
  /// effect.
  ///
  /// - Complexity: O(effects and their kinds)
  func mask(_ category: ElementCategory, kind: String) -> UInt16 {
    mask(category) { $0.kinds.isEmpty || $0.kinds.contains { $0.hasSameBytes(as: kind) } }
  }

  /// The effects on elements of a category that also have what `isIncluded` asks for.
  func mask(_ category: ElementCategory, where isIncluded: (ScrollEffect) -> Bool) -> UInt16 {
    var mask: UInt16 = 0
    for (index, effect) in effects.enumerated()
    where effect.category == category && isIncluded(effect) {
      mask |= 1 << UInt16(index)
    }
    return mask
  }
}

/// Computes the effects on elements in one viewport.
public struct ScrollEffectView: Sendable {
  private let effects: ScrollEffects
  private let viewport: Viewport
  /// The viewport less its content insets.
  private let visible: Rect

  /// Makes a view of elements through a viewport.
  public init(_ effects: ScrollEffects, viewport: Viewport) {
    self.effects = effects
    self.viewport = viewport
    visible = viewport.unobscuredRect
  }

  /// The attributes of an element as it is seen.
  ///
  /// - Parameters:
  ///   - settled: the attributes without effects.
  ///   - key: the element's key; its category and kind matter.
  ///   - scrollsAcross: whether the element is in a section that scrolls across the axis of the
  ///     effects.
  ///   - pin: where the renderer may pin the element, whose frame is then at its natural place; nil
  ///     = the renderer does not pin it.
  /// - Returns: attributes with the frame of `settled`.
  /// - Complexity: O(effects and their kinds)
  public func attributes(
    of settled: LayoutAttributes,
    key: ElementKey,
    scrollsAcross: Bool = false,
    pin: PinRange? = nil
  ) -> LayoutAttributes {
    let mask = effects.mask(key.category, kind: key.kind)
    guard mask != 0 else { return settled }
    return applying(mask, to: settled, scrollsAcross: scrollsAcross, pin: pin)
  }

  /// The attributes of an element with some of the effects.
  ///
  /// - Parameter mask: the effects, as `ScrollEffects.mask` gives them.
  func applying(
    _ mask: UInt16,
    to settled: LayoutAttributes,
    scrollsAcross: Bool,
    pin: PinRange?
  ) -> LayoutAttributes {
    let sum = sum(mask, of: pinned(settled.frame, pin), scrollsAcross: scrollsAcross)
    guard sum != ScrollEffectSum() else { return settled }
    var attributes = settled
    attributes.alpha *= sum.alpha
    attributes.zIndex = Int(Int32(clamping: attributes.zIndex + sum.zIndex))
    if sum.isHidden { attributes.isHidden = true }
    attributes.transform = sum.transform(
      after: settled.transform,
      of: settled.frame,
      isMirrored: viewport.isRightToLeft
    )
    return attributes
  }

  /// The sum of some effects on an element with this frame.
  private func sum(_ mask: UInt16, of frame: Rect, scrollsAcross: Bool) -> ScrollEffectSum {
    var sum = ScrollEffectSum()
    let own = scrollsAcross ? effects.axis.other : effects.axis
    for (index, effect) in effects.effects.enumerated() where mask & 1 << UInt16(index) != 0 {
      let axis = effect.axis ?? own
      let extent = axis.main(visible.size)
      let length = axis.main(frame.size)
      let isReversed = axis == .horizontal && viewport.isRightToLeft
      let before =
        isReversed ? visible.maxX - frame.maxX : axis.main(frame.origin) - axis.main(visible.origin)
      sum.add(effect, middle: before + length / 2, length: length, extent: extent)
    }
    return sum
  }

  /// The frame where the renderer pins it.
  private func pinned(_ frame: Rect, _ pin: PinRange?) -> Rect {
    pin?.pinning(frame, in: viewport) ?? frame
  }
}

/// The combined change of several effects on one element.
private struct ScrollEffectSum: Equatable {
  var alpha = 1.0
  var scale = 1.0
  var rotation = 0.0
  var translation = Point.zero
  var zIndex = 0
  var isHidden = false

  /// Adds one effect.
  ///
  /// - Parameters:
  ///   - middle: the distance of the element's middle from the start of the visible rect.
  ///   - length: the length of the element.
  ///   - extent: the length of the visible rect.
  mutating func add(_ effect: ScrollEffect, middle: Double, length: Double, extent: Double) {
    let leading = effect.progress(at: effect.leading, middle, length: length, extent: extent)
    let trailing = effect.progress(
      at: effect.trailing,
      extent - middle,
      length: length,
      extent: extent
    )
    let edge = leading > 0 ? effect.leading : effect.trailing
    let progress = leading > 0 ? leading : trailing
    let start = effect.identity
    let end = progress > 0 ? edge?.values ?? start : start
    func mixed(_ value: (ScrollEffect.Values) -> Double) -> Double {
      progress == 1 ? value(end) : value(start) + (value(end) - value(start)) * progress
    }
    alpha *= mixed { $0.alpha }
    scale *= mixed { $0.scale }
    rotation += mixed { $0.rotation }
    translation = translation + Point(x: mixed { $0.translation.x }, y: mixed { $0.translation.y })
    // At most 1,000,000 in magnitude, so the conversion cannot trap.
    zIndex += Int(mixed { Double($0.zIndex) }.rounded())
    if progress == 0 ? start.isHidden : progress == 1 && end.isHidden { isHidden = true }
  }

  /// The transform of an element: these effects after its own transform, about the middle of its
  /// bounds.
  func transform(after own: Transform, of frame: Rect, isMirrored: Bool) -> Transform {
    typealias Limit = ScrollEffect.Limit
    let scale = min(scale, Limit.scale)
    let range = -Limit.translation ... Limit.translation
    var moved = Point(x: translation.x.limited(to: range), y: translation.y.limited(to: range))
    guard scale != 1 || rotation != 0 || moved != .zero else { return own }
    let bounds = own.boundingBox(of: frame)
    guard bounds.width <= Limit.transformedLength, bounds.height <= Limit.transformedLength else {
      return own
    }
    if isMirrored { moved.x = -moved.x }
    var effect = scale == 1 ? Transform.identity : .scale(scale)
    if rotation != 0 {
      effect = effect.concatenating(.rotation(isMirrored ? -rotation : rotation))
    }
    let middle = bounds.center - frame.center
    if effect != .identity, middle != .zero {
      effect = Transform.translation(x: -middle.x, y: -middle.y).concatenating(effect)
      moved = moved + middle
    }
    if moved != .zero {
      effect = effect.concatenating(.translation(x: moved.x, y: moved.y))
    }
    return own.concatenating(effect)
  }
}

extension ScrollEffect {
  /// How far an element has changed at an edge, 0…1.
  ///
  /// - Parameter distance: the distance of the element's middle from the edge.
  fileprivate func progress(
    at edge: Edge?,
    _ distance: Double,
    length: Double,
    extent: Double
  ) -> Double {
    guard let edge else { return 0 }
    let identity = edge.identity.distance(length: length, extent: extent)
    guard distance < identity else { return 0 }
    let outer = edge.outer.distance(length: length, extent: extent)
    guard !isDiscrete, outer < identity, distance > outer else { return 1 }
    return (identity - distance) / (identity - outer)
  }
}

extension ScrollAxis {
  /// The axis across this one.
  fileprivate var other: ScrollAxis { self == .vertical ? .horizontal : .vertical }
}
