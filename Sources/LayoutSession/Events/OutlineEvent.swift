// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Items of outlines that the viewer expands and collapses.
public struct OutlineEvent: Hashable, Sendable {
  /// The items, by key.
  public var change: ExpansionChange
  /// The slots of more items: expanded ones collapse, the others expand. Empty slots are ignored.
  public var toggledSlots: [UInt32]
  /// Whether the next frame is to carry a transition.
  public var isAnimated: Bool

  /// An event with the given values.
  public init(change: ExpansionChange, toggledSlots: [UInt32] = [], isAnimated: Bool = false) {
    self.change = change
    self.toggledSlots = toggledSlots
    self.isAnimated = isAnimated
  }
}
