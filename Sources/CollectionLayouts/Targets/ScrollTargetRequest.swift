// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Where an element should stand in the visible bounds.
public enum ScrollPosition: UInt8, Hashable, Sendable, CaseIterable {
  /// As little scrolling as makes it visible.
  case nearest
  case start
  case center
  case end
}

/// What a viewer wants to know before it scrolls.
public enum ScrollTargetRequest: Hashable, Sendable {
  /// The finger lifts: where should scrolling end that would end at `proposed` by itself?
  ///
  /// `velocity` in points a second. With a `section` the offsets asked and answered are that
  /// section's own, along its axis.
  case release(proposed: Point, velocity: Point, section: Int?)
  case element(ElementKey, position: ScrollPosition)
}
