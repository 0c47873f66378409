// SPDX-License-Identifier: Apache-2.0

// The parts that steps share.

extension SessionMachine where Core: ~Copyable {
  /// The phase, which the caller replaces before it returns.
  mutating func takePhase() -> SessionPhase<Core> {
    var taken = SessionPhase<Core>.working
    swap(&taken, &phase)
    return taken
  }

  /// Rests, unless something is in the mailbox.
  mutating func rest(_ core: consuming Core, until: Instant, _ action: inout Action) {
    if mailbox.isEmpty || defersCommits && mailbox.hasOnlyCommits {
      phase = .resting(core, until: until)
      arm(until, &action)
    } else {
      phase = .working
      action.next = .work(core, mailbox.take())
    }
  }

  /// Has somebody look at the mailbox.
  mutating func wake(_ action: inout Action) {
    switch takePhase() {
    case .resting(let core, _): start(core, &action)
    case let other: phase = other
    }
  }

  mutating func start(_ core: consuming Core, _ action: inout Action) {
    phase = .waiting(core, .start)
    action.next = .start
    armWait(&action)
  }

  /// Takes back the core of a session that has ended.
  mutating func handBack(
    _ core: consuming Core,
    _ taken: consuming SessionPhase<Core>,
    _ action: inout Action
  ) {
    action.next = .stop
    switch consume taken {
    case .ended(let reason, .owned): end(reason, .kept(core), &action)
    case let other:
      assertionFailure("a core without a session that misses it")
      phase = other
    }
  }

  /// Ends a session whose worker waits for something.
  mutating func end(
    _ reason: SessionEnd,
    _ core: consuming Core,
    _ wait: SessionWait,
    _ action: inout Action
  ) {
    if wait == .commit {
      // The session's next owner needs the outcome of the batch.
      phase = .ended(reason, .committing(core))
      tellRoom(&action)
    } else {
      end(reason, .kept(core), &action)
    }
  }

  mutating func end(
    _ reason: SessionEnd,
    _ custody: consuming SessionCustody<Core>,
    _ action: inout Action
  ) {
    phase = .ended(reason, custody)
    action.cancelsWait = true
    tellRoom(&action)
    tellEnd(&action)
  }

  mutating func finishedInput(_ action: inout Action) {
    mailbox.finishedInput()
    tellRoom(&action)
  }

  mutating func tellRoom(_ action: inout Action) {
    guard roomWaiter != nil, isEnded || !mailbox.isFull else { return }
    action.room = roomWaiter
    roomWaiter = nil
  }

  mutating func tellEnd(_ action: inout Action) {
    guard let waiter = endWaiter else { return }
    let reason: SessionEnd
    switch phase {
    case .ended(let found, .kept): reason = found
    case .ended(let found, .nowhere): reason = found
    default: return
    }
    action.end = (waiter, reason)
    endWaiter = nil
  }

  // MARK: Alarms

  /// Deadlines mostly move later before they pass. So an alarm is never cancelled: when it goes
  /// off, what is due then is checked.
  mutating func arm(_ deadline: Instant, _ action: inout Action) {
    if let alarm, alarm <= deadline { return }
    alarm = deadline
    action.alarm = deadline
  }

  mutating func armWait(_ action: inout Action) {
    let wait: SessionWait
    switch phase {
    case .waiting(_, let found): wait = found
    default: return
    }
    if case .write(let deadline, _) = wait { arm(deadline, &action) }
    if let drainDeadline { arm(drainDeadline, &action) }
  }
}
