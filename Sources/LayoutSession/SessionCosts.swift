// SPDX-License-Identifier: Apache-2.0

/// How much work is done at once, and from where on work takes so long that it waits for the
/// session's turn.
package enum SessionCosts {
  /// With more sections scrolled, a frame with a new geometry takes long: each is looked at.
  package static let fewScrolledSections = 256
  /// Layouts with more kinds, such as tables of many columns, take long to follow: a millisecond
  /// for thousands.
  package static let fewKinds = 512
  /// The most steps of one query for a frame that is built at once: less than a millisecond in most
  /// layouts. Frames that need more are built within limits that their owner sets.
  package static let frameSteps = 65_536
  /// The most steps for settling a draft for a frame: each time, what is in view is placed again,
  /// and much of what lies behind it.
  package static let settlingSteps = 65_536
  /// The most elements of a client whose frames are built at once: these take some hundred
  /// microseconds, including the encoding, which counts no steps.
  package static let frameElements = 1024
  /// A held item costs as much as this many elements: it is put back and moved again.
  package static let elementsPerHeldItem = 8
  /// How long what others commit is left alone for each item that is held, where many are: about a
  /// hundred times as long as it takes to put the item back and to show it again.
  package static let pausePerHeldItem = Duration.microseconds(250)
  /// How long after a frame the next one waits, at most, for events that take long.
  package static let framePatience = Duration.milliseconds(100)
  /// The most steps in which the elements of a transition that starts at once are looked up. Those
  /// that are not found by then appear and disappear like new ones.
  package static let transitionSteps = 1 << 20
  /// The most steps for finding what to prefetch: each item of the largest collection once. If that
  /// is not enough, the client keeps what it was told before.
  package static let prefetchSteps = 1 << 24
  /// An event that touches more items than this may take more than a millisecond.
  package static let eventItems = 2048
  /// Expanding or collapsing items with more hidden runs below them may take more than a
  /// millisecond.
  package static let eventRuns = 256
  /// An event that names more items by key may take more than a millisecond.
  package static let eventKeys = 32
  /// A report of more sizes than this may take more than a millisecond.
  package static let eventSizes = 256
  /// The most elements, multiplied by the rules, that are checked within a millisecond or so.
  package static let visibilityChecks = 8192
  /// The most steps for finding and ranking what to prefetch within a millisecond or so.
  package static let rankingSteps = 4096
  /// A question where to scroll that takes more steps than this may take more than a tenth of a
  /// millisecond.
  package static let questionSteps = 2048
}
