// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession

/// What has to be done before a session can go on.
///
/// What is rare stands behind a reference, for it is large, and of a size that the compiler does not
/// know: every copy on the way of a scroll step would take memory of the task.
enum SessionWork: Sendable {
  /// All in this order.
  ///
  /// - Parameter mayWait: whether the client has to read for that.
  case write([EncodedResponse], mayWait: Bool)
  indirect case commit(UpdateBatch, seq: UInt64)
  case prepare(Preparation)
  /// Nothing, until something comes in or a moment passes.
  case rest(until: ContinuousClock.Instant)
  /// For a reason that the client should know, or none.
  case end((any Error)?)
}

/// A layout that is to be prepared.
final class Preparation: Sendable {
  let request: PreparedLayoutRequest
  let id: UInt64
  let hasBeginning: Bool
  /// Of the contents.
  let itemCount: Int

  init(_ request: PreparedLayoutRequest) {
    self.request = request
    id = request.id
    hasBeginning = request.hasBeginning
    itemCount = request.contents.itemCount
  }

  /// What may be prepared for others as well; nil = nobody else would want it.
  func shared(of collection: LiveCollection?) -> PreparationRequest? {
    guard request.isShareable, let collection else { return nil }
    return PreparationRequest(request, of: collection)
  }
}

/// One open session with all that belongs to its stream: says what is to be done, one thing after
/// the other, and never waits for anything itself.
struct SessionDriver: Sendable {
  private enum Phase {
    /// Works on what came in.
    case working
    /// Sees to layouts, then to the next frame: whatever else comes in meanwhile, it is for the one
    /// after that.
    case framing
    /// What was to be written is written: looks for a reason to end.
    case checking
    /// The last word is written.
    case ending((any Error)?)
  }

  private let services: SessionServices
  let live: LiveSession
  let collection: LiveCollection?
  private let token: ResumeToken
  private let start: ContinuousClock.Instant
  private var session: ViewportSession
  private var encoder: FrameEncoder
  private var answers: AnswerLog
  private var phase = Phase.working
  /// Answers of the session that are not written yet, the last one first.
  private var messages: [SessionMessage] = []
  private var responses: [EncodedResponse]
  private var flight = BytesInFlight()
  private var nextToken: ContinuousClock.Instant
  private var isToldSlow = false
  private(set) var counts = SessionCounts()

  init(_ opened: OpenedSession, services: SessionServices) {
    self.services = services
    live = opened.live
    collection = opened.collection
    token = opened.token
    answers = opened.answers
    session = opened.session
    encoder = opened.encoder
    start = opened.start
    nextToken = .now + services.configuration.resume.renewal
    var response = Wire.StreamLayoutResponse()
    response.opened = Wire.SessionOpened(opened.opening)
    responses = [EncodedResponse(response)] + answers.responses.map { EncodedResponse($0) }
  }

  /// Whether the client gave up what a resume would need.
  var isDiscarded: Bool { session.isDiscarded }

  /// What questions are asked of; nil = nothing is prepared yet.
  var query: SessionQuery? { session.query }

  /// The session as it is now, for another stream.
  var detached: DetachedSession {
    DetachedSession(
      session: session,
      encoder: encoder,
      collection: collection,
      start: start,
      answers: answers
    )
  }

  // MARK: - What comes in

  mutating func acknowledge(_ ack: FrameAck, at instant: ContinuousClock.Instant) throws {
    do throws(ProtocolViolation) {
      try session.acknowledge(ack, at: start.duration(to: instant))
    } catch { throw LayoutProblem(error) }
    guard ack.sequence > 0 else { return }
    answers.received(frame: ack.sequence)
    flight.received(frame: ack.sequence)
  }

  /// - Precondition: nothing is being committed.
  mutating func take(_ input: SessionInbox.Input, at instant: ContinuousClock.Instant) throws {
    let now = start.duration(to: instant)
    do throws(ProtocolViolation) {
      switch input {
      case .event(let event, let seq):
        counts.events += 1
        take(try session.receive(event, seq: seq, at: now))
      case .refused(let problem, let seq):
        // It takes its number like any other, and nothing else.
        counts.events += 1
        _ = try session.receive(.unsupported("refused"), seq: seq, at: now)
        counts.refusedEvents += 1
        respond { $0.eventResult = Wire.EventResult(eventSequence: seq, problem: problem) }
      case .ack(let ack):
        try session.acknowledge(ack, at: now)
      }
    } catch { throw LayoutProblem(error) }
  }

  private mutating func take(_ new: [SessionMessage]) {
    if !new.isEmpty { messages.append(contentsOf: new.reversed()) }
  }

  /// The fate of a batch that was to be committed.
  mutating func settle(
    seq: UInt64,
    _ outcome: UpdateOutcome,
    at instant: ContinuousClock.Instant
  ) throws {
    let now = start.duration(to: instant)
    try followCollection(at: now)
    take(session.updateSettled(seq: seq, outcome, at: now))
  }

  mutating func supply(_ prepared: any PreparedLayout, for request: PreparedLayoutRequest) {
    take(session.supply(prepared, for: request))
  }

  mutating func supply(beginning: any PreparedLayout, for request: PreparedLayoutRequest) {
    session.supply(beginning: beginning, for: request)
  }

  /// Takes over what was committed since.
  mutating func followCollection(at instant: ContinuousClock.Instant) throws {
    try followCollection(at: start.duration(to: instant))
  }

  private mutating func followCollection(at now: Duration) throws {
    guard let collection, !collection.isDeleted else { return }
    try session.catchUp(with: collection, at: now)
  }

  // MARK: - What is to be done

  /// - Throws: `LayoutProblem` where the stream ends for a reason that the client should know.
  mutating func next(
    _ inbox: inout SessionInbox,
    at instant: ContinuousClock.Instant
  ) throws -> SessionWork {
    let now = start.duration(to: instant)
    while true {
      switch phase {
      case .working:
        inbox.isWoken = false
        if let work = try work(on: &inbox, at: instant, now) { return work }
        phase = .framing
      case .framing:
        if let work = answer() { return work }
        if let request = session.wantedLayout { return .prepare(Preparation(request)) }
        buildFrame(at: now)
        tellTime(at: instant, now)
        phase = .checking
        if !responses.isEmpty { return write() }
      case .checking:
        if session.isClosed { return .end(nil) }
        if inbox.isCollectionDeleted {
          end(.collectionDeleted, with: collectionGone)
          return write()
        }
        if inbox.isCancelled || services.drain.isDraining {
          guard services.drain.isDraining else { return .end(nil) }
          goAway()
          return write()
        }
        if let end = inbox.end, inbox.isEmpty {
          if case .failed(let error) = end { throw error }
          return .end(nil)
        }
        phase = .working
        if try checkHealth(at: now) || inbox.isWoken || !inbox.isEmpty { continue }
        // A session that is not closed always has one.
        let deadline = session.nextDeadline(after: now) ?? now + .seconds(15)
        return .rest(
          until: min(start + max(deadline, now + .milliseconds(1)), nextToken)
        )
      case .ending(let error):
        if let error { throw error }
        return .end(nil)
      }
    }
  }

  private mutating func work(
    on inbox: inout SessionInbox,
    at instant: ContinuousClock.Instant,
    _ now: Duration
  ) throws -> SessionWork? {
    if inbox.isRateLimited {
      inbox.isRateLimited = false
      let problem = rateProblem
      respond { $0.notice = Wire.Notice(.rateLimited, problem: problem) }
    }
    while true {
      if let work = answer() { return work }
      guard let input = inbox.popFirst() else { break }
      try take(input, at: instant)
    }
    if inbox.isCollectionChanged {
      inbox.isCollectionChanged = false
      try followCollection(at: now)
    }
    return nil
  }

  /// Turns what the session said into responses, up to what it wants committed.
  private mutating func answer() -> SessionWork? {
    while let message = messages.popLast() {
      switch message {
      case .eventResult(let result):
        if result.problem != nil { counts.refusedEvents += 1 }
        respond { $0.eventResult = Wire.EventResult(result) }
      case .scrollTarget(let seq, let target):
        respond { $0.scrollTarget = Wire.ScrollTarget(eventSequence: seq, target) }
      case .commit(let seq, let batch):
        return .commit(batch, seq: seq)
      }
    }
    return nil
  }

  /// Notes what the session said and the stream no longer tells, so that the next one does. What
  /// was to be committed is sent again by the client, as the session's last event says.
  mutating func noteAnswers() {
    while !messages.isEmpty { _ = answer() }
  }

  // MARK: - What goes out

  private mutating func write() -> SessionWork {
    var ready: [EncodedResponse] = []
    swap(&ready, &responses)
    counts.responses += ready.count
    return .write(ready, mayWait: flight.count > BytesInFlight.few)
  }

  private mutating func buildFrame(at now: Duration) {
    services.scratch.withScratch { scratch in
      guard let frame = session.nextFrame(at: now, scratch: &scratch) else { return }
      counts.frames += 1
      counts.keyframes += frame.isKeyframe ? 1 : 0
      counts.elements += frame.upserts.count
      for part in encoder.encode(frame) { append(part) }
      flight.sent(frame: frame.sequence)
      scratch.takeBack(frame)
    }
  }

  private mutating func tellTime(at instant: ContinuousClock.Instant, _ now: Duration) {
    guard let heartbeat = session.heartbeat(at: now, isForced: instant >= nextToken) else { return }
    let signed = services.tokens.sign(token)
    nextToken = instant + services.configuration.resume.renewal
    respond { $0.heartbeat = Wire.Heartbeat(heartbeat, resumeToken: signed) }
  }

  /// - Returns: whether there is something to tell the client.
  private mutating func checkHealth(at now: Duration) throws -> Bool {
    switch session.health(at: now) {
    case .good: isToldSlow = false
    case .slow:
      guard !isToldSlow else { return false }
      isToldSlow = true
      let problem = LayoutProblem.slowClient(
        unacknowledgedFor: services.configuration.timing.slowNotice
      )
      respond { $0.notice = Wire.Notice(.slowClient, problem: problem) }
      return true
    case .tooSlow:
      throw LayoutProblem.slowClient(unacknowledgedFor: services.configuration.timing.slowEnd)
    case .silent:
      var problem = LayoutProblem.slowClient(
        unacknowledgedFor: (session.options.heartbeatInterval ?? .seconds(15)) * 3
      )
      problem.message = "Nothing came from the client for three heartbeats."
      throw problem
    }
    return false
  }

  private mutating func respond(_ fill: (inout Wire.StreamLayoutResponse) -> Void) {
    var response = Wire.StreamLayoutResponse()
    fill(&response)
    append(EncodedResponse(response))
    switch response.message {
    case .eventResult, .scrollTarget: answers.append(response, after: session.lastFrame)
    default: break
    }
  }

  private mutating func append(_ response: EncodedResponse) {
    flight.add(response.bytes.count)
    responses.append(response)
  }

  // MARK: - The end

  private var collectionGone: LayoutProblem {
    .collectionNotFound(collection.map { CollectionName($0.id).description } ?? "")
  }

  private var rateProblem: LayoutProblem {
    .quotaExceeded(
      .eventRate,
      limit: UInt64(clamping: services.configuration.limits.eventsPerSecond),
      retryDelay: .seconds(1)
    )
  }

  private mutating func end(_ notice: Wire.Notice.TypeEnum, with problem: LayoutProblem) {
    respond { $0.notice = Wire.Notice(notice, problem: problem) }
    phase = .ending(problem)
  }

  private mutating func goAway() {
    let spread = services.configuration.timing.reconnectSpread
    let delay = spread * Double.random(in: 0 ... 1)
    let problem = LayoutProblem.serverDraining(retryDelay: delay)
    respond {
      $0.notice = Wire.Notice(.goingAway, reconnectDelay: delay, problem: problem)
    }
    phase = .ending(problem)
  }
}

/// What a session did, for the log.
struct SessionCounts: Sendable {
  var events = 0
  var refusedEvents = 0
  var frames = 0
  var keyframes = 0
  var elements = 0
  var responses = 0
}
