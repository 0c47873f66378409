// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting
internal import Synchronization

/// What a session's worker has to wait for next, while the machine keeps the core.
enum SessionStep: Sendable {
  /// Nothing: the session rests, has ended, or somebody else works on it.
  case done
  /// Room in the mailbox, before the stream is read on.
  case room
  case write([EncodedResponse], mayWait: Bool)
  case commit(SessionCommit)
  case prepare(Preparation)
  /// The session's turn for work that takes long, charged to this account.
  case turn(SessionTurn.Kind, Account)
}

extension SessionShell {
  // MARK: - Without waiting

  /// Processes a request.
  func work(_ owner: consuming SessionOwner, on input: SessionInput) -> SessionStep {
    let instant = clock.now
    guard !owner.core.takesLong(input) else {
      owner.core.postpone(input)
      return work(owner, at: instant)
    }
    do { try owner.core.take(input, at: instant) } catch { return end(owner, .failed(error)) }
    return work(owner, at: instant)
  }

  /// Processes the contents of the mailbox.
  ///
  /// - Parameter turn: nil = on a shared thread.
  func work(
    _ owner: consuming SessionOwner,
    on mail: SessionMail?,
    in turn: SessionTurn? = nil
  ) -> SessionStep {
    work(owner, on: mail, at: clock.now, in: turn)
  }

  /// Works on the session as far as possible without waiting.
  @inline(never)
  private func work(
    _ owner: consuming SessionOwner,
    on mail: SessionMail? = nil,
    at first: ContinuousClock.Instant,
    in turn: SessionTurn? = nil
  ) -> SessionStep {
    var owner = owner
    var mail = mail
    var instant = first
    var turn = turn
    while true {
      if let mail { owner.core.take(mail) }
      let waiting: SessionStep
      let next: Machine.Action.Next
      let work = owner.core.next(at: instant, in: turn)
      // A turn has room for one large request, or for as many others as fit.
      if case .uninterrupted = turn { turn = nil }
      let defersCommits = owner.core.defersCommits
      switch work {
      case .end(let reason): return end(owner, reason)
      case .rest(let until):
        waiting = .done
        next = step(handing: owner) { $0.rest($1, until: until, defersCommits: defersCommits) }
      case .write(let responses, let mayWait, let until):
        waiting = .write(responses, mayWait: mayWait)
        let deadline = instant + services.configuration.timing.write
        next = step(handing: owner) {
          $0.wait(
            $1,
            for: .write(deadline: deadline, restingUntil: until),
            defersCommits: defersCommits
          )
        }
      case .commit(let commit):
        waiting = .commit(commit)
        next = step(handing: owner) { $0.wait($1, for: .commit) }
      case .prepare(let preparation):
        waiting = .prepare(preparation)
        next = step(handing: owner) { $0.wait($1, for: .engine) }
      case .turn(let kind):
        waiting = .turn(kind, owner.core.charges.account)
        let wait = kind == .uninterrupted ? SessionWait.uninterrupted : .engine
        next = step(handing: owner) { $0.wait($1, for: wait) }
      }
      switch consume next {
      case .work(let again, let more):
        owner = again
        mail = more
        instant = clock.now
      case .wait: return waiting
      default: return .done
      }
    }
  }

  private func end(_ owner: consuming SessionOwner, _ reason: SessionEnd) -> SessionStep {
    ignore(step(handing: owner) { $0.end($1, reason) })
    return .done
  }

  /// Takes the core back after a wait, and works on.
  ///
  /// - Parameters:
  ///   - turn: nil = on a shared thread.
  ///   - settle: hands the outcome of the wait to the session, even if the session has ended.
  @inline(never)
  func resume(
    in turn: SessionTurn? = nil,
    _ settle: (SessionCore) throws -> Void = { _ in }
  ) -> SessionStep {
    switch step({ $0.resume() }) {
    case .work(let owner, let mail):
      do { try settle(owner.core) } catch { return end(owner, .failed(error)) }
      return work(owner, on: mail, in: turn)
    case .settle(let owner):
      // The session has ended already, for another reason than this error.
      try? settle(owner.core)
      return end(owner, .closed)
    default: return .done
    }
  }

  // MARK: - Waiting

  /// Continues in another task, starting with a wait.
  func startWork(on first: SessionStep) {
    startTask { await self.work(from: first) }
  }

  /// The same, but begins at once on the caller's thread, and leaves it at the first suspension.
  func startWorkHere(on first: SessionStep) {
    if case .done = first { return }
    startTask(here: true) { await self.work(from: first) }
  }

  /// - Parameter here: whether the task begins at once on the caller's thread.
  func startTask(here: Bool = false, _ body: @escaping @Sendable () async -> Void) {
    let number = state.withLock { $0.worker.announce() }
    let work = { @Sendable [self] in
      await body()
      state.withLock { $0.worker.finish(number) }
    }
    let task = here ? Task.immediate(operation: work) : Task(operation: work)
    if state.withLock({ $0.worker.begin(number, task) }) { task.cancel() }
  }

  /// Works on the session until there is nothing left to do.
  func work(from first: SessionStep) async {
    var step = first
    while true {
      switch step {
      case .done, .room: return
      case .write(let responses, _):
        guard await write(responses) else { return }
        step = resume()
      case .commit(let batch): step = await commit(batch)
      case .prepare(let preparation): step = await prepare(preparation)
      case .turn(let kind, let account): step = await takeTurn(kind, for: account)
      }
    }
  }

  /// - Returns: false = the write failed, which has ended the session.
  func write(_ responses: [EncodedResponse]) async -> Bool {
    if writeAtOnce(responses) { return true }
    lane?.noteGiven(responses)
    do {
      if responses.count == 1 {
        try await writer.write(responses[0])
      } else {
        try await writer.write(contentsOf: responses)
      }
      return true
    } catch {
      end(.failed(error))
      return false
    }
  }
}
