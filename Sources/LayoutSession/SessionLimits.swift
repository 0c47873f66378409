// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What a session accepts at most, whatever its owner has checked before.
package enum SessionLimits {
  /// The largest magnitude of an offset or length, in points, or of a velocity, in points per second: 2⁴⁰.
  /// At this magnitude a double has a precision of 2⁻¹² points, enough for sums in units of 1/64 point.
  package static let length = Rect.greatestLength
  /// The most sections that may be scrolled away from their start at the same time.
  package static let scrolledSections = 4096
  /// The most kinds of elements that a session remembers, where twice the kinds of the layout are fewer.
  package static let kinds = 4096
  /// Layouts of more kinds, such as tables of many columns, take long to follow: a millisecond for thousands.
  package static let fewKinds = 512
  /// The most elements beside items, headers and footers that may have measured sizes.
  package static let measuredElements = 16_384
  /// The most questions where to scroll that may wait for a layout.
  package static let waitingScrolls = 64
  /// The most questions that may wait for everything before them to be sent.
  package static let waitingSyncs = 64
  /// The most steps of one query for a frame that is built at once: less than a millisecond in most
  /// layouts. Frames that need more are built within limits that their owner sets.
  package static let frameSteps = 65_536
  /// The most steps in which a draft is settled for a frame: each time what is in view is placed again, and much behind
  /// it.
  package static let settlingSteps = 65_536
  /// The most elements that a client may have of a frame that is built at once: some hundred microseconds with
  /// the encoding, which no step counts.
  package static let frameElements = 1024
  /// An item that is held costs as much as so many elements that the client has: it is put back and moved again.
  package static let elementsPerHeldItem = 8
  /// How long what others commit is left alone for each item that is held, where many are: about a hundred times as
  /// long as it takes to put the item back and to show it again.
  package static let pausePerHeldItem = Duration.microseconds(250)
  /// The most steps in which the elements of a transition that starts at once are looked up. Those that
  /// are not found by then appear and disappear like new ones.
  package static let transitionSteps = 1 << 20
  /// The most steps in which what is to be got ready is looked for: each item of the largest collection once. A
  /// client keeps what it was told before if that is not enough.
  package static let prefetchSteps = 1 << 24
  /// An event that touches more items may take more than a millisecond.
  package static let eventItems = 2048
  /// Expanding or collapsing items with more hidden runs below them may take more than a millisecond.
  package static let eventRuns = 256
  /// An event that names more items by key may take more than a millisecond.
  package static let eventKeys = 32
  /// A report of more sizes may take more than a millisecond.
  package static let eventSizes = 256
  /// The most elements, each as often as there are rules, that are looked at in less than a millisecond or so.
  package static let visibilityChecks = 8192
  /// The most steps in which what is to be got ready is looked for and put in order in a millisecond or so.
  package static let rankingSteps = 4096
  /// A question where to scroll that takes more steps may take more than a tenth of a millisecond.
  package static let questionSteps = 2048
  /// The most steps in which an event is answered.
  package static let eventSteps = 1 << 18
}
