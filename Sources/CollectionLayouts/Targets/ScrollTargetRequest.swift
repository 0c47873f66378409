// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Where in the visible bounds an element should be shown.
public enum ScrollPosition: UInt8, Hashable, Sendable, CaseIterable {
  /// Wholly visible, with the least scrolling.
  case nearest
  /// At the start of the visible bounds.
  case start
  /// In the middle of the visible bounds.
  case center
  /// At the end of the visible bounds.
  case end
}

/// A question about where scrolling ends.
public enum ScrollTargetRequest: Hashable, Sendable {
  /// The finger was lifted, and scrolling would end at `proposed` by itself. nil = computed from
  /// the viewport's offset with this velocity and deceleration.
  ///
  /// `velocity` is the change of the offset in points a second. With a `section`, the offsets of
  /// request and answer, and the velocity, are that section's own, along its axis.
  case release(
    proposed: Point?,
    velocity: Point,
    section: Int?,
    deceleration: DecelerationRate = .normal
  )
  /// Takes a step to another item, and scrolls so that it is shown at this position.
  case neighbor(of: NeighborOrigin, step: NeighborStep, position: ScrollPosition)
  /// Scrolls to an element, so that it is shown at this position.
  case element(ElementKey, position: ScrollPosition)
}
