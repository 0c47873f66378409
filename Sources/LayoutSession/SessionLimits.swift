// SPDX-License-Identifier: Apache-2.0

/// What a session takes at most, whatever its owner has checked before.
package enum SessionLimits {
  /// The largest magnitude of an offset or a length, in points: beyond 2⁴⁰ a double no longer holds
  /// 1/64 of a point with room to spare.
  package static let length = 1_099_511_627_776.0
  /// How many sections may be scrolled away from their start at once.
  package static let scrolledSections = 4096
  /// So many kinds of elements are remembered, or twice those of the layout if that is more.
  package static let kinds = 4096
  /// How many questions for a scroll target may wait for a layout.
  package static let waitingScrolls = 64
}
