// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import DequeModule
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf

/// Runs one open session: feeds it what the mailbox holds, fetches the layouts that it asks for and
/// writes what it says.
///
/// The only task of its stream that touches the session or writes.
struct SessionDriver {
  private let services: SessionServices
  private let mailbox: SessionMailbox
  private let writer: SessionWriter
  let live: LiveSession
  private let collection: LiveCollection?
  private let token: ResumeToken
  private let start: ContinuousClock.Instant
  private var session: ViewportSession
  private var encoder: FrameEncoder
  private var answers: AnswerLog
  private var responses: [EncodedResponse] = []
  private var nextToken: ContinuousClock.Instant
  private var isToldSlow = false
  private(set) var counts = SessionCounts()

  init(
    _ opened: OpenedSession,
    services: SessionServices,
    mailbox: SessionMailbox,
    writer: SessionWriter
  ) {
    self.services = services
    self.mailbox = mailbox
    self.writer = writer
    live = opened.live
    collection = opened.collection
    token = opened.token
    answers = opened.answers
    session = opened.session
    encoder = opened.encoder
    start = opened.start
    nextToken = .now + services.configuration.resume.tokenLifetime / 2
    var response = Wire.StreamLayoutResponse()
    response.opened = Wire.SessionOpened(opened.opening)
    responses = [EncodedResponse(response)] + answers.responses.map { EncodedResponse($0) }
  }

  /// Whether the client gave up what a resume would need.
  var isDiscarded: Bool { session.isDiscarded }

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

  private var now: Duration { start.duration(to: .now) }

  /// Runs until the session ends.
  ///
  /// - Throws: `LayoutProblem` where the stream ends for a reason that the client should know.
  mutating func run() async throws {
    // Changes between the opening and the subscription.
    try followCollection()
    while true {
      let taken = mailbox.takeAll()
      try await handle(taken)
      try await prepareLayouts()
      buildFrame()
      tellTime()
      try await flush()
      if session.isClosed { return }
      if taken.isCollectionDeleted { try await end(.collectionDeleted, with: collectionGone) }
      if taken.isCancelled || services.drain.isDraining {
        guard services.drain.isDraining else { return }
        try await goAway()
      }
      if let end = taken.end {
        if case .failed(let error) = end { throw error }
        return
      }
      try checkHealth()
      let now = now
      let deadline = session.nextDeadline(after: now).map {
        start + max($0, now + .milliseconds(1))
      }
      await mailbox.wake.wait(until: deadline.map { min($0, nextToken) })
    }
  }

  // MARK: - What comes in

  private mutating func handle(_ taken: SessionMailbox.Contents) async throws {
    do throws(ProtocolViolation) {
      for ack in taken.acks {
        try session.acknowledge(ack, at: now)
        answers.received(frame: ack.sequence)
      }
    } catch { throw LayoutProblem(error) }
    if taken.isRateLimited {
      let problem = rateProblem
      respond { $0.notice = Wire.Notice(.rateLimited, problem: problem) }
    }
    for input in taken.inputs { try await handle(input) }
    if taken.isCollectionChanged { try followCollection() }
  }

  private mutating func handle(_ input: SessionMailbox.Input) async throws {
    counts.events += 1
    let messages: [SessionMessage]
    do throws(ProtocolViolation) {
      switch input {
      case .event(let event, let seq):
        messages = try session.receive(event, seq: seq, at: now)
      case .refused(let problem, let seq):
        // It takes its number like any other, and nothing else.
        _ = try session.receive(.unsupported("refused"), seq: seq, at: now)
        counts.refusedEvents += 1
        respond { $0.eventResult = Wire.EventResult(eventSequence: seq, problem: problem) }
        return
      }
    } catch { throw LayoutProblem(error) }
    try await handle(messages)
  }

  private mutating func handle(_ messages: [SessionMessage]) async throws {
    for message in messages {
      switch message {
      case .eventResult(let result):
        if result.problem != nil { counts.refusedEvents += 1 }
        respond { $0.eventResult = Wire.EventResult(result) }
      case .scrollTarget(let seq, let target):
        respond { $0.scrollTarget = Wire.ScrollTarget(eventSequence: seq, target) }
      case .commit(let seq, let batch):
        let outcome = try await commit(batch)
        try followCollection()
        try await handle(session.updateSettled(seq: seq, outcome, at: now))
      }
    }
  }

  // MARK: - The shared collection

  private func commit(_ batch: UpdateBatch) async throws -> UpdateOutcome {
    guard let collection else { return .refused(EventProblem(.wrongState, "nothing is shared")) }
    do throws(StoreError) {
      let commit = try await collection.commit(batch) {
        try Wire.UpdateBatch(batch).serializedBytes()
      }
      return .committed(version: commit.dataVersion, isDuplicate: commit.isDuplicate)
    } catch {
      let problem = LayoutProblem(error)
      guard let refusal = EventProblem(problem) else { throw problem }
      return .refused(refusal)
    }
  }

  /// Takes over what was committed since.
  private mutating func followCollection() throws {
    guard let collection, !collection.isDeleted else { return }
    try session.catchUp(with: collection, at: now)
  }

  // MARK: - Layouts

  private mutating func prepareLayouts() async throws {
    while let request = session.wantedLayout {
      let prepared: any PreparedLayout
      if request.isShareable, let collection {
        prepared = try await services.engine.preparedLayout(
          for: PreparationRequest(request, of: collection)
        )
      } else {
        prepared = try await services.engine.perform(itemCount: request.contents.itemCount) {
          request.prepare()
        }
      }
      try await handle(session.supply(prepared, for: request))
    }
    live.publish(session.query)
  }

  // MARK: - What goes out

  private mutating func buildFrame() {
    guard let frame = session.nextFrame(at: now) else { return }
    counts.frames += 1
    counts.keyframes += frame.isKeyframe ? 1 : 0
    counts.elements += frame.upserts.count
    responses += encoder.encode(frame)
    // Building a frame anchors the viewport.
    live.publish(session.query)
  }

  private mutating func tellTime() {
    let isTokenOld = ContinuousClock.now >= nextToken
    guard let heartbeat = session.heartbeat(at: now, isForced: isTokenOld) else { return }
    let signed = services.tokens.sign(token)
    nextToken = .now + services.configuration.resume.tokenLifetime / 2
    respond { $0.heartbeat = Wire.Heartbeat(heartbeat, resumeToken: signed) }
  }

  private mutating func checkHealth() throws {
    switch session.health(at: now) {
    case .good: isToldSlow = false
    case .slow:
      guard !isToldSlow else { return }
      isToldSlow = true
      let problem = LayoutProblem.slowClient(
        unacknowledgedFor: services.configuration.timing.slowNotice
      )
      respond { $0.notice = Wire.Notice(.slowClient, problem: problem) }
      mailbox.wake.set()
    case .tooSlow:
      throw LayoutProblem.slowClient(unacknowledgedFor: services.configuration.timing.slowEnd)
    case .silent:
      var problem = LayoutProblem.slowClient(
        unacknowledgedFor: (session.options.heartbeatInterval ?? .seconds(15)) * 3
      )
      problem.message = "Nothing came from the client for three heartbeats."
      throw problem
    }
  }

  private mutating func respond(_ fill: (inout Wire.StreamLayoutResponse) -> Void) {
    var response = Wire.StreamLayoutResponse()
    fill(&response)
    responses.append(EncodedResponse(response))
    switch response.message {
    case .eventResult, .scrollTarget: answers.append(response, after: session.lastFrame)
    default: break
    }
  }

  private mutating func flush() async throws {
    guard !responses.isEmpty else { return }
    let ready = responses
    responses.removeAll(keepingCapacity: ready.count <= 8)
    counts.responses += ready.count
    try await writer.write(ready)
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

  private mutating func end(
    _ notice: Wire.Notice.TypeEnum,
    with problem: LayoutProblem
  ) async throws {
    respond { $0.notice = Wire.Notice(notice, problem: problem) }
    try await flush()
    throw problem
  }

  private mutating func goAway() async throws {
    let spread = services.configuration.timing.reconnectSpread
    let delay = spread * Double.random(in: 0 ... 1)
    let problem = LayoutProblem.serverDraining(retryDelay: delay)
    respond {
      $0.notice = Wire.Notice(.goingAway, reconnectDelay: delay, problem: problem)
    }
    try await flush()
    throw problem
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

extension PreparationRequest {
  /// What a session of a shared collection asks the engine for.
  fileprivate init(_ request: PreparedLayoutRequest, of collection: LiveCollection) {
    let known = collection.latest(changes: QuerySubjects.derivationChanges).changes ?? []
    var changes = known.filter { $0.version <= request.dataVersion }.map {
      VersionedChange(newVersion: $0.version, change: $0.change)
    }
    // A collection that has gone on may no longer know what led here; the session does.
    if changes.last?.newVersion != request.dataVersion { changes = [] }
    var base: Base?
    if let derivation = request.derivation, UInt64(derivation.changes.count) <= request.dataVersion
    {
      let start = request.dataVersion - UInt64(derivation.changes.count)
      base = Base(version: start, prepared: derivation.base)
      if changes.count < derivation.changes.count {
        changes = derivation.changes.enumerated().map {
          VersionedChange(newVersion: start + UInt64($0.offset) + 1, change: $0.element)
        }
      }
    }
    self.init(
      contents: request.contents,
      version: ContentsVersion(
        identity: ContentsIdentity(collection.incarnation),
        number: request.dataVersion
      ),
      configuration: request.configuration,
      container: request.container,
      changes: changes,
      base: base
    )
  }
}
