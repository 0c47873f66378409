// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import TestSupport

/// What the contract says of scroll effects, word by word and without any thought of speed.
struct NaiveScrollEffects {
  var effects: [ScrollEffect]
  /// The axis along which content scrolls; nil = both or neither.
  var axis: ScrollAxis?
  var viewport: Viewport

  struct Seen {
    var alpha: Double
    var zIndex: Int
    var isHidden: Bool
    var box: Rect
  }

  func seen(_ settled: LayoutAttributes, of key: ElementKey, scrollsAcross: Bool = false) -> Seen {
    var (alpha, scale, rotation, x, y, z) = (1.0, 1.0, 0.0, 0.0, 0.0, 0)
    var isHidden = settled.isHidden
    for effect in effects where effect.category == key.category {
      guard effect.kinds.isEmpty || effect.kinds.contains(key.kind) else { continue }
      let content = axis ?? .vertical
      let own: ScrollAxis =
        scrollsAcross ? (content == .vertical ? .horizontal : .vertical) : content
      let phase = phase(of: effect, settled.frame, effect.axis ?? own)
      let edge = phase < 0 ? effect.leading : effect.trailing
      let p = abs(phase)
      func value(_ of: (ScrollEffect.Values) -> Double) -> Double {
        let identity = of(effect.identity)
        return identity + ((edge.map { of($0.values) } ?? identity) - identity) * p
      }
      alpha *= value(\.alpha)
      scale *= value(\.scale)
      rotation += value(\.rotation)
      x += value(\.translation.x)
      y += value(\.translation.y)
      z += Int(value { Double($0.zIndex) }.rounded(.toNearestOrAwayFromZero))
      if p == 0, effect.identity.isHidden { isHidden = true }
      if p == 1, edge?.values.isHidden == true { isHidden = true }
    }
    return Seen(
      alpha: settled.alpha * alpha,
      zIndex: settled.zIndex + z,
      isHidden: isHidden,
      box: box(settled, scale: min(scale, 4), rotation, clamp(x), clamp(y))
    )
  }

  /// Whether some effect concerns an element.
  func concern(_ key: ElementKey) -> Bool {
    effects.contains {
      $0.category == key.category && ($0.kinds.isEmpty || $0.kinds.contains(key.kind))
    }
  }

  private func clamp(_ distance: Double) -> Double { min(max(distance, -4096), 4096) }

  /// −1…1, as SwiftUI counts phases.
  private func phase(of effect: ScrollEffect, _ frame: Rect, _ axis: ScrollAxis) -> Double {
    let visible = viewport.unobscuredRect
    let isRightToLeft = viewport.isRightToLeft && axis == .horizontal
    let extent = axis == .vertical ? visible.height : visible.width
    let length = axis == .vertical ? frame.height : frame.width
    let middle: Double =
      if axis == .vertical {
        frame.minY - visible.minY + length / 2
      } else if isRightToLeft {
        visible.maxX - frame.maxX + length / 2
      } else {
        frame.minX - visible.minX + length / 2
      }
    func threshold(_ threshold: ScrollEffect.Threshold) -> Double {
      min(
        extent / 2,
        (1 - threshold.centered) * (threshold.visible * min(length, extent) - length / 2)
          + threshold.centered * extent / 2 + threshold.inset
      )
    }
    func p(_ edge: ScrollEffect.Edge?, _ distance: Double) -> Double {
      guard let edge else { return 0 }
      let (inner, outer) = (threshold(edge.identity), threshold(edge.outer))
      if distance >= inner { return 0 }
      if distance <= outer || effect.isDiscrete || outer >= inner { return 1 }
      return (inner - distance) / (inner - outer)
    }
    return p(effect.trailing, extent - middle) - p(effect.leading, middle)
  }

  private func box(
    _ settled: LayoutAttributes,
    scale: Double,
    _ rotation: Double,
    _ x: Double,
    _ y: Double
  ) -> Rect {
    let bounds = settled.boundingBox
    guard bounds.width <= 4096, bounds.height <= 4096 else { return bounds }
    let turn = viewport.isRightToLeft ? -rotation : rotation
    let center = bounds.center
    var xs: [Double] = []
    var ys: [Double] = []
    let corners = settled.transform.quad(of: settled.frame)
    for index in corners.indices {
      let (dx, dy) = (corners[index].x - center.x, corners[index].y - center.y)
      xs.append(
        center.x + scale * (turn.cosine * dx - turn.sine * dy) + (viewport.isRightToLeft ? -x : x)
      )
      ys.append(center.y + scale * (turn.sine * dx + turn.cosine * dy) + y)
    }
    let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
    return Rect(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top)
  }
}

extension SplitMix64 {
  /// Effects of all sorts, mostly on cells.
  mutating func scrollEffects(kinds: [String], isReaching: Bool = true) -> [ScrollEffect] {
    (0 ..< int(1 ... 3)).map { _ in
      ScrollEffect(
        category: ElementCategory.allCases[chance(70) ? 0 : below(3)],
        kinds: chance(70) ? [] : kinds.filter { _ in chance(60) },
        axis: chance(60) ? nil : ScrollAxis.allCases[below(2)],
        leading: chance(80) ? scrollEffectEdge(isReaching: isReaching) : nil,
        trailing: chance(80) ? scrollEffectEdge(isReaching: isReaching) : nil,
        identity: chance(80) ? .init() : scrollEffectValues(isReaching: isReaching),
        isDiscrete: chance(20)
      )
    }
  }

  private mutating func scrollEffectEdge(isReaching: Bool) -> ScrollEffect.Edge {
    ScrollEffect.Edge(
      scrollEffectValues(isReaching: isReaching),
      identity: scrollThreshold(1),
      outer: scrollThreshold(0)
    )
  }

  private mutating func scrollThreshold(_ visible: Double) -> ScrollEffect.Threshold {
    guard chance(50) else { return .init(visible: visible) }
    return ScrollEffect.Threshold(
      visible: double(0 ... 1),
      centered: chance(50) ? 0 : double(0 ... 1),
      inset: chance(50) ? 0 : length(-200 ... 200)
    )
  }

  private mutating func scrollEffectValues(isReaching: Bool) -> ScrollEffect.Values {
    ScrollEffect.Values(
      alpha: chance(50) ? 1 : double(0 ... 1),
      scale: chance(50) ? 1 : double(0.2 ... (isReaching ? 3 : 1)),
      translation: chance(50) || !isReaching
        ? .zero : Point(x: length(-200 ... 200), y: length(-400 ... 400)),
      rotation: chance(60) || !isReaching ? 0 : double(-3 ... 3),
      zIndex: chance(60) ? 0 : int(-9 ... 9),
      isHidden: chance(10)
    )
  }
}
