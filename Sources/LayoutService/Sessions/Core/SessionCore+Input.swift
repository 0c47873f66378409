// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import DequeModule
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession

// What comes in.
extension SessionCore {
  /// One request, to be processed at once.
  ///
  /// - Precondition: no other request waits.
  ///
  /// - Parameter isSuperseded: see `isFirstSuperseded`.
  func take(
    _ input: SessionInput,
    at instant: ContinuousClock.Instant,
    isSuperseded: Bool = false
  ) throws {
    try acknowledge(input.ack, at: instant)
    guard let event = input.event else { return }
    let began = ContinuousClock.now
    try take(event, at: start.duration(to: instant), isSuperseded: isSuperseded)
    // It says nothing of how long those take that are carried out.
    if isSuperseded { return }
    slowKinds.note(
      SessionEventKind(event),
      tookLong: began.duration(to: .now) > Self.eventPatience
    )
  }

  /// Whether what waits behind the first request makes its event unnecessary: only the newest step
  /// of a movement has to be shown. The event is answered all the same.
  ///
  /// - Complexity: O(requests that wait)
  var isFirstSuperseded: Bool {
    guard case .event(.movement(let step), _) = mail.inputs.first?.event else { return false }
    for input in mail.inputs.dropFirst() {
      // What is refused changes nothing.
      guard case .event(let event, _) = input.event else { continue }
      switch event.succeeds(.movement(step)) {
      case .supersedes: return true
      case .passes: continue
      case .needs: return false
      }
    }
    return false
  }

  /// Whether a request is for the session's turn: it is large, touches much, or names a large
  /// layout that has to be read first; or those of its kind take long.
  func takesLong(_ input: SessionInput) -> Bool {
    if input.isLarge { return true }
    guard let event = input.event else { return false }
    if hasManyKinds { return true }
    if slowKinds.contains(SessionEventKind(event)) { return true }
    if case .event(let event, _) = event, reading({ $0.mayTakeLong(event) }) { return true }
    // Before it is looked at, what was committed is taken over.
    if share != nil, case .event(.measurements, _) = event, takesLongToFollow { return true }
    guard case .event(.namedLayout(let name, _), _) = input.event, let collection,
      // What is wrong with the name is said when the event is processed.
      let source = try? services.layouts.source(named: name, of: collection, field: "")
    else { return false }
    return services.layouts.takesLong(source)
  }

  /// What one event, or what waits of them at once, may take on a thread that all share.
  static let eventPatience = Duration.milliseconds(1)

  /// Whether nothing could be shown of commits before the client acknowledges a frame, so that they
  /// need not wake the session. It takes them over with whatever wakes it next, at the latest its
  /// heartbeat, and is charged then for the older contents that it keeps.
  var defersCommits: Bool { isWindowFull && ending == nil && !isAwaited }

  private var isWindowFull: Bool {
    if case .common(let state) = form { return state.common.isWindowFull(link) }
    return reading { $0.isWindowFull }
  }

  /// Whether somebody waits for a commit that the session has not taken over.
  var isAwaited: Bool {
    if case .common(let state) = form { return live.isAwaited(after: state.common.dataVersion) }
    return live.isAwaited(after: reading { $0.dataVersion })
  }

  /// Puts a request where it waits for the session's turn.
  func postpone(_ input: SessionInput) { mail.inputs.append(input) }

  /// What has gathered in the mailbox.
  func take(_ mail: SessionMail) {
    if self.mail.isEmpty {
      self.mail = mail
      return
    }
    self.mail.inputs.append(contentsOf: mail.inputs)
    self.mail.marks.formUnion(mail.marks)
    self.mail.requestsEnd = self.mail.requestsEnd ?? mail.requestsEnd
  }

  func acknowledge(_ ack: FrameAck, at instant: ContinuousClock.Instant) throws {
    let now = start.duration(to: instant)
    do throws(ProtocolViolation) {
      if case .common(let state) = form {
        if let followUp = try state.common.acknowledge(ack, &link, at: now) {
          try sessionInPlace.settle(followUp, at: now)
          leaveForGood()
        }
      } else if try sessionInPlace.acknowledge(ack, at: now) {
        leaveForGood()
      }
    } catch { throw LayoutProblem(error) }
    guard ack.sequence > 0 else { return }
    answers.received(frame: ack.sequence)
    flight.received(frame: ack.sequence)
  }

  private func take(
    _ event: SessionInput.Event,
    at now: Duration,
    isSuperseded: Bool
  ) throws {
    counts.events += 1
    services.metrics.event(SessionEventKind(event))
    // Sizes are offered by the newest index paths.
    if share != nil, case .event(.measurements, _) = event { try followCollection() }
    do throws(ProtocolViolation) {
      switch event {
      case .event(.namedLayout(let name, let isAnimated), let seq):
        try takeLayout(named: name, isAnimated: isAnimated, seq: seq, at: now)
      case .event(let event, let seq):
        let messages = try independentSession.receive(
          event,
          seq: seq,
          at: now,
          isSuperseded: isSuperseded
        )
        if event.choosesLayout, !messages.isRefusal {
          followed = nil
          charges.use(nil)
        }
        take(messages)
      case .refused(let problem, let seq):
        // It takes its number like any other, and nothing else.
        _ = try independentSession.receive(.unsupported("refused"), seq: seq, at: now)
        refuse(seq, problem)
      case .renewed(let seq):
        _ = try independentSession.receive(.unsupported("credentials"), seq: seq, at: now)
        respond { $0.eventResult.eventSeq = seq }
      }
    } catch { throw LayoutProblem(error) }
  }

  func refuse(_ seq: UInt64, _ problem: LayoutProblem) {
    counts.refusedEvents += 1
    services.metrics.refusal(problem.reason, .event)
    if problem.reason == .quota(.eventRate), !isToldRate {
      isToldRate = true
      respond { $0.notice = Wire.Notice(.rateLimited, problem: problem) }
    }
    respond { $0.eventResult = Wire.EventResult(eventSequence: seq, problem: problem) }
  }

  func take(_ new: [SessionMessage]) {
    if !new.isEmpty { messages.append(contentsOf: new.reversed()) }
  }

  /// Takes the outcome of a commit or a lookup.
  func settle(
    seq: UInt64,
    _ outcome: SessionOutcome,
    at instant: ContinuousClock.Instant
  ) throws {
    let now = start.duration(to: instant)
    try followCollection()
    switch outcome {
    case .update(let outcome): take(independentSession.updateSettled(seq: seq, outcome, at: now))
    case .found(let items, let source):
      take(independentSession.foreignFound(items, from: source, seq: seq, at: now))
    case .failed(let problem):
      let refusal = Refusal(.wrongState, problem.message)
      guard !independentSession.updateSettled(seq: seq, .refused(refusal), at: now).isEmpty else {
        return
      }
      refuse(seq, problem)
    }
  }

  func supply(_ layout: SuppliedLayout, for request: PreparedLayoutRequest) {
    switch layout {
    case .whole(let layout):
      if let lease = layout.lease { charges.keep(lease) }
      isQueryNew = true
      take(sessionInPlace.supply(layout.prepared, for: request, identity: layout.lease?.identity))
      if !reading({ $0.showsStandIn }) { endWaiting() }
    case .beginning(let prepared, let whole):
      independentSession.supply(beginning: prepared, for: request)
      self.whole = whole
    case .draft(let layout, let awaited):
      if let lease = layout.lease { charges.keep(lease) }
      take(
        independentSession.supply(layout.prepared, for: request, identity: layout.lease?.identity)
      )
      wait(for: awaited)
    case .standIn(let standIn, let lease, let awaited):
      if let lease { charges.keep(lease) }
      take(independentSession.supply(standIn: standIn, for: request))
      wait(for: awaited)
    }
  }

  /// Whether taking over a layout is for the session's turn.
  var takesLongToSupply: Bool { hasManyKinds || reading { $0.takesLongToSupply } }

  /// Whether the client has a layout of so many kinds that all that concerns the layout is for the
  /// session's turn.
  var hasManyKinds: Bool { reading { $0.hasManyKinds } }
}

extension SessionEvent {
  /// Whether the client takes a layout of its own with it, so that the session follows no named
  /// one.
  fileprivate var choosesLayout: Bool {
    switch self {
    case .layout, .transition(.finish): true
    default: false
    }
  }
}
