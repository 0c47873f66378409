// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Computes what a section's effects make of an item at some distance from the middle of the
/// viewport.
///
/// Scales multiply; rotations and translations add up. An item is first scaled, then rotated, then
/// moved, whatever the order of the effects.
struct ItemEffects: Sendable {
  let effects: [VisibleItemEffect]

  init(_ effects: [VisibleItemEffect]) {
    self.effects = effects.prefix(CompositionalLayout.Limit.effects).filter {
      $0.attribute != nil && $0.atCenter.isFinite && $0.atDistance.isFinite
    }
  }

  var isEmpty: Bool { effects.isEmpty }

  /// The opacity and the transform of an item.
  ///
  /// - Parameter distance: from the middle of the viewport, in points.
  /// - Parameter isMirrored: whether the layout is mirrored, so that transforms must be mirrored
  ///   too.
  func attributes(
    atDistance distance: Double,
    isMirrored: Bool
  ) -> (alpha: Double, transform: Transform) {
    var alpha = 1.0
    var scale = 1.0
    var rotation = 0.0
    var translation = Point.zero
    for effect in effects {
      let value = Self.value(of: effect, atDistance: distance)
      switch effect.attribute {
      case .scale: scale *= value
      case .alpha: alpha *= min(max(value, 0), 1)
      case .rotation: rotation += value
      case .translationX: translation.x += value
      case .translationY: translation.y += value
      case nil: break
      }
    }
    if isMirrored {
      rotation = -rotation
      translation.x = -translation.x
    }
    var transform = Transform.identity
    if scale != 1 { transform = .scale(scale) }
    if rotation != 0 { transform = transform.concatenating(.rotation(rotation)) }
    if translation != .zero {
      transform = transform.concatenating(.translation(x: translation.x, y: translation.y))
    }
    return (alpha, transform)
  }

  /// The value of an effect at a distance from the middle of the viewport.
  static func value(of effect: VisibleItemEffect, atDistance distance: Double) -> Double {
    let progress =
      effect.activeDistance > 0 ? min(abs(distance) / effect.activeDistance, 1) : 1
    return effect.atCenter + (effect.atDistance - effect.atCenter) * progress
  }

  /// The greatest distance in points by which an item's box can reach beyond its frame.
  func reach(of pattern: GroupPattern) -> Double {
    guard !isEmpty else { return 0 }
    var scale = 1.0
    var moved = 0.0
    var isTurned = false
    for effect in effects {
      let most = max(abs(effect.atCenter), abs(effect.atDistance))
      switch effect.attribute {
      case .scale: scale *= max(most, 1)
      case .translationX, .translationY: moved += most
      case .rotation: isTurned = true
      case .alpha, nil: break
      }
    }
    var reach = 0.0
    for cell in pattern.cells {
      // No box is wider than the sum of both lengths, however the item is turned.
      let extent =
        isTurned ? cell.mainLength + cell.crossLength : max(cell.mainLength, cell.crossLength)
      reach = max(reach, extent * scale / 2)
    }
    return min(reach + moved, CompositionalLayout.Limit.length)
  }
}
