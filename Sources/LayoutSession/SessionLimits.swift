// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What a session accepts at most, whatever its owner has checked before.
package enum SessionLimits {
  /// The largest magnitude of an offset or length, in points, or of a velocity, in points per
  /// second: 2⁴⁰. At this magnitude a double has a precision of 2⁻¹² points, enough for sums in
  /// units of 1/64 point.
  package static let length = Rect.greatestLength
  /// The most sections that may be scrolled away from their start at the same time.
  package static let scrolledSections = 4096
  /// The most kinds of elements that a session remembers, or twice the kinds of the layout if that
  /// is more.
  package static let kinds = 4096
  /// The most elements beside items, headers and footers that may have measured sizes.
  package static let measuredElements = 16_384
  /// The most questions where to scroll that may wait for a layout.
  package static let waitingScrolls = 64
  /// The most questions that may wait for everything before them to be sent.
  package static let waitingSyncs = 64
  /// The most steps for answering an event.
  package static let eventSteps = 1 << 18
}
