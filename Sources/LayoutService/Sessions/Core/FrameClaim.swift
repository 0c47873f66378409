// SPDX-License-Identifier: Apache-2.0

/// Which of the sessions in one state makes their next frame, and which of them wait for it.
struct FrameClaim {
  typealias Instant = ContinuousClock.Instant
  typealias Wake = @Sendable () -> Void

  /// What a session does next that has to follow a commit.
  enum Answer: Equatable {
    /// It makes the frame for all, and soon tells that it has, or that it will not.
    case makes
    /// It waits until it is woken, at the latest until then.
    case waits(until: Instant)
    /// It makes the frame for itself, like all others.
    case alone
  }

  /// How long others wait for a session that makes the frame.
  private static let time = Duration.milliseconds(50)

  /// The session that makes the frame; nil = none does.
  private var maker: ObjectIdentifier?
  /// Until when the others wait for it.
  private var end: Instant?
  private var waiting: [ObjectIdentifier: Wake] = [:]
  private var isGivenUp = false

  /// Asks for a session that has to follow a commit. One that has waited for too long takes the
  /// maker's place.
  ///
  /// - Parameter wake: called when the frame is made, or somebody else has to make it.
  mutating func ask(
    for session: ObjectIdentifier,
    at now: Instant,
    wake: @escaping Wake
  ) -> Answer {
    if isGivenUp { return .alone }
    if let end, maker != session, now < end {
      waiting[session] = wake
      return .waits(until: end)
    }
    if maker != session { end = now + Self.time }
    maker = session
    waiting[session] = nil
    return .makes
  }

  /// Notes that the frame is made.
  ///
  /// - Returns: those who waited, to be called outside of locks.
  mutating func made() -> [Wake] {
    (maker, end) = (nil, nil)
    defer { waiting = [:] }
    return Array(waiting.values)
  }

  /// Notes that a session will not make the frame. Another one does if it was the maker.
  ///
  /// - Returns: like `made()`.
  mutating func leave(_ session: ObjectIdentifier) -> [Wake] {
    waiting[session] = nil
    return maker == session ? made() : []
  }

  /// Notes that frames of this state are of no use to others. From now on each session makes its
  /// own: they would have to find that out one after another.
  ///
  /// - Returns: like `made()`.
  mutating func giveUp() -> [Wake] {
    isGivenUp = true
    return made()
  }
}
