// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

// MARK: - Reading

extension FieldReader {
  /// Reads the rules of a layout by which elements enter and leave. `AppearanceRule.validate`
  /// checks their number, and that of kinds and keys.
  mutating func appearanceRules(_ messages: [Wire.AppearanceRule]) -> [AppearanceRule] {
    // Only one rule beyond the limit needs to be read: that is enough for a refusal.
    each(Array(messages.prefix(AppearanceRule.Limit.rules + 1)), "appearance_rules") {
      $1.appearanceRule($0)
    }
  }

  private mutating func appearanceRule(_ message: Wire.AppearanceRule) -> AppearanceRule {
    AppearanceRule(
      category: categoryOrCell(message.category),
      kinds: names(
        message.kinds,
        "kinds",
        limit: AppearanceRule.Limit.kinds,
        maxBytes: FieldReader.maxNameBytes
      ),
      itemKeys: names(
        message.itemKeys,
        "item_keys",
        limit: AppearanceRule.Limit.itemKeys,
        maxBytes: FieldReader.maxKeyBytes
      ),
      appearing: message.hasAppearing ? animation(message.appearing, "appearing") : nil,
      disappearing: message.hasDisappearing
        ? animation(message.disappearing, "disappearing") : nil
    )
  }

  private mutating func names(
    _ texts: [String],
    _ name: StaticString,
    limit: Int,
    maxBytes: Int
  ) -> Set<String> {
    guard self.limit(texts.count, name, to: limit) else { return [] }
    for (index, text) in texts.enumerated() where text.utf8.count > maxBytes {
      reject(name, at: index, "\(text.utf8.count) bytes found; at most \(maxBytes) are allowed")
    }
    return Set(distinct: texts)
  }

  /// Reads how elements enter or leave.
  mutating func animation(
    _ message: Wire.AppearanceAnimation,
    _ name: StaticString
  ) -> AppearanceAnimation {
    within(name) { reader in
      AppearanceAnimation(
        alpha: message.hasAlpha ? reader.number(message.alpha, "alpha", in: 0 ... 1) : 0,
        scale: message.hasScale ? reader.length(message.scale, "scale") : 1,
        center: reader.center(message.center),
        size: message.hasSize ? reader.size(message.size, "size") : nil,
        transform: message.hasTransform
          ? reader.transform(message.transform, "transform") : .identity
      )
    }
  }

  private mutating func center(
    _ message: Wire.AppearanceAnimation.OneOf_Center?
  ) -> AppearanceAnimation.Center {
    switch message {
    case .viewportCenter(let wanted): wanted ? .viewportCenter : .unchanged
    case .offset(let offset): .offset(point(offset, "offset"))
    case .point(let point): .point(self.point(point, "point"))
    case nil: .unchanged
    }
  }
}

// MARK: - Writing

extension Wire.AppearanceRule {
  init(_ rule: AppearanceRule) {
    self.init()
    category = Wire.ElementCategory(rule.category)
    kinds = rule.kinds.sorted()
    itemKeys = rule.itemKeys.sorted()
    if let animation = rule.appearing { appearing = Wire.AppearanceAnimation(animation) }
    if let animation = rule.disappearing { disappearing = Wire.AppearanceAnimation(animation) }
  }
}

extension Wire.AppearanceAnimation {
  init(_ animation: AppearanceAnimation) {
    self.init()
    alpha = animation.alpha
    scale = animation.scale
    switch animation.center {
    case .unchanged: break
    case .viewportCenter: viewportCenter = true
    case .offset(let value): offset = Wire.Point(value)
    case .point(let value): point = Wire.Point(value)
    }
    if let size = animation.size { self.size = Wire.Size(size) }
    if animation.transform != .identity { transform = Wire.Transform(animation.transform) }
  }
}
