// SPDX-License-Identifier: Apache-2.0

import LayoutSession

@testable import LayoutService

/// All who take steps of a session's machine, played by one: the reader of the stream, who opens
/// it, who works on it, those who leave marks, and the clock. Knows what has to come of it.
struct SessionWorld {
  typealias Machine = SessionMachine<Int, Int, Int>

  enum Input: CaseIterable {
    case open, opened, openingFailed, ack, event, viewport, requestsEnd
    case change, delete, drain, cancel, supersede, ring
    case write, commit, layout, resume, rest, end
    case waitForEnd, waitForRoom
  }

  static let core = 7
  private static let openDeadline = ContinuousClock.now

  private var machine: Machine
  private(set) var faults: [String] = []

  // MARK: What is known

  private var now = Self.openDeadline - .seconds(5)
  private var seq: UInt64 = 0
  /// Whether the first request has come, and whether somebody still opens the session.
  private var isRequested = false
  private var isOpening = false
  private var isOpened = false
  /// Whether the owner has the core.
  private var hasCore = false
  /// Whether it is in the machine.
  private var isCoreKept = false
  /// Whether somebody waits and will resume.
  private var isAwaited = false
  private var isCommitting = false
  private var isEnded = false
  private var marks: SessionMarks = []
  private var isRequestsEnd = false
  /// What was brought and not handed to the owner yet.
  private var waitingAck: UInt64 = 0
  private var waitingEvents: [UInt64] = []
  private var alarms: [ContinuousClock.Instant] = []
  private var isReaderStopped = false
  private var isRequestsEndSeen = false
  private var isReaderWaiting = false
  private var endWaiters = 0
  private var endsTold = 0

  init() {
    machine = Machine(
      openDeadline: Self.openDeadline,
      mailbox: SessionMailbox(countLimit: 2, byteLimit: 1 << 20)
    )
    perform(machine.start())
  }

  // MARK: - Steps

  /// Whether there is somebody who can do that.
  func allows(_ input: Input) -> Bool {
    switch input {
    case .open: !isRequested
    case .opened, .openingFailed: isOpening
    case .ack, .event, .viewport: isRequested && !isReaderStopped && !isRequestsEnd
    case .requestsEnd: !isRequestsEnd && !isReaderStopped
    case .change, .delete: isOpened || isOpening
    case .drain, .cancel, .supersede: true
    case .ring: !alarms.isEmpty
    case .write, .commit, .layout, .rest, .end: hasCore
    case .resume: isAwaited
    case .waitForEnd: endWaiters == 0
    case .waitForRoom: isReaderStopped && !isReaderWaiting
    }
  }

  mutating func take(_ input: Input) {
    let wasEnded = isEnded
    switch input {
    case .open:
      isRequested = true
      isOpening = machine.open()
      if isOpening == isEnded { faults.append("opening does not follow the phase") }
    case .opened:
      isOpening = false
      isOpened = true
      isCoreKept = true
      perform(machine.opened(Self.core))
    case .openingFailed:
      isOpening = false
      isEnded = true
      perform(machine.openingFailed(CancellationError()))
    case .ack: receive(SessionInput(ack: FrameAck(sequence: nextSequence())))
    case .event: receive(SessionInput(event: .event(.resync, seq: nextSequence())))
    case .viewport:
      receive(SessionInput(event: .event(.viewport(ViewportChange()), seq: nextSequence())))
    case .requestsEnd:
      isRequestsEnd = true
      if !isRequested { isEnded = true }
      perform(machine.endRequests(.finished))
    case .change: note(.collectionChanged)
    case .delete: note(.collectionDeleted)
    case .drain:
      if !isRequested || isOpening { isEnded = true } else { marks.insert(.draining) }
      perform(machine.drain(until: now + .seconds(3)))
    case .cancel: endFromOutside(.closed)
    case .supersede: endFromOutside(.superseded)
    case .ring: ring()
    case .write:
      giveCore()
      let action = machine.wait(
        Self.core,
        for: .write(deadline: now + .seconds(30), restingUntil: now + .seconds(15))
      )
      wait(action)
    case .commit:
      giveCore()
      isCommitting = true
      wait(machine.wait(Self.core, for: .commit))
    case .layout:
      giveCore()
      wait(machine.wait(Self.core, for: .engine))
    case .resume:
      isAwaited = false
      perform(machine.resume())
      isCommitting = false
    case .rest:
      giveCore()
      perform(machine.rest(Self.core, until: now + .seconds(15)))
    case .end:
      giveCore()
      isEnded = true
      perform(machine.end(Self.core, .closed))
    case .waitForEnd:
      endWaiters = 1
      perform(machine.waitForEnd(1))
    case .waitForRoom:
      isReaderWaiting = true
      perform(machine.waitForRoom(1))
    }
    check(after: input, wasEnded: wasEnded)
  }

  /// Lets everybody finish what he began, and the stream be left.
  mutating func close() {
    if endWaiters == 0 { take(.waitForEnd) }
    take(.cancel)
    while isOpening || hasCore || isAwaited {
      if isOpening { take(.openingFailed) }
      if hasCore { take(.rest) }
      if isAwaited { take(.resume) }
    }
    if endsTold != 1 { faults.append("the end was told \(endsTold) times") }
    if isReaderWaiting { faults.append("the reader still waits for room") }
    if isOpened != (machine.takeCore() == Self.core) { faults.append("the core is lost") }
    if machine.takeCore() != nil { faults.append("the core was taken out twice") }
  }

  // MARK: - Parts of steps

  private mutating func nextSequence() -> UInt64 {
    seq += 1
    return seq
  }

  private mutating func note(_ mark: SessionMarks) {
    marks.insert(mark)
    perform(machine.note(mark))
  }

  private mutating func endFromOutside(_ reason: SessionEnd) {
    isEnded = true
    perform(machine.end(reason))
  }

  private mutating func ring() {
    guard let first = alarms.min(), let index = alarms.firstIndex(of: first) else { return }
    alarms.remove(at: index)
    now = max(now, first)
    let action = machine.ring(first, now: now)
    if action.cancelsWait { isEnded = true }
    if machine.isEnded { isEnded = true }
    perform(action)
  }

  private mutating func giveCore() {
    hasCore = false
    isCoreKept = true
  }

  private mutating func wait(_ action: Machine.Action) {
    if case .wait = action.next { isAwaited = true } else { isCommitting = false }
    perform(action)
  }

  private mutating func receive(_ input: SessionInput) {
    if !isEnded {
      if input.ack.sequence > 0 { waitingAck = input.ack.sequence }
      if let seq = input.seq {
        // Merging leaves the newest of viewports that follow each other.
        waitingEvents.append(seq)
      }
    }
    let action = machine.receive(input)
    if action.isFull { isReaderStopped = true }
    if case .work(_, nil) = action.next {
      // The input stays with who brought it.
      handOver([input])
    }
    perform(action)
  }

  private mutating func perform(_ action: Machine.Action) {
    if let alarm = action.alarm { alarms.append(alarm) }
    if let room = action.room {
      if room != 1 || !isReaderWaiting { faults.append("a reader goes on that did not wait") }
      isReaderWaiting = false
      isReaderStopped = false
    }
    if action.end != nil {
      endsTold += 1
      if !isEnded { faults.append("an end was told that had not come") }
      if hasCore || isOpening || isCommitting {
        faults.append("the end was told before the core was back")
      }
    }
    switch action.next {
    case .nothing, .stop: break
    case .wait: if hasCore || !isCoreKept { faults.append("waits without giving the core") }
    case .start:
      if isAwaited || isEnded { faults.append("a second worker, or one after the end") }
      isAwaited = true
    case .work(let core, let mail):
      if isEnded { faults.append("work after the end") }
      takeCore(core)
      guard let mail else { break }
      handOver(Array(mail.inputs))
      marks.subtract(mail.marks)
      if mail.requestsEnd != nil { isRequestsEndSeen = true }
    case .settle(let core):
      if !isEnded || !isCommitting { faults.append("settles what is not committing") }
      takeCore(core)
    }
  }

  private mutating func takeCore(_ core: Int) {
    if core != Self.core || hasCore || !isCoreKept { faults.append("two owners of the core") }
    hasCore = true
    isCoreKept = false
  }

  /// What the owner gets to see.
  private mutating func handOver(_ inputs: [SessionInput]) {
    let seen = inputs.compactMap(\.seq)
    if seen != seen.sorted() { faults.append("out of order: \(seen)") }
    let acks = inputs.map(\.ack.sequence).filter { $0 > 0 }
    if waitingAck > 0, acks.last != waitingAck { faults.append("an acknowledgement is lost") }
    waitingAck = 0
    // Those that are missing were viewports, each merged into a later one.
    for seq in waitingEvents where !seen.contains(seq) {
      if !seen.contains(where: { $0 > seq }) { faults.append("event \(seq) is lost") }
    }
    for seq in seen where !waitingEvents.contains(seq) { faults.append("event \(seq) came twice") }
    waitingEvents = []
  }

  // MARK: - Invariants

  private mutating func check(after input: Input, wasEnded: Bool) {
    if wasEnded, !machine.isEnded { faults.append("came back after the end") }
    if machine.isEnded != isEnded { faults.append("ended: \(machine.isEnded), not \(isEnded)") }
    guard !isEnded else {
      if isReaderWaiting { faults.append("the reader waits for room after the end") }
      return
    }
    if isOpened, !hasCore, !isAwaited {
      // It rests.
      if !waitingEvents.isEmpty || waitingAck > 0 || !marks.isEmpty
        || isRequestsEnd && !isRequestsEndSeen
      {
        faults.append("rests although something waits")
      }
      if isReaderWaiting { faults.append("rests while the reader waits for room") }
      if alarms.isEmpty { faults.append("rests without an alarm") }
    }
    if !isRequested, alarms.isEmpty { faults.append("waits for a request without an alarm") }
  }
}

extension SessionInput {
  fileprivate var seq: UInt64? {
    switch event {
    case .event(_, let seq), .refused(_, let seq), .renewed(let seq): seq
    case nil: nil
    }
  }
}
