// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// A prepared layout that a session keeps alive, as its owner accounts for it.
public struct PinnedLayout: Hashable, Sendable {
  /// The number that the owner gave with `supply`: sessions that share a prepared layout name the
  /// same one. nil = the owner gave none, and only this session keeps the layout.
  public var identity: UInt64?
  /// What the layout keeps beyond its contents, in bytes, as `PreparedLayout.byteCount` had it when
  /// the layout was supplied.
  public var byteCount: Int

  /// Pairs a layout's identity with its size in bytes.
  public init(identity: UInt64?, byteCount: Int) {
    self.identity = identity
    self.byteCount = byteCount
  }
}

/// A prepared layout behind a reference; see `Boxed` for why.
final class HeldLayout: Sendable {
  let value: any PreparedLayout
  let pinned: PinnedLayout
  /// Of a transition the layouts that it runs between; else nil.
  let from: HeldLayout?
  let to: HeldLayout?

  init(_ value: any PreparedLayout, identity: UInt64?) {
    self.value = value
    pinned = PinnedLayout(identity: identity, byteCount: value.byteCount)
    from = nil
    to = nil
  }

  init(from: HeldLayout, to: HeldLayout, kinds: InterpolatedKinds, progress: Double) {
    value = InterpolatedLayout(from: from.value, to: to.value, kinds: kinds, progress: progress)
    pinned = PinnedLayout(identity: nil, byteCount: 0)
    self.from = from
    self.to = to
  }
}
