// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutSession

extension SessionRunner {
  struct Outcome: Sendable {
    /// nil = as the client wished.
    var error: (any Error)?
  }

  /// What whoever works on the session holds.
  struct State {
    /// nil until the session is open.
    var driver: SessionDriver?
    /// Whether there is a driver, and what is asked of it most: its optional is copied whole by any
    /// question.
    var isOpen = false
    var live: LiveSession?
    var inbox: SessionInbox
    /// Whether somebody works on the session.
    var isBusy = false
    var worker: Task<Void, Never>?
    /// Whether the stream has said what it wants.
    var isOpening = false
    var writingSince: ContinuousClock.Instant?
    /// What the session's first frame did not wait for.
    var whole: WholeLayout?
    /// When the alarm that is under way goes off.
    var alarm: ContinuousClock.Instant?
    var outcome: Outcome?
    /// Whoever waits for the outcome.
    var end: CheckedContinuation<Outcome, Never>?
    /// Whoever waits for room in the inbox.
    var room: CheckedContinuation<Void, Never>?
    var subscription: Subscription?
    var drainObserver: Int?

    /// - Returns: whether there was room for it, and what is to be done where nobody works on the
    ///   session yet: by whoever asked.
    mutating func take(
      _ ack: FrameAck?,
      _ input: SessionInbox.Input?
    ) -> (isTaken: Bool, work: SessionWork?) {
      guard outcome == nil else { return (true, nil) }
      guard isOpen else {
        if let ack, ack.sequence > 0, !inbox.take(.ack(ack)) { return (false, nil) }
        guard let input else { return (true, nil) }
        return (inbox.take(input), nil)
      }
      let instant = ContinuousClock.now
      do {
        if let ack { try driver?.acknowledge(ack, at: instant) }
        if isBusy {
          guard let input else {
            inbox.isWoken = true
            return (true, nil)
          }
          let isTaken = inbox.take(input)
          return (isTaken, nil)
        }
        isBusy = true
        if let input { try driver?.take(input, at: instant) }
        return (true, next())
      } catch {
        return (true, .end(error))
      }
    }

    mutating func takeRoom() -> CheckedContinuation<Void, Never>? {
      defer { room = nil }
      return room
    }

    /// What is to be done next, by whoever works on the session.
    mutating func next(
      after change: (inout State, ContinuousClock.Instant) throws -> Void = { _, _ in }
    ) -> SessionWork {
      let instant = ContinuousClock.now
      writingSince = nil
      do {
        // Even at the end: what was committed is to be known to who goes on with the session.
        try change(&self, instant)
        guard outcome == nil, isOpen else { return .end(nil) }
        guard let work = try driver?.next(&inbox, at: instant) else { return .end(nil) }
        switch work {
        case .rest:
          isBusy = false
          worker = nil
        case .write: writingSince = instant
        case .commit, .prepare, .end: break
        }
        return work
      } catch {
        return .end(error)
      }
    }

    /// The alarm that is to be set, if one is.
    mutating func alarm(
      for work: SessionWork,
      _ timing: ServiceTiming
    ) -> ContinuousClock.Instant? {
      let deadline: ContinuousClock.Instant
      switch work {
      case .rest(let until): deadline = until
      case .write:
        guard let writingSince else { return nil }
        deadline = writingSince + timing.write
      case .commit, .prepare, .end: return nil
      }
      return moveAlarm(to: deadline) ? deadline : nil
    }

    mutating func moveAlarm(to deadline: ContinuousClock.Instant) -> Bool {
      if let alarm, alarm <= deadline { return false }
      alarm = deadline
      return true
    }
  }
}
