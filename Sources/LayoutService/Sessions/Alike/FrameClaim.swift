// SPDX-License-Identifier: Apache-2.0

/// Which of the sessions in one state makes their next frame, and which of them wait for it.
struct FrameClaim {
  typealias Instant = ContinuousClock.Instant
  typealias Wake = @Sendable () -> Void

  /// What a session does next that has to follow a commit.
  enum Answer: Equatable {
    /// It makes the frame for all, and soon tells that it has, or that it will not.
    case makes
    /// It waits until it is woken.
    ///
    /// - Parameter alarm: when the caller lets the claim ring; nil = an alarm is set already.
    case waits(alarm: Instant?)
    /// It makes the frame for itself, like all others.
    case alone
  }

  /// How long others wait for a session that makes the frame.
  private static let time = Duration.milliseconds(50)

  /// The session that makes the frame; nil = none does.
  private var maker: ObjectIdentifier?
  /// Until when the others wait for it; nil = none makes it.
  private var patienceEnd: Instant?
  private var waiting: [ObjectIdentifier: Wake] = [:]
  /// The alarm that is set for those who wait. One for all: each of them would set one for every
  /// commit, and hardly any is needed.
  private var alarm: Instant?
  private var isGivenUp = false

  /// Asks for a session that has to follow a commit. One that has waited for too long takes the
  /// maker's place.
  ///
  /// - Parameters:
  ///   - hasTurn: whether the session may take as long as it needs now. It then takes the maker's
  ///     place: others may wait for their turn for longer than anybody waits for them.
  ///   - wake: called when the frame is made, or somebody else has to make it.
  mutating func ask(
    for session: ObjectIdentifier,
    at now: Instant,
    hasTurn: Bool,
    wake: @escaping Wake
  ) -> Answer {
    if isGivenUp { return .alone }
    if let patienceEnd, maker != session, now < patienceEnd, !hasTurn {
      waiting[session] = wake
      return .waits(alarm: setAlarm(patienceEnd))
    }
    if maker != session { patienceEnd = now + Self.time }
    maker = session
    waiting[session] = nil
    return .makes
  }

  /// Handles an alarm.
  ///
  /// - Returns: one of those who have waited for too long, to be called outside of locks, and when
  ///   the caller lets the claim ring again; nil = not for now.
  mutating func ring(_ deadline: Instant, now: Instant) -> (wake: Wake?, alarm: Instant?) {
    if alarm == deadline { alarm = nil }
    guard let patienceEnd, !waiting.isEmpty else { return (nil, nil) }
    if now < patienceEnd { return (nil, setAlarm(patienceEnd)) }
    // One takes the maker's place; there may be thousands.
    let wake = waiting.popFirst()?.value
    return (wake, waiting.isEmpty ? nil : setAlarm(now + Self.time))
  }

  /// - Returns: nil = an earlier one is set, which then sets the next.
  private mutating func setAlarm(_ time: Instant) -> Instant? {
    guard alarm == nil else { return nil }
    alarm = time
    return time
  }

  /// Notes that the frame is made.
  ///
  /// - Returns: those who waited, to be called outside of locks.
  mutating func made() -> [Wake] {
    (maker, patienceEnd) = (nil, nil)
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
