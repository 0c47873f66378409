// SPDX-License-Identifier: Apache-2.0

/// Where the session of one stream stands.
///
/// The core is the session itself with all that belongs to its stream. It has one owner at a time,
/// who works on it outside the lock, and only as long as that takes no waiting: who has to wait for a
/// client, a store or a layout leaves the core here. So a session can be taken away from a
/// stream at any moment, whatever that stream waits for.
enum SessionPhase<Core: ~Copyable & Sendable>: ~Copyable, Sendable {
  /// The stream has not said what it wants; it has until the deadline.
  case awaitingOpen(deadline: ContinuousClock.Instant)
  /// Somebody works on the first request.
  case opening
  /// Nothing is to be done before something comes in or the moment has passed.
  case resting(Core, until: ContinuousClock.Instant)
  /// Somebody owns the core.
  case working
  /// The session's worker waits for something, without the core.
  case waiting(Core, SessionWait)
  case ended(SessionEnd, SessionCustody<Core>)
}

/// Where the core of a session is that has ended.
enum SessionCustody<Core: ~Copyable & Sendable>: ~Copyable, Sendable {
  /// Nowhere: the session was never open, or was taken out.
  case nowhere
  /// With its owner, or with the task that opens the session; it comes back.
  case owned
  /// Here, until what becomes of the batch is known that is being committed.
  case committing(Core)
  /// Here, to be taken out.
  case kept(Core)
}

/// What a session's worker waits for.
enum SessionWait: Hashable, Sendable {
  /// That its task begins.
  case turn
  /// That a client takes what was written, at most until the deadline. Afterwards the session rests
  /// until a moment; nil = there is more to do.
  case write(deadline: ContinuousClock.Instant, restingUntil: ContinuousClock.Instant?)
  /// That it is the session's turn to work off a large request.
  case reading
  /// That the engine has prepared a layout, or that it is the session's turn to build a frame.
  case engine
  case commit
}

/// Why a session no longer has a stream. The first reason counts.
enum SessionEnd: Sendable {
  /// As the client wished, or because it is gone.
  case closed
  case notOpenedInTime
  /// The stream of requests ended without one.
  case endedBeforeOpening
  /// The client did not take what was written.
  case unread
  case serverDraining
  /// Another stream goes on with the session.
  case superseded
  /// For this reason, if it is not empty.
  case endedByOperator(String)
  case failed(any Error)

  /// Whether the session ends with its stream, so that it cannot be resumed.
  var isFinal: Bool { if case .endedByOperator = self { true } else { false } }
}

// Only where there is nothing to own, as in tests.
extension SessionPhase: Copyable where Core: Copyable {}
extension SessionCustody: Copyable where Core: Copyable {}
