// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import NIOCore
internal import NIOPosix
internal import SwiftProtobuf
internal import Synchronization

/// Runs the session of one stream without a task of its own.
///
/// Whoever brings something works on it where it lies, one at a time: mostly the task that reads the
/// stream, which then also writes the answer. What has to wait for something, and what comes from
/// elsewhere, is worked on by a task that lasts as long as there is work. So a session at rest costs
/// what it knows, and a scroll step no change of tasks.
final class SessionRunner: Sendable {
  let services: SessionServices
  let writer: RPCWriter<EncodedResponse>
  private let openDeadline: ContinuousClock.Instant
  let state: Mutex<State>

  init(_ writer: RPCWriter<EncodedResponse>, services: SessionServices) {
    self.services = services
    self.writer = writer
    openDeadline = .now + services.configuration.timing.open
    state = Mutex(
      State(inbox: SessionInbox(capacity: services.configuration.limits.waitingEvents))
    )
  }

  // MARK: - The stream's side

  /// Returns once the session has ended, and why; nil = as the client wished.
  func waitForEnd() async -> (any Error)? {
    start()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.end = continuation }
          return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      finish(CancellationError())
    }
    return outcome.error
  }

  private func start() {
    arm(openDeadline)
    let observer = services.drain.observe { [weak self] in self?.drain() }
    state.withLock { $0.drainObserver = observer }
  }

  /// Waits until nobody works on the session any more, once it has ended.
  func waitForWorker() async {
    var last: Task<Void, Never>?
    while let worker = state.withLock({ $0.worker }), worker != last {
      await worker.value
      last = worker
    }
  }

  /// The session as the stream leaves it; nil = it was never open.
  ///
  /// - Precondition: it has ended, and nobody reads or works any more.
  func leave() -> SessionDriver? {
    let (driver, subscription, observer) = state.withLock { state in
      state.driver?.noteAnswers()
      defer { state.driver = nil }
      return (state.driver, state.subscription, state.drainObserver)
    }
    if let subscription { driver?.collection?.unsubscribe(subscription) }
    if let observer { services.drain.remove(observer) }
    return driver
  }

  /// Opens the session that the first request asks for.
  func open(_ request: Wire.StreamLayoutRequest, context: CallContext) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      state.isOpening = true
      state.isBusy = true
      state.worker = Task { await open(request, context) }
    }
  }

  private func open(_ request: Wire.StreamLayoutRequest, _ context: CallContext) async {
    do {
      let opened = try await SessionOpener(services: services) { self.live($0) }
        .open(request, context: context)
      begin(opened)
    } catch {
      finish(error)
    }
  }

  /// Goes on in another task, so that what opening took is free while layouts are prepared.
  @inline(never)
  private func begin(_ opened: OpenedSession) {
    let subscription = opened.collection.map { subscribe(to: $0) }
    state.withLock { state in
      state.driver = SessionDriver(opened, services: services)
      state.isOpen = true
      state.live = opened.live
      state.subscription = subscription
      // Changes between the opening and the subscription.
      state.inbox.isCollectionChanged = true
      if state.outcome == nil { state.worker = Task { await work(on: next()) } }
    }
  }

  /// What others may know of the session.
  func live(_ name: String) -> LiveSession {
    LiveSession(
      name: name,
      query: { [weak self] in self?.query },
      supersede: { [weak self] in self?.supersede() }
    )
  }

  private func subscribe(to collection: LiveCollection) -> Subscription {
    collection.subscribe { [weak self] signal in
      switch signal {
      case .changed: self?.collectionChanged()
      case .deleted: self?.collectionDeleted()
      }
    }
  }

  /// An acknowledgement, and what came with it; returns once there was room for it and, where it was
  /// worked on here, once that is done.
  func receive(_ ack: FrameAck, _ input: SessionInbox.Input?) async {
    var first: FrameAck? = ack
    while true {
      let (isTaken, work) = take(first, input)
      if let work { return await goOn(with: work) }
      if isTaken || Task.isCancelled { return }
      first = nil
      await waitForRoom()
    }
  }

  @inline(never)
  private func take(
    _ ack: FrameAck?,
    _ input: SessionInbox.Input?
  ) -> (isTaken: Bool, work: SessionWork?) {
    var isTaken = false
    let work = step { state in
      let (done, work) = state.take(ack, input)
      isTaken = done
      return work
    }
    return (isTaken, work)
  }

  func noteRateLimit() {
    state.withLock { $0.inbox.isRateLimited = true }
  }

  /// Nothing more comes from the client.
  func finishReading(_ end: SessionInbox.End) {
    wake { $0.end = end }
  }

  private func waitForRoom() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isNeedless = state.withLock { state in
          guard state.isBusy, state.outcome == nil, !Task.isCancelled else { return true }
          state.room = continuation
          return false
        }
        if isNeedless { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.takeRoom() }?.resume()
    }
  }

  // MARK: - What others may do

  /// What questions are asked of; nil = nothing is prepared yet.
  var query: SessionQuery? { state.withLock { $0.driver?.query } }

  func collectionChanged() { wake { $0.isCollectionChanged = true } }

  func collectionDeleted() { wake { $0.isCollectionDeleted = true } }

  /// The server is going away.
  func drain() { wake { _ in } }

  /// The call was cancelled: the client is gone, or the server is going away.
  func cancel() {
    wake { $0.isCancelled = true }
    // A stream that is gone must not take its session from one that came after it.
    state.withLock { $0.isOpen ? nil : $0.worker }?.cancel()
  }

  /// Another stream goes on with the session.
  func supersede() { finish(LayoutProblem.superseded) }

  /// Lets a task look at what is new, unless somebody does so anyway.
  private func wake(_ note: (inout SessionInbox) -> Void) {
    let ending = state.withLock { state -> Outcome? in
      note(&state.inbox)
      state.inbox.isWoken = true
      guard !state.isBusy, state.outcome == nil else { return nil }
      guard state.isOpen else { return reasonNotToOpen(state.inbox) }
      state.isBusy = true
      state.worker = Task { await work(on: next()) }
      return nil
    }
    if let ending { finish(ending.error) }
  }

  private func reasonNotToOpen(_ inbox: SessionInbox) -> Outcome? {
    if services.drain.isDraining { return Outcome(error: LayoutProblem.serverDraining()) }
    if case .failed(let error) = inbox.end { return Outcome(error: error) }
    if inbox.isCancelled { return Outcome(error: nil) }
    guard inbox.end != nil else { return nil }
    return Outcome(
      error: LayoutProblem.protocolViolation("The stream ended before it opened a session.")
    )
  }

  // MARK: - The end

  /// Ends the session; the first reason counts.
  func finish(_ error: (any Error)?) {
    let outcome = Outcome(error: error)
    let (isFirst, end, room, worker, whole) = state.withLock { state in
      let isFirst = state.outcome == nil
      if isFirst { state.outcome = outcome }
      defer {
        state.end = nil
        state.whole = nil
      }
      return (isFirst, state.end, state.takeRoom(), state.worker, state.whole)
    }
    guard isFirst else { return }
    worker?.cancel()
    whole?.cancel()
    room?.resume()
    end?.resume(returning: outcome)
  }

  // MARK: - Time

  private func arm(_ deadline: ContinuousClock.Instant) {
    if state.withLock({ $0.moveAlarm(to: deadline) }) { schedule(deadline) }
  }

  /// Deadlines mostly move on before they pass. So an alarm is not taken back: it goes off, and
  /// whoever looks at the clock then sets another.
  func schedule(_ deadline: ContinuousClock.Instant) {
    let nanoseconds = ContinuousClock.now.duration(to: deadline).wholeNanoseconds
    // Fails once the event loops are gone, and the process with them.
    _ = try? MultiThreadedEventLoopGroup.singleton.any().scheduleCallback(
      in: .nanoseconds(max(0, nanoseconds)),
      handler: Alarm(runner: self, deadline: deadline)
    )
  }

  private struct Alarm: NIOScheduledCallbackHandler, Sendable {
    weak let runner: SessionRunner?
    let deadline: ContinuousClock.Instant

    func handleScheduledCallback(eventLoop: some EventLoop) { runner?.ring(deadline) }
  }

  private func ring(_ deadline: ContinuousClock.Instant) {
    let timing = services.configuration.timing
    let now = ContinuousClock.now
    let (problem, alarm) = state.withLock { state -> (LayoutProblem?, ContinuousClock.Instant?) in
      if state.alarm == deadline { state.alarm = nil }
      guard state.outcome == nil else { return (nil, nil) }
      guard state.isOpen || state.isOpening else {
        return now < openDeadline
          ? (nil, openDeadline) : (.openTimeout(after: timing.open), nil)
      }
      if let since = state.writingSince {
        return now < since + timing.write
          ? (nil, since + timing.write) : (.slowClient(unreadFor: timing.write), nil)
      }
      return (nil, nil)
    }
    if let problem { return finish(problem) }
    if let alarm { arm(alarm) }
    wake { _ in }
  }
}
