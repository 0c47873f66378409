// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
import LayoutGeometry

// MARK: - Reading

extension FieldReader {
  /// Reads the scroll effects of a layout. `ScrollEffect.validate` checks numbers and counts.
  mutating func scrollEffects(_ messages: [Wire.ScrollEffect]) -> [ScrollEffect] {
    // Only one effect beyond the limit needs to be read: that is enough for a refusal.
    each(Array(messages.prefix(ScrollEffect.Limit.effects + 1)), "scroll_effects") {
      $1.scrollEffect($0)
    }
  }

  /// Reads the effects of a frame.
  mutating func scrollEffects(
    _ message: Wire.ScrollEffects,
    _ name: StaticString
  ) -> ScrollEffects {
    within(name) { reader in
      ScrollEffects(
        reader.each(message.effects, "effects") { $1.scrollEffect($0) },
        axis: reader.axis(message.scrollAxis, "scroll_axis")
      )
    }
  }

  private mutating func scrollEffect(_ message: Wire.ScrollEffect) -> ScrollEffect {
    ScrollEffect(
      category: categoryOrCell(message.category),
      kinds: kinds(message.kinds),
      axis: axis(message.axis, "axis"),
      leading: message.hasLeading ? edge(message.leading, "leading") : nil,
      trailing: message.hasTrailing ? edge(message.trailing, "trailing") : nil,
      identity: within("identity") { $0.values(message.identity) },
      isDiscrete: choice(message.progress, "progress") { progress -> Bool? in
        switch progress {
        case .unspecified, .interactive: false
        case .discrete: true
        case .UNRECOGNIZED: nil
        }
      } ?? false
    )
  }

  /// Reads the category of the elements that a rule is for.
  mutating func categoryOrCell(_ message: Wire.ElementCategory) -> ElementCategory {
    choice(message, "category") { category -> ElementCategory? in
      switch category {
      case .unspecified, .cell: .cell
      case .supplementary: .supplementary
      case .decoration: .decoration
      case .UNRECOGNIZED: nil
      }
    } ?? .cell
  }

  private mutating func kinds(_ names: [String]) -> [String] {
    // A longer list is refused as a whole.
    for (index, name) in names.prefix(ScrollEffect.Limit.kinds).enumerated()
    where name.utf8.count > FieldReader.maxNameBytes {
      reject(
        "kinds",
        at: index,
        "\(name.utf8.count) bytes found; at most \(FieldReader.maxNameBytes) are allowed"
      )
    }
    return names
  }

  private mutating func axis(
    _ message: Wire.ScrollDirection,
    _ name: StaticString
  ) -> ScrollAxis? {
    choice(message, name) { direction -> ScrollAxis?? in
      switch direction {
      case .unspecified: .some(nil)
      case .vertical: .vertical
      case .horizontal: .horizontal
      case .UNRECOGNIZED: nil
      }
    } ?? nil
  }

  private mutating func edge(
    _ message: Wire.ScrollEffectEdge,
    _ name: StaticString
  ) -> ScrollEffect.Edge {
    within(name) { reader in
      ScrollEffect.Edge(
        reader.values(message.values),
        identity: reader.threshold(message.identity, visible: 1),
        outer: reader.threshold(message.outer, visible: 0)
      )
    }
  }

  /// - Parameter visible: the amount if the message leaves it out.
  private func threshold(
    _ message: Wire.ScrollThreshold,
    visible: Double
  ) -> ScrollEffect.Threshold {
    ScrollEffect.Threshold(
      visible: message.hasVisible ? message.visible : visible,
      centered: message.centered,
      inset: message.inset
    )
  }

  private func values(_ message: Wire.ScrollEffectValues) -> ScrollEffect.Values {
    ScrollEffect.Values(
      alpha: message.hasAlpha ? message.alpha : 1,
      scale: message.hasScale ? message.scale : 1,
      translation: Point(x: message.translation.x, y: message.translation.y),
      rotation: message.rotation,
      zIndex: Int(message.zIndex),
      isHidden: message.hidden
    )
  }
}

// MARK: - Writing

extension Wire.ScrollEffects {
  /// The message of effects that a renderer applies.
  package init(_ effects: ScrollEffects) {
    self.init()
    self.effects = effects.effects.map { Wire.ScrollEffect($0) }
    scrollAxis = Wire.ScrollDirection(effects.axis)
  }
}

extension Wire.ScrollEffect {
  /// The message of an effect.
  package init(_ effect: ScrollEffect) {
    self.init()
    category = Wire.ElementCategory(effect.category)
    kinds = effect.kinds
    if let axis = effect.axis { self.axis = Wire.ScrollDirection(axis) }
    if let edge = effect.leading { leading = Wire.ScrollEffectEdge(edge) }
    if let edge = effect.trailing { trailing = Wire.ScrollEffectEdge(edge) }
    if effect.identity != .init() { identity = Wire.ScrollEffectValues(effect.identity) }
    progress = effect.isDiscrete ? .discrete : .interactive
  }
}

extension Wire.ScrollEffectEdge {
  fileprivate init(_ edge: ScrollEffect.Edge) {
    self.init()
    values = Wire.ScrollEffectValues(edge.values)
    identity = Wire.ScrollThreshold(edge.identity)
    outer = Wire.ScrollThreshold(edge.outer)
  }
}

extension Wire.ScrollThreshold {
  fileprivate init(_ threshold: ScrollEffect.Threshold) {
    self.init()
    visible = threshold.visible
    centered = threshold.centered
    inset = threshold.inset
  }
}

extension Wire.ScrollEffectValues {
  fileprivate init(_ values: ScrollEffect.Values) {
    self.init()
    alpha = values.alpha
    scale = values.scale
    if values.translation != .zero { translation = Wire.Point(values.translation) }
    rotation = values.rotation
    zIndex = Int32(clamping: values.zIndex)
    hidden = values.isHidden
  }
}
