// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// Runs the session of one stream: takes the steps of its machine and performs their actions.
///
/// A session has no task of its own. The task that reads its stream becomes its worker when it
/// brings a request to a resting session: it does the work and writes the answer. Work that has to
/// wait, and work that comes from elsewhere, gets a task that lasts until it is done. So a resting
/// session costs only the memory of its state, and a scroll step does not change tasks.
///
/// The lock protects only the machine. Work, writes and the resuming of tasks happen outside it.
final class SessionShell: Sendable, WokenSession {
  typealias Machine = SessionMachine<
    SessionOwner, CheckedContinuation<SessionEnd, Never>, CheckedContinuation<Void, Never>
  >

  struct State: ~Copyable, Sendable {
    var machine: Machine
    /// What answers queries about the session.
    var query = PublishedQuery.none
    /// What operators see; nil = the session is not open yet.
    var figures: SessionFigures?
    /// nil = private contents, or the session is not open.
    var collection: LiveCollection?
    var worker = SessionWorker()
    var drainObserver: Int?
  }

  let services: SessionServices
  let writer: RPCWriter<EncodedResponse>
  /// nil = everything goes through the library.
  let lane: StreamLane?
  let access: CallAccess
  /// The client's connection.
  let peer: String
  /// nil = the stream is not traced.
  let trace: StreamTrace?
  let state: Mutex<State>
  /// For those who may still refer to the session when its stream has left it.
  let reference = ShellReference()

  var clock: SessionClock { services.clock }

  init(
    _ writer: RPCWriter<EncodedResponse>,
    lane: StreamLane? = nil,
    access: CallAccess = .open,
    peer: String = "",
    trace: StreamTrace? = nil,
    services: SessionServices
  ) {
    self.services = services
    self.access = access
    self.peer = peer
    self.trace = trace
    self.writer = writer
    self.lane = lane
    let configuration = services.configuration
    state = Mutex(
      State(
        machine: SessionMachine(
          openDeadline: services.clock.now + configuration.timing.open,
          mailbox: SessionMailbox(
            countLimit: configuration.limits.waitingEvents,
            byteLimit: configuration.limits.waitingEventBytes
          )
        )
      )
    )
    reference.begin(self)
  }

  // MARK: - Steps

  /// Takes a step of the machine and performs its effects.
  func step(_ body: (inout Machine) -> Machine.Action) -> Machine.Action.Next {
    perform(state.withLock { body(&$0.machine) })
  }

  /// Takes a step that gives the core back, and publishes what answers queries about the session.
  func step(
    handing owner: consuming SessionOwner,
    _ body: (inout Machine, consuming SessionOwner) -> Machine.Action
  ) -> Machine.Action.Next {
    let news = owner.core.takeQuery()
    let isNews = news != nil
    // The old query is released after the lock: a layout may be freed with it.
    var query = news ?? .none
    let figures = owner.core.figures
    var observed: LiveSession?
    let action = state.withLock(handing: owner) { state, owner in
      if isNews { swap(&query, &state.query) }
      state.figures = figures
      // Under the lock: who observes the session from now on sees the new query.
      if owner.core.live.hasObservers { observed = owner.core.live }
      return body(&state.machine, owner)
    }
    let next = perform(action)
    observed?.noteChange()
    return next
  }

  private func perform(_ action: consuming Machine.Action) -> Machine.Action.Next {
    if let room = action.room { room.resume() }
    if let alarm = action.alarm { clock.arm(alarm, for: reference) }
    if action.cancelsWait { state.withLock { $0.worker.cancel() }?.cancel() }
    if let end = action.end { end.waiter.resume(returning: end.reason) }
    return action.next
  }

  // MARK: - The stream's side

  /// Returns when the session has ended and its core may be taken out.
  func waitForEnd() async -> SessionEnd {
    start()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        ignore(step { $0.waitForEnd(waiter) })
      }
    } onCancel: {
      end(.failed(CancellationError()))
    }
  }

  private func start() {
    ignore(step { $0.start() })
    let observer = services.drain.observe(inTurn: { [reference] in reference.value?.drain() })
    state.withLock { $0.drainObserver = observer }
  }

  /// The session as the stream leaves it; nil = it was never open.
  ///
  /// - Precondition: it has ended.
  func takeOut() -> (core: SessionCore, mail: SessionMail)? {
    reference.end()
    let (observer, mail) = state.withLock { ($0.drainObserver, $0.machine.takeMail()) }
    if let observer { services.drain.remove(observer) }
    let owner = state.withLock { state in
      state.query = .none
      state.collection = nil
      return state.machine.takeCore()
    }
    guard let owner else { return nil }
    let core = owner.core
    // Others may wait for its frame.
    core.leaveForGood()
    if let subscription = core.subscription { core.collection?.unsubscribe(subscription) }
    return (core, mail)
  }

  /// Handles one request; returns when the stream may be read on. If the session was resting, that
  /// is when the answer is written.
  func receive(_ input: SessionInput) async { await run(from: take(input)) }

  /// Performs the steps that follow from a request; returns like `receive`.
  func run(from first: SessionStep) async {
    var step = first
    while true {
      switch step {
      case .done: return
      case .room: return await waitForRoom()
      case .write(let responses, let mayWait):
        if !writeAtOnce(responses) {
          if mayWait { return startWork(on: step) }
          guard await write(responses) else { return }
        }
        step = resume()
      case .commit, .prepare, .turn: return startWork(on: step)
      }
    }
  }

  // Functions that work on the session are separate from those that wait: the large values that
  // they copy stay on the thread's stack, instead of reserving room in the task.

  @inline(never)
  func take(_ input: SessionInput) -> SessionStep {
    let action = state.withLock { $0.machine.receive(input) }
    let isFull = action.isFull
    switch perform(action) {
    case .work(let owner, let mail):
      if let mail { owner.core.take(mail) }
      return work(owner, on: input)
    default: return isFull ? .room : .done
    }
  }

  private func waitForRoom() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        ignore(step { $0.waitForRoom(waiter) })
        // The task may have been cancelled before the waiter was set.
        if Task.isCancelled { ignore(step { $0.giveUpRoom() }) }
      }
    } onCancel: {
      ignore(step { $0.giveUpRoom() })
    }
  }

  /// Notes that the client sends nothing more.
  func endRequests(_ end: RequestsEnd) { startWork(step { $0.endRequests(end) }) }

  // MARK: - What others may do

  /// What answers queries about the session; nil = nothing is prepared yet.
  var query: SessionQuery? { state.withLock { $0.query }.value }

  var figures: SessionFigures? {
    var (figures, collection) = state.withLock { ($0.figures, $0.collection) }
    // A session that defers commits has not looked at them, so ask the collection.
    if let shown = figures?.dataVersion, figures?.unshownSince == nil {
      figures?.unshownSince = collection?.oldestCommit(after: shown)
    }
    return figures
  }

  func end(byOperatorFor reason: String) { end(.endedByOperator(reason)) }

  func note(_ marks: SessionMarks) { startWork(step { $0.note(marks) }) }

  /// Leaves a mark of a change that concerns all viewers of the collection at once.
  func noteAmongOthers(_ marks: SessionMarks) {
    switch step({ $0.note(marks) }) {
    case .start: services.woken.add(self, of: peer)
    default: break
    }
  }

  func beginWoken() -> SessionStep { resume() }

  static func isWrite(_ step: SessionStep) -> Bool {
    if case .write = step { true } else { false }
  }

  func finishWoken(_ step: SessionStep) { startWorkHere(on: writeAtOnce(from: step)) }

  /// The server is going away.
  func drain() {
    let deadline = clock.now + services.configuration.timing.shutdown / 2
    startWork(step { $0.drain(until: deadline) })
  }

  /// The call was cancelled: the client is gone, or the server is going away.
  func cancel() {
    if services.drain.isDraining { return drain() }
    end(.cancelled)
  }

  /// Ends the session; only the first reason counts.
  func end(_ reason: SessionEnd) { ignore(step { $0.end(reason) }) }

  func ring(_ deadline: ContinuousClock.Instant) {
    let now = clock.now
    startWork(step { $0.ring(deadline, now: now) })
  }

  /// For steps that leave the caller nothing to do.
  func ignore(_ next: consuming Machine.Action.Next) {}

  /// For steps that may wake the session.
  private func startWork(_ next: consuming Machine.Action.Next) {
    switch consume next {
    case .start: startTask { await self.work(from: self.resume()) }
    default: break
    }
  }
}

extension Mutex where Value: ~Copyable & Sendable {
  /// Calls `body` under the lock with a value that it consumes.
  fileprivate func withLock<Given: ~Copyable & Sendable, Result: ~Copyable & Sendable>(
    handing given: consuming Given,
    _ body: (inout Value, consuming Given) -> Result
  ) -> Result {
    var given: Given? = given
    return withLock { value in
      // `withLock` calls its body exactly once, so the value is still here; no input can change
      // that.
      guard let given = given.take() else { preconditionFailure("the body is called once") }
      return body(&value, given)
    }
  }
}
