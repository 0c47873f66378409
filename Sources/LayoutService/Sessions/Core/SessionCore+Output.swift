// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import LayoutProtocol
internal import LayoutSession
internal import Metrics

extension SessionCore {
  // MARK: - What goes out

  func write(restingUntil rest: ContinuousClock.Instant?) -> SessionWork {
    var ready: [EncodedResponse] = []
    swap(&ready, &responses)
    counts.responses += ready.count
    services.metrics.sentBytes.increment(by: ready.reduce(0) { $0 + $1.bytes.count })
    return .write(ready, mayWait: flight.count > BytesInFlight.few, restingUntil: rest)
  }

  /// Builds the frame that is due, if there is one, and says what follows from it.
  ///
  /// - Returns: false = that takes more than the effort allows.
  /// - Throws: QUOTA_MEMORY if the frame is too large.
  private func buildFrame(at now: Duration, effort: FrameEffort) throws(LayoutProblem) -> Bool {
    if !joinAlike(at: now) {
      do throws(FrameTooLarge) { try makeFrame(at: now, effort: effort) } catch {
        throw LayoutProblem(error)
      }
    }
    // Those in the same state have nothing of what follows.
    let maxBytes = encoder.grantedMessageBytes
    if !sessionInPlace.needsTurn, let change = sessionInPlace.nextPrefetch(at: now, effort: effort)
    {
      for part in Wire.PrefetchChange.parts(of: change, maxBytes: maxBytes) {
        respond { $0.prefetch = part }
      }
    }
    if !sessionInPlace.needsTurn,
      let change = sessionInPlace.nextVisibility(at: now, effort: effort)
    {
      for part in Wire.VisibilityChange.parts(of: change, maxBytes: maxBytes) {
        respond { $0.visibility = part }
      }
    }
    for seq in sessionInPlace.settledSyncs(at: now) {
      respond { $0.eventResult.eventSeq = seq }
    }
    return !sessionInPlace.needsTurn
  }

  private func makeFrame(at now: Duration, effort: FrameEffort) throws(FrameTooLarge) {
    let isDue = reading { $0.isFrameDue(at: now) }
    try services.scratch.withScratch { scratch throws(FrameTooLarge) in
      let began = trace == nil ? nil : ContinuousClock.now
      // It may bring the viewport to where the content is, frame or not.
      isQueryNew = isQueryNew || isDue
      guard let frame = sessionInPlace.nextFrame(at: now, scratch: &scratch, effort: effort) else {
        if isDue, !sessionInPlace.needsTurn {
          // Sessions in the same state need no frame either, so they must not wait for one.
          leaving?.giveUpNext()
          leaveForGood()
        }
        return
      }
      if let target = sessionInPlace.takeStartTarget() {
        // Nobody asked for it.
        respond { $0.scrollTarget = Wire.ScrollTarget(eventSequence: 0, target) }
      }
      let sent = AlikeState.Frame(
        sequence: frame.sequence,
        isKeyframe: frame.isKeyframe,
        dataVersion: frame.dataVersion,
        elementCount: frame.upserts.count,
        responses: try encoder.encode(frame),
        oldestCommit: unshown?.since
      )
      self.sent(sent)
      if let trace, let began { trace.frame(frame, took: began.duration(to: .now)) }
      scratch.takeBack(frame)
      noteAlike(sent)
    }
  }

  /// Notes a frame that goes out.
  func sent(_ frame: AlikeState.Frame) {
    counts.frames += 1
    counts.keyframes += frame.isKeyframe ? 1 : 0
    counts.elements += frame.elementCount
    if responses.isEmpty {
      // Shared with all who send this frame.
      responses = frame.responses
      for part in responses { flight.add(part.bytes.count) }
    } else {
      for part in frame.responses { append(part) }
    }
    flight.sent(frame: frame.sequence)
    let metrics = services.metrics
    metrics.frames.increment()
    if frame.isKeyframe { metrics.keyframes.increment() }
    metrics.elements.increment(by: frame.elementCount)
    guard let commit = unshown, frame.dataVersion >= commit.version else { return }
    unshown = nil
    metrics.latency.record(duration: commit.since.duration(to: .now))
  }

  /// Builds the frame that is due, if there is one, with what effort the turn allows.
  ///
  /// - Parameter turn: nil = none, so that the frame may only take a small effort.
  /// - Returns: false = a turn is needed.
  /// - Throws: QUOTA_STEPS if the frame takes more than the limits of the turn; QUOTA_MEMORY if it
  ///   is too large.
  func buildFrame(at now: Duration, in turn: SessionTurn?) throws(LayoutProblem) -> Bool {
    guard case .building(let work) = turn else { return try buildFrame(at: now, effort: .small) }
    if try buildFrame(at: now, effort: .bounded(work)) { return true }
    if let stop = work.stop { throw LayoutProblem(stop) }
    return false
  }

  /// - Parameter heartbeat: nil = none is due.
  func send(_ heartbeat: Heartbeat?, at instant: ContinuousClock.Instant) {
    guard let heartbeat else { return }
    let signed = services.tokens.sign(token)
    nextToken = instant + services.configuration.resume.renewal
    respond { $0.heartbeat = Wire.Heartbeat(heartbeat, resumeToken: signed) }
  }

  /// Tells the client that it is slow, once.
  ///
  /// - Throws: SLOW_CLIENT where it was for too long, or is silent.
  func tell(_ health: SessionHealth) throws {
    switch health {
    case .good: isToldSlow = false
    case .slow:
      if isToldSlow { return }
      isToldSlow = true
      services.metrics.slowNotices.increment()
      let problem = LayoutProblem.slowClient(
        unacknowledgedFor: services.configuration.timing.slowNotice
      )
      respond { $0.notice = Wire.Notice(.slowClient, problem: problem) }
    case .tooSlow:
      throw LayoutProblem.slowClient(unacknowledgedFor: services.configuration.timing.slowEnd)
    case .silent:
      var problem = LayoutProblem.slowClient(
        unacknowledgedFor: (sessionInPlace.options.heartbeatInterval ?? .seconds(15)) * 3
      )
      problem.message = "Nothing came from the client for three heartbeats."
      throw problem
    }
  }

  func respond(_ fill: (inout Wire.StreamLayoutResponse) -> Void) {
    var response = Wire.StreamLayoutResponse()
    fill(&response)
    let encoded = EncodedResponse(response)
    append(encoded)
    switch response.message {
    case .eventResult, .scrollTarget: answers.append(encoded, after: sessionInPlace.lastFrame)
    default: break
    }
  }

  private func append(_ response: EncodedResponse) {
    flight.add(response.bytes.count)
    responses.append(response)
  }

  // MARK: - The end

  /// Looks for a reason to end, and tells the client.
  func findEnding() {
    if sessionInPlace.isClosed {
      ending = .closed
    } else if let refusal = reading({ $0.startRefusal }) {
      ending = .failed(LayoutProblem(refusal))
    } else if mail.marks.contains(.collectionDeleted) {
      let name = collection.map { CollectionName($0.id).description } ?? ""
      let problem = LayoutProblem.collectionNotFound(name)
      respond { $0.notice = Wire.Notice(.collectionDeleted, problem: problem) }
      ending = .failed(problem)
    } else if mail.marks.contains(.collectionRewound) {
      // Its next stream gets a new session, with what is stored.
      let problem = LayoutProblem.storeUnavailable()
      respond {
        $0.notice = Wire.Notice(.goingAway, reconnectDelay: .zero, problem: problem)
      }
      ending = .failed(problem)
    } else if mail.marks.contains(.draining) {
      // Sessions that are told in turn need no delay.
      let isAtOnce = services.drain.isDraining
      let spread = isAtOnce ? services.configuration.timing.reconnectSpread : .zero
      let delay = spread * Double.random(in: 0 ... 1)
      let problem = LayoutProblem.serverDraining(retryDelay: delay)
      respond {
        $0.notice = Wire.Notice(.goingAway, reconnectDelay: delay, problem: problem)
      }
      ending = .failed(problem)
    } else if let end = mail.requestsEnd {
      switch end {
      case .finished: ending = .closed
      case .failed(let error): ending = .failed(error)
      }
    }
  }

  /// The session as its stream leaves it, for another stream.
  ///
  /// Answers that this stream no longer delivers are recorded, so that the next stream delivers
  /// them. What was to be committed is sent again by the client, as the session's last event says.
  func detach() -> DetachedSession {
    while !messages.isEmpty { _ = answer(in: .uninterrupted) }
    whole?.cancel()
    whole = nil
    stopWaiting()
    // A task that is just ending may still refer to this core; it must not keep the charges.
    let charges = charges
    self.charges = SessionCharges(charges.account)
    return DetachedSession(
      session: sessionInPlace,
      encoder: encoder,
      collection: collection,
      start: start,
      answers: answers,
      charges: charges,
      followed: followed,
      renderer: measurements?.renderer,
      share: share
    )
  }
}
