// SPDX-License-Identifier: Apache-2.0

/// The phase of the session of one stream.
///
/// The core is the session with all that belongs to its stream. It has one owner at a time, who
/// works on it outside the lock and never waits meanwhile: an owner who has to wait for a client, a
/// store or a layout puts the core back here. So a session can be taken away from a stream at any
/// moment, whatever that stream waits for.
enum SessionPhase<Core: ~Copyable & Sendable>: ~Copyable, Sendable {
  /// The first request has not come; it has until the deadline.
  case awaitingOpen(deadline: ContinuousClock.Instant)
  /// The first request is being processed.
  case opening
  /// There is nothing to do until something arrives or the deadline passes.
  case resting(Core, until: ContinuousClock.Instant)
  /// Somebody owns the core.
  case working
  /// The session's worker waits for something, without the core.
  case waiting(Core, SessionWait)
  case ended(SessionEnd, SessionCustody<Core>)
}

/// Where the core of an ended session is.
enum SessionCustody<Core: ~Copyable & Sendable>: ~Copyable, Sendable {
  /// Nowhere: the session was never open, or was taken out.
  case nowhere
  /// With its owner, or with the task that opens the session, which will give it back.
  case owned
  /// Here, until the outcome of the pending batch is known.
  case committing(Core)
  /// Here, to be taken out.
  case kept(Core)
}

/// What a session's worker waits for.
enum SessionWait: Hashable, Sendable {
  /// That its task begins.
  case start
  /// That the client takes what was written, until the deadline at most. Then the session rests
  /// until the given moment; nil = there is more to do.
  case write(deadline: ContinuousClock.Instant, restingUntil: ContinuousClock.Instant?)
  /// Its turn for work that cannot be paused.
  case uninterrupted
  /// A prepared layout, or its turn to build a frame.
  case engine
  case commit
}

/// Why a session no longer has a stream. Only the first reason counts.
enum SessionEnd: Sendable {
  /// The client closed it.
  case closed
  /// The client cancelled the call, or its connection was lost.
  case cancelled
  case notOpenedInTime
  /// The client ended its requests without sending one.
  case endedBeforeOpening
  /// The client did not take what was written.
  case unread
  case serverDraining
  /// Another stream resumed the session.
  case superseded
  /// An operator ended it, for this reason unless it is empty.
  case endedByOperator(String)
  case failed(any Error)

  /// Whether the session ends with its stream, so that it cannot be resumed.
  var isFinal: Bool { if case .endedByOperator = self { true } else { false } }
}

// Only for cores that are copyable, as in tests.
extension SessionPhase: Copyable where Core: Copyable {}
extension SessionCustody: Copyable where Core: Copyable {}
