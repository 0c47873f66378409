// SPDX-License-Identifier: Apache-2.0

extension SessionMachine where Core: ~Copyable {
  // MARK: - Work

  /// The owner of the core has to wait for something and leaves the core here.
  ///
  /// - Parameter defersCommits: whether commits need not wake the session when it rests.
  mutating func wait(
    _ core: consuming Core,
    for wait: SessionWait,
    defersCommits: Bool = false
  ) -> Action {
    var action = Action()
    self.defersCommits = defersCommits
    switch takePhase() {
    case .working:
      phase = .waiting(core, wait)
      action.next = .wait
      armWait(&action)
      // Events that came with the one that is committed, or read, have still to be processed.
      if wait != .commit, wait != .uninterrupted { finishedInput(&action) }
    case let other: handBack(core, other, &action)
    }
    return action
  }

  /// What was waited for is there.
  mutating func resume() -> Action {
    var action = Action()
    switch takePhase() {
    case .waiting(let core, .write(_, restingUntil: let until?)):
      rest(core, until: until, &action)
    case .waiting(let core, .start):
      phase = .working
      action.next = .work(core, mailbox.take())
    case .waiting(let core, .write):
      phase = .working
      action.next = .work(core, mailbox.take())
    case .waiting(let core, _):
      phase = .working
      action.next = .work(core, nil)
    case .ended(let reason, .committing(let core)):
      phase = .ended(reason, .owned)
      action.next = .settle(core)
    case let other:
      phase = other
      action.next = .stop
    }
    return action
  }

  /// The owner of the core has nothing more to do until a moment.
  ///
  /// - Parameter defersCommits: whether commits need not wake the session before.
  mutating func rest(
    _ core: consuming Core,
    until: Instant,
    defersCommits: Bool = false
  ) -> Action {
    var action = Action()
    self.defersCommits = defersCommits
    switch takePhase() {
    case .working:
      finishedInput(&action)
      rest(core, until: until, &action)
    case let other: handBack(core, other, &action)
    }
    return action
  }

  // MARK: - The end

  /// Ends the session, whether or not it has a worker. The first reason counts.
  mutating func end(_ reason: SessionEnd) -> Action {
    var action = Action()
    switch takePhase() {
    case .awaitingOpen: end(reason, .nowhere, &action)
    case .opening: end(reason, .owned, &action)
    case .working: end(reason, .owned, &action)
    case .resting(let core, _): end(reason, .kept(core), &action)
    case .waiting(let core, let wait): end(reason, core, wait, &action)
    case .ended(let first, let custody): phase = .ended(first, custody)
    }
    return action
  }

  /// The owner of the core ends the session.
  mutating func end(_ core: consuming Core, _ reason: SessionEnd) -> Action {
    var action = Action()
    switch takePhase() {
    case .working: end(reason, .kept(core), &action)
    case let other: handBack(core, other, &action)
    }
    return action
  }

  /// Answers `waiter` once the session has ended and its core can be taken out.
  mutating func waitForEnd(_ waiter: EndWaiter) -> Action {
    var action = Action()
    endWaiter = waiter
    tellEnd(&action)
    return action
  }

  /// Answers `waiter` once there is room in the mailbox, or the session has ended.
  mutating func waitForRoom(_ waiter: RoomWaiter) -> Action {
    var action = Action()
    roomWaiter = waiter
    tellRoom(&action)
    return action
  }

  /// Gives up waiting for room.
  mutating func giveUpRoom() -> Action {
    var action = Action()
    action.room = roomWaiter
    roomWaiter = nil
    return action
  }

  /// The session as its stream leaves it; nil = it was never open, has not ended, or was taken out
  /// before.
  mutating func takeCore() -> Core? {
    switch takePhase() {
    case .ended(let reason, .kept(let core)):
      phase = .ended(reason, .nowhere)
      return core
    case let other:
      phase = other
      return nil
    }
  }

  /// What an ended session did not get to.
  mutating func takeMail() -> SessionMail { isEnded ? mailbox.take() : SessionMail() }
}
