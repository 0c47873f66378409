// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import DequeModule
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting

/// The right to work on a session. There is one for each session; it is moved and never copied.
struct SessionOwner: ~Copyable, Sendable {
  let core: SessionCore
}

/// One open session with all that belongs to its stream: says what is to be done, one thing after
/// the other, and never waits for anything itself.
///
/// Not locked: only who has the `SessionOwner` may touch it, one at a time, and that passes from
/// one to the next under the lock of the session's machine.
final class SessionCore: @unchecked Sendable {
  let services: SessionServices
  let live: LiveSession
  let collection: LiveCollection?
  let subscription: Subscription?
  /// nil = the stream is not traced.
  let trace: StreamTrace?
  let token: ResumeToken
  let start: ContinuousClock.Instant
  /// The session, for changes of its own: each takes it out of the state that others are in, for
  /// good.
  var independentSession: ViewportSession {
    _read { yield sessionInPlace }
    _modify {
      leaveForGood()
      isQueryNew = true
      yield &sessionInPlace
    }
  }
  /// The session, which stays in the state that others are in: for changes that are identical in
  /// all sessions of this state, and for those that concern only this client: acknowledgements,
  /// heartbeats, and what `followsFromOpening` rules out.
  var sessionInPlace: ViewportSession {
    _read { yield form.takenOut(link).session }
    _modify { yield &form.takenOut(link).session }
  }
  /// The session and the state that it has in common with others.
  var form: SessionForm
  /// The session's link, while it is in common form; else its own one counts.
  var link: SessionLink
  /// When the session has work again, as long as it stays in common form and is told nothing but
  /// acknowledgements; nil = that is not known.
  var commonRest: ContinuousClock.Instant?
  /// Whether questions may be answered otherwise than when `takeQuery` was called last.
  var isQueryNew = true
  /// The state that the session was in, and others may be, until it has made its next frame; nil =
  /// it was alone.
  var leaving: AlikeState?
  /// The session's place among those that were opened like it; nil = it has done something by
  /// itself.
  var membership: AlikeGroup.Membership?
  var encoder: FrameEncoder
  var answers: AnswerLog
  var charges: SessionCharges
  /// The named layout that the session follows; nil = none.
  var followed: FollowedLayout?
  var flight = BytesInFlight()
  var nextToken: ContinuousClock.Instant
  var isToldSlow = false
  /// Whether the client was told since the last frame that it sends too many events.
  var isToldRate = false
  var counts = SessionCounts()
  /// The kind of the layout, and the layout version that it belongs to.
  private var kind = (name: "", version: UInt64(0))
  /// The oldest commit that the session knows and no frame shows, and the data version that it led
  /// to; nil = the client is shown all.
  var unshown: (since: ContinuousClock.Instant, version: UInt64)?

  /// Wakes the session to follow the collection; nil = it waits for no other session.
  let wake: (@Sendable () -> Void)?
  /// How the session takes part in shared measurements; nil = not at all.
  let measurements: SessionMeasurements?
  /// The sizes that it shares; nil = none.
  var share: MeasurementShare?
  /// `ViewportSession.measuringVersion` when `share` was looked for last.
  var sharedFor: UInt64?

  /// What came in and is not processed yet. Changes between the opening and the subscription count
  /// as such.
  var mail = SessionMail(marks: [.collectionChanged, .layoutsChanged])
  /// When commits were taken over last, by the session's clock; nil = none were.
  var lastFollowing: Duration?
  /// The kinds of events that took long lately.
  var slowKinds = SlowKinds()
  /// Answers of the session that are not encoded yet, the last one first.
  var messages: [SessionMessage] = []
  var responses: [EncodedResponse]
  /// Why the session ends once its responses are written; nil = it does not.
  var ending: SessionEnd?
  /// What the first frame did not wait for.
  var whole: WholeLayout?
  /// The layout in place of which the session shows another; nil = it shows what it should.
  var awaited: AwaitedLayout?
  /// What the client was told of it; nil = nothing.
  var toldFault: Boxed<LayoutProblem>?
  /// How many layouts may still be prepared: no more than the client may send events. Changes of
  /// the viewport do not count as such, but each may want another layout.
  private var preparations: TokenBucket

  /// What goes when the session is dropped, as `DetachedSession.byteCount`.
  var byteCount: Int { sessionInPlace.privateByteCount + answers.byteCount }

  /// - Parameters:
  ///   - measurements: how the session takes part in shared measurements; nil = not at all.
  ///   - wake: wakes the session to follow the collection; nil = it waits for no other session.
  init(
    _ opened: OpenedSession,
    subscription: Subscription?,
    trace: StreamTrace?,
    services: SessionServices,
    measurements: SessionMeasurements? = nil,
    wake: (@Sendable () -> Void)? = nil
  ) {
    self.services = services
    self.subscription = subscription
    self.trace = trace
    live = opened.live
    collection = opened.state.collection
    token = opened.token
    answers = opened.state.answers
    charges = opened.charges
    followed = opened.state.followed
    form = .own(KeptSession(opened.state.session), alike: nil)
    link = opened.state.session.link
    self.wake = wake
    membership = opened.alike.map { services.alike.join($0) }
    encoder = opened.state.encoder
    start = opened.state.start
    nextToken = services.clock.now + services.configuration.resume.renewal
    preparations = TokenBucket(services.configuration.limits)
    self.measurements = measurements
    if let share = opened.state.share, let measurements {
      self.share = MeasurementShare(share, access: measurements.access, wake: measurements.wake)
    }
    responses = []
    messages = opened.messages.reversed()
    // What fails here fails again when the session begins to work, which can say so.
    _ = try? followMeasurements()
    var response = Wire.StreamLayoutResponse()
    response.opened = Wire.SessionOpened(opened.opening)
    response.opened.measurements = sharingState
    responses.append(EncodedResponse(response))
    if let problem = Self.emptyView(of: opened) {
      response.notice = Wire.Notice(.nothingInSight, problem: problem)
      responses.append(EncodedResponse(response))
    }
    responses += answers.responses
    live.begin(
      SessionFacts(
        peer: charges.account.parent?.name ?? "",
        owner: live.owner ?? "",
        collection: collection?.id ?? "",
        opened: .now
      )
    )
  }

  /// What is wrong with the view of a new session in which nothing is in sight; nil = something is.
  private static func emptyView(of opened: OpenedSession) -> LayoutProblem? {
    let size = opened.state.session.viewSize
    let isNew = opened.opening.outcome == .created || opened.opening.outcome == .reset
    guard isNew, size.width == 0 || size.height == 0 else { return nil }
    return .fieldInvalid(
      "open.viewport.size",
      "\(size.width) × \(size.height) found, so that nothing is in sight; send the size of the view in points"
    )
  }

  /// What an operator sees.
  var figures: SessionFigures {
    let (version, liveElements, unacknowledged, shown) = whatIsShown
    return SessionFigures(
      layout: kindName(of: version),
      liveElements: liveElements,
      frames: counts.frames,
      keyframes: counts.keyframes,
      sentBytes: flight.total,
      events: counts.events,
      refusedEvents: counts.refusedEvents,
      unacknowledgedFrames: unacknowledged,
      unacknowledgedBytes: flight.count,
      dataVersion: shown,
      unshownSince: unshown?.since
    )
  }

  private var whatIsShown:
    (layoutVersion: UInt64, elements: Int, unacknowledged: UInt64, dataVersion: UInt64)
  {
    if case .common(let state) = form {
      let common = state.common
      return (
        common.layoutVersion, common.liveCount, link.unacknowledgedFrames, common.dataVersion
      )
    }
    return reading { session in
      (
        session.layoutVersion, session.liveCount, session.unacknowledgedFrames,
        session.shownDataVersion
      )
    }
  }

  private func kindName(of version: UInt64) -> String {
    if kind.version != version {
      if case .common(let state) = form {
        kind = (state.common.layoutKind, version)
      } else {
        kind = (reading { $0.layoutKind }, version)
      }
    }
    return kind.name
  }

  /// Whether the client gave up what a resume would need, or a resume would fail like the opening.
  var isDiscarded: Bool { sessionInPlace.isDiscarded || sessionInPlace.startRefusal != nil }

  /// What questions are asked of from now on, if that is new.
  func takeQuery() -> PublishedQuery? {
    guard isQueryNew else { return nil }
    isQueryNew = false
    if case .common(let state) = form {
      return state.common.query.map(PublishedQuery.common) ?? PublishedQuery.none
    }
    return reading { $0.query }.map(PublishedQuery.own) ?? PublishedQuery.none
  }

  /// Reads the session in place. Where a property of a class is asked, all of the session is copied
  /// first.
  func reading<Answer>(_ body: (borrowing ViewportSession) -> Answer) -> Answer {
    Self.reading(&form.takenOut(link).session, body)
  }

  /// Reads a property of the session in place.
  static func reading<Value, Answer>(
    _ value: inout Value,
    _ body: (borrowing Value) -> Answer
  ) -> Answer {
    body(value)
  }

  private func charge() throws(LimitExceeded) {
    try Self.charge(&form.takenOut(link).session, and: answers.byteCount, to: &charges)
  }

  private static func charge(
    _ session: inout ViewportSession,
    and bytes: Int,
    to charges: inout SessionCharges
  ) throws(LimitExceeded) {
    try charges.follow(session, and: bytes)
  }

  // MARK: - What is to be done

  /// What is to be done next, once what came in is processed.
  ///
  /// - Parameter turn: nil = the caller runs on a thread that all share.
  func next(at instant: ContinuousClock.Instant, in turn: SessionTurn?) -> SessionWork {
    do {
      let work = try work(at: instant, in: turn)
      // A session at rest keeps as little as it can.
      if work.isRest, !form.isCommon, let alike { join(alike) }
      return work
    } catch { return .end(.failed(error)) }
  }

  private func work(
    at instant: ContinuousClock.Instant,
    in turn: SessionTurn?
  ) throws -> SessionWork {
    if let ending { return .end(ending) }
    if let work = try workInCommon(at: instant, in: turn) { return work }
    let now = start.duration(to: instant)
    var delay: Duration?
    // A turn for the remaining requests, if a frame has to come first.
    var turnForRequests: SessionWork?
    while true {
      if turnForRequests == nil, let wait = try processInput(at: instant, in: turn) {
        guard case .turn(.uninterrupted) = wait, isFrameFirst(at: instant) else { return wait }
        turnForRequests = wait
      }
      // What came in may lead to other sizes, and these to answers.
      guard turn != nil || !takesLongToFollowMeasurements else { return .turn(.uninterrupted) }
      if try followMeasurements() { continue }
      // The memory is charged before anything is laid out or shown.
      do throws(LimitExceeded) { try charge() } catch { throw LayoutProblem(error) }
      // The whole that a draft or stand-in waited for may not be what the session wants any more.
      if awaited?.isForTarget == true, !reading({ $0.isInTransition }) {
        awaited?.cancel()
        awaited = nil
      }
      if awaited == nil, whole == nil,
        reading({ ($0.isDraft || $0.showsStandIn) && $0.wantedLayout == nil })
      {
        _ = independentSession.wantLayoutAnew()
      }
      guard let request = reading({ $0.wantedLayout }) else { break }
      guard turn != nil || !takesLongToSupply else { return .turn(.building) }
      delay = preparations.admit(at: instant)
      // Whatever comes until then changes what is wanted: the newest wins.
      if delay != nil { break }
      guard try supplySuccessor(for: request) else { return prepare(request) }
    }
    // What is written waits until the client has taken what was written before, even if it is
    // nothing.
    if reading({ $0.isFrameDue(at: now) }), flight.mustBeTaken() {
      return write(restingUntil: nil)
    }
    // The answer to the opening is written by itself: gRPC keeps a queue for messages that it gets
    // together, half a kilobyte for as long as the stream lives.
    if counts.responses == 0, !responses.isEmpty { return write(restingUntil: nil) }
    let isFrameLeft = try !buildFrame(at: now, in: turn)
    let due = due(at: now, isForced: instant >= nextToken)
    send(due.heartbeat, at: instant)
    isToldRate = false
    // How requests ended does not matter before all have been processed.
    if turnForRequests == nil { findEnding() }
    if ending == nil { try tell(due.health) }
    var rest: ContinuousClock.Instant?
    if ending == nil {
      if let delay {
        rest = min(instant + max(delay, .milliseconds(1)), restDeadline(at: now))
      } else if reading({ $0.wantedLayout == nil }) {
        rest = restDeadline(at: now)
      }
    }
    // What is ready goes out first: the frame may have to wait.
    let mustWork = isFrameLeft || turnForRequests != nil
    if !responses.isEmpty { return write(restingUntil: mustWork ? nil : rest) }
    if let ending { return .end(ending) }
    if isFrameLeft { return .turn(.building) }
    if let turnForRequests { return turnForRequests }
    return .rest(until: rest ?? instant)
  }

  /// Processes what came in until something has to be waited for: a commit; or, outside of a turn,
  /// a large request, an event after a slow one, sizes while others change many, or other clients'
  /// commits if the client has many elements.
  private func processInput(
    at instant: ContinuousClock.Instant,
    in turn: SessionTurn?
  ) throws -> SessionWork? {
    var mayRead = if case .uninterrupted = turn { true } else { false }
    let began = ContinuousClock.now
    while true {
      if let wait = answer(in: turn) { return wait }
      guard let input = mail.inputs.first else { break }
      let isSuperseded = isFirstSuperseded
      // Once it is noted, no frame is built before the one that supersedes it.
      if isSuperseded, isFrameFirst(at: instant) { return .turn(.uninterrupted) }
      let takesLong = !isSuperseded && takesLong(input)
      if takesLong {
        guard mayRead else { return .turn(.uninterrupted) }
      } else if input.event != nil, began.duration(to: .now) > Self.eventPatience {
        // In a turn there is room for one that takes long.
        guard mayRead else { return .turn(.uninterrupted) }
      }
      mayRead = mayRead && !takesLong
      mail.inputs.removeFirst()
      try take(input, at: instant, isSuperseded: isSuperseded)
    }
    // Most sessions rest most of the time, and then keep no room.
    if mail.inputs.isEmpty { mail.inputs = [] }
    if mail.marks.contains(.versionAwaited) {
      mail.marks.remove(.versionAwaited)
      mail.marks.insert(.collectionChanged)
    }
    if mail.marks.contains(.collectionChanged) {
      if let alike {
        join(alike)
        _ = try followAlike(from: alike, at: start.duration(to: instant))
      }
      // The others follow soon, which takes less than following by oneself.
      if followingDelay(at: start.duration(to: instant)) == nil || isAwaited {
        if let turn = turnToFollow(in: turn) { return .turn(turn) }
        mail.marks.remove(.collectionChanged)
        let version = reading { $0.sharedVersion }
        try followCollection()
        if reading({ $0.sharedVersion }) != version {
          lastFollowing = start.duration(to: instant)
        }
      }
    }
    if mail.marks.contains(.layoutsChanged) {
      guard turn != nil || !takesLongToFollowLayout else { return .turn(.building) }
      mail.marks.remove(.layoutsChanged)
      followLayout()
    }
    if mail.marks.contains(.layoutSettled) {
      mail.marks.remove(.layoutSettled)
      try settleLayout()
    }
    // Following sizes answers the reports that brought them.
    return answer(in: turn)
  }

  /// - Parameter isForced: whether a heartbeat is due in any case.
  /// - Returns: the heartbeat to be sent, nil = none is due; and whether the client keeps up.
  private func due(
    at now: Duration,
    isForced: Bool
  ) -> (heartbeat: Heartbeat?, health: SessionHealth) {
    if case .common(let state) = form {
      let due = state.common.due(&link, at: now, isForced: isForced)
      return (due.heartbeat, due.health)
    }
    let heartbeat = sessionInPlace.heartbeat(at: now, isForced: isForced)
    return (heartbeat, reading { $0.health(at: now) })
  }

  /// Whether a frame is overdue and can be made now, so that it comes before more events. If it
  /// cannot, as its layout may not be prepared yet, waiting for it would keep a thread busy.
  private func isFrameFirst(at instant: ContinuousClock.Instant) -> Bool {
    let now = start.duration(to: instant)
    let (isOverdue, isDue, needsLayout) = reading {
      ($0.isFrameOverdue(at: now), $0.isFrameDue(at: now), $0.wantedLayout != nil)
    }
    return isOverdue && (needsLayout ? !preparations.mustWait(at: instant) : isDue)
  }

  /// Turns what the session said into responses, up to what has to be waited for.
  func answer(in turn: SessionTurn?) -> SessionWork? {
    while let message = messages.popLast() {
      switch message {
      case .eventResult(let result):
        if let problem = result.problem {
          counts.refusedEvents += 1
          services.metrics.refusal(LayoutProblem(problem).reason, .event)
        }
        respond { $0.eventResult = Wire.EventResult(result) }
      case .scrollTarget(let seq, let target):
        respond { $0.scrollTarget = Wire.ScrollTarget(eventSequence: seq, target) }
      case .commit(let seq, let batch):
        if let commit = commit(.batch(batch), seq: seq) { return .commit(commit) }
      case .transfer(let seq, let source, let transfer):
        if let commit = commit(.transfer(transfer, from: source), seq: seq) {
          return .commit(commit)
        }
      case .lookUp(let seq, let keys):
        if let commit = commit(.lookUp(keys), seq: seq) { return .commit(commit) }
      case .share(let offer):
        guard !mustWaitToOffer(in: turn) else {
          messages.append(message)
          return .turn(.uninterrupted)
        }
        self.offer(offer)
      }
    }
    return nil
  }

  /// nil for private sessions, which ask for nothing of that kind.
  private func commit(_ task: SessionCommit.Task, seq: UInt64) -> SessionCommit? {
    collection.map {
      SessionCommit(
        task,
        of: $0,
        seq: seq,
        account: charges.account,
        takesLongToSettle: reading { $0.takesLongToFollow }
      )
    }
  }

  /// When something is due that nothing announces.
  private func restDeadline(at now: Duration) -> ContinuousClock.Instant {
    // A session that is not closed always has one.
    var deadline = reading { $0.nextDeadline(after: now) } ?? now + .seconds(15)
    if mail.marks.contains(.collectionChanged), let end = followingDelay(at: now) {
      deadline = min(deadline, end)
    }
    return min(start + max(deadline, now + .milliseconds(1)), nextToken)
  }
}

extension [SessionMessage] {
  /// Whether they are the refusal of an event.
  var isRefusal: Bool {
    contains { message in
      if case .eventResult(let result) = message { result.problem != nil } else { false }
    }
  }
}
