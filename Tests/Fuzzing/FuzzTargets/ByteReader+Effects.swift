// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension ByteReader {
  /// An effect by scrolling with any numbers, which layouts bring within their ranges.
  mutating func scrollEffect() -> ScrollEffect {
    ScrollEffect(
      category: pick(ElementCategory.allCases),
      kinds: chance(30) ? list(upTo: 3) { "a\($0.below(3))" } : [],
      axis: maybe { $0.flag() ? .vertical : .horizontal },
      leading: maybe { $0.scrollEffectEdge() },
      trailing: maybe { $0.scrollEffectEdge() },
      identity: chance(30) ? scrollEffectValues() : ScrollEffect.Values(),
      isDiscrete: flag()
    )
  }

  private mutating func scrollEffectEdge() -> ScrollEffect.Edge {
    ScrollEffect.Edge(
      scrollEffectValues(),
      identity: scrollEffectThreshold(),
      outer: scrollEffectThreshold()
    )
  }

  private mutating func scrollEffectThreshold() -> ScrollEffect.Threshold {
    ScrollEffect.Threshold(visible: number(), centered: number(), inset: number())
  }

  private mutating func scrollEffectValues() -> ScrollEffect.Values {
    ScrollEffect.Values(
      alpha: number(),
      scale: number(),
      translation: Point(x: number(), y: number()),
      rotation: number(),
      zIndex: index(1 << 30),
      isHidden: chance(20)
    )
  }
}
