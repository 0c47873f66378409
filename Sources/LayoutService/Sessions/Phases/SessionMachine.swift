// SPDX-License-Identifier: Apache-2.0

/// Decides who works on the session of one stream, and when it ends: a state machine without
/// effects, whose steps take constant time, so that anyone may take them under a lock.
///
/// Modelled after the connection state machines of grpc-swift-nio-transport: a step takes the phase
/// apart, makes a new one and returns the actions.
struct SessionMachine<Core: ~Copyable & Sendable, EndWaiter: Sendable, RoomWaiter: Sendable>:
  ~Copyable, Sendable
{
  typealias Instant = ContinuousClock.Instant
  typealias Action = SessionAction<Core, EndWaiter, RoomWaiter>

  // Only the steps use these.

  var phase: SessionPhase<Core>
  var mailbox: SessionMailbox
  /// The earliest deadline of the pending alarms.
  var alarm: Instant?
  /// Whether commits wake nobody, because the session could not show them.
  var defersCommits = false
  /// Until when a session may wait while the server drains; nil = the server does not drain.
  var drainDeadline: Instant?
  var endWaiter: EndWaiter?
  var roomWaiter: RoomWaiter?

  init(openDeadline: Instant, mailbox: SessionMailbox) {
    phase = .awaitingOpen(deadline: openDeadline)
    self.mailbox = mailbox
  }

  var isEnded: Bool {
    switch phase {
    case .ended: true
    default: false
    }
  }

  // MARK: - Opening

  /// Sets the alarm for the first request.
  mutating func start() -> Action {
    var action = Action()
    switch takePhase() {
    case .awaitingOpen(let deadline):
      phase = .awaitingOpen(deadline: deadline)
      arm(deadline, &action)
    case let other: phase = other
    }
    return action
  }

  /// Notes the first request; the caller opens the session.
  ///
  /// - Returns: false = the session has ended.
  mutating func open() -> Bool {
    switch takePhase() {
    case .awaitingOpen:
      phase = .opening
      return true
    case let other:
      phase = other
      return false
    }
  }

  mutating func opened(_ core: consuming Core) -> Action {
    var action = Action()
    switch takePhase() {
    case .opening:
      phase = .working
      action.next = .work(core, mailbox.take())
    case let other: handBack(core, other, &action)
    }
    return action
  }

  mutating func openingFailed(_ error: any Error) -> Action {
    var action = Action()
    switch takePhase() {
    case .opening: end(.failed(error), .nowhere, &action)
    case .ended(let reason, .owned): end(reason, .nowhere, &action)
    case let other: phase = other
    }
    return action
  }

  // MARK: - What comes in

  /// Takes a request. If the session rests, the caller becomes the owner and processes the request
  /// directly, after what is in the mailbox: at most a mark of commits.
  mutating func receive(_ input: @autoclosure () -> SessionInput) -> Action {
    var action = Action()
    switch takePhase() {
    case .resting(let core, _):
      phase = .working
      action.next = .work(core, mailbox.isEmpty ? nil : mailbox.take())
    case .ended(let reason, let custody): phase = .ended(reason, custody)
    case let other:
      phase = other
      mailbox.append(input())
      action.isFull = mailbox.isFull
    }
    return action
  }

  /// Notes that the client sends nothing more.
  mutating func endRequests(_ requestsEnd: RequestsEnd) -> Action {
    var action = Action()
    switch takePhase() {
    case .awaitingOpen:
      switch requestsEnd {
      case .finished: end(.endedBeforeOpening, .nowhere, &action)
      case .failed(let error): end(.failed(error), .nowhere, &action)
      }
    case .ended(let reason, let custody): phase = .ended(reason, custody)
    case let other:
      phase = other
      mailbox.end(requestsEnd)
      wake(&action)
    }
    return action
  }

  /// Leaves marks, and wakes a resting session.
  mutating func note(_ marks: SessionMarks) -> Action {
    var action = Action()
    if isEnded { return action }
    mailbox.note(marks)
    if !(defersCommits && mailbox.hasOnlyCommits) { wake(&action) }
    return action
  }

  /// Notes that the server drains.
  ///
  /// - Parameter deadline: until when the session may wait for a client, a layout or a store.
  mutating func drain(until deadline: Instant) -> Action {
    var action = Action()
    drainDeadline = min(drainDeadline ?? deadline, deadline)
    switch takePhase() {
    case .awaitingOpen: end(.serverDraining, .nowhere, &action)
    case .opening: end(.serverDraining, .owned, &action)
    case .ended(let reason, let custody): phase = .ended(reason, custody)
    case let other:
      phase = other
      mailbox.note(.draining)
      armWait(&action)
      wake(&action)
    }
    return action
  }

  /// Handles an alarm whose deadline has come.
  mutating func ring(_ deadline: Instant, now: Instant) -> Action {
    var action = Action()
    if alarm == deadline { alarm = nil }
    switch takePhase() {
    case .awaitingOpen(let deadline):
      if now >= deadline {
        end(.notOpenedInTime, .nowhere, &action)
      } else {
        phase = .awaitingOpen(deadline: deadline)
        arm(deadline, &action)
      }
    case .resting(let core, let until):
      if now >= until {
        start(core, &action)
      } else {
        phase = .resting(core, until: until)
        arm(until, &action)
      }
    case .waiting(let core, let wait):
      if let drainDeadline, now >= drainDeadline {
        end(.serverDraining, core, wait, &action)
      } else if case .write(let deadline, _) = wait, now >= deadline {
        end(.unread, core, wait, &action)
      } else {
        phase = .waiting(core, wait)
        armWait(&action)
      }
    case let other: phase = other
    }
    return action
  }
}

extension SessionMachine: Copyable where Core: Copyable {}
