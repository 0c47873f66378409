// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// A prepared layout in a class; see `Boxed` for the reason.
final class LayoutBox: Sendable {
  let value: any PreparedLayout
  /// The layout as it was supplied, without what the viewer has changed of its columns.
  let supplied: any PreparedLayout
  /// `value` as it is seen with scroll effects; `value` itself if there are none.
  let shown: any PreparedLayout
  /// The effects that a renderer may apply by itself. None in a transition, which shows those of
  /// two layouts.
  let effects: ScrollEffects
  /// What the owner is told of the layout.
  let pinned: PinnedLayout
  /// The layout at which a transition begins; nil = this is no transition.
  let from: LayoutBox?
  /// The layout at which a transition ends; nil = this is no transition.
  let to: LayoutBox?

  /// A layout that the owner supplied.
  ///
  /// - Parameter supplied: the same without what the viewer has changed of its columns; nil =
  ///   nothing was changed.
  /// - Parameter byteCount: roughly what the layout takes beyond one that is charged elsewhere, in
  ///   bytes; nil = it shares nothing with another.
  init(
    _ value: any PreparedLayout,
    supplied: (any PreparedLayout)? = nil,
    effects: [ScrollEffect] = [],
    identity: UInt64?,
    byteCount: Int? = nil
  ) {
    self.value = value
    self.supplied = supplied ?? value
    if effects.isEmpty {
      shown = value
      self.effects = .none
    } else {
      let layout = ScrollEffectLayout(value, effects)
      shown = layout
      self.effects = layout.effects
    }
    pinned = PinnedLayout(identity: identity, byteCount: byteCount ?? value.byteCount)
    from = nil
    to = nil
  }

  /// A layout between two others, at a moment of a transition.
  init(from: LayoutBox, to: LayoutBox, kinds: InterpolatedKinds, progress: Double) {
    let value = InterpolatedLayout(
      from: from.value,
      to: to.value,
      kinds: kinds,
      progress: progress
    )
    self.value = value
    supplied = value
    shown = InterpolatedLayout(from: from.shown, to: to.shown, kinds: kinds, progress: progress)
    effects = .none
    pinned = PinnedLayout(identity: nil, byteCount: 0)
    self.from = from
    self.to = to
  }
}
