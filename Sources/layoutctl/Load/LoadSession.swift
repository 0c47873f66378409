// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import LayoutSession

/// The collection and layout that all streams of a load test use.
struct LoadSubject: Sendable {
  /// "collections/{collection}"
  var collection: String
  /// nil = the collection's default layout.
  var layout: Wire.LayoutSpec?
  var viewport: Size
  var encoding: ElementTransport
  /// Items in each section of a temporary collection; nil for an existing one.
  var itemsPerSection: Int?
}

/// One viewer of a load test: keeps a mirror of the elements, turns steps into events, and reports
/// what to count. It has no I/O and no clock; times are arguments, measured from the beginning of
/// the run.
struct LoadSession: Sendable {
  enum Observation: Equatable, Sendable {
    case opened(after: Duration)
    /// A frame was applied.
    ///
    /// - Parameter elements: the number of new or changed elements.
    case frame(isKeyframe: Bool, elements: Int, mergedEvents: Int)
    case latency(LoadLatency, Duration, since: Duration)
    case committed(version: UInt64, since: Duration)
    /// A frame brought the collection from one version to another.
    case versions(ClosedRange<UInt64>)
    case error(String)
    case notice(String)
  }

  let subject: LoadSubject
  private(set) var mirror: ElementMirror
  /// The content offset, including the adjustments of all frames so far.
  private(set) var offset = Point.zero
  private(set) var viewport: Size
  private(set) var pending = TimedEvents()
  private var editor: LoadEditor
  private var random: SplitMix64
  /// The direction of scrolls: 1 = forward, -1 = back.
  private var direction = 1.0
  private var lastEvent: UInt64 = 0
  private var openedAt = Duration.zero
  /// Pending updates, which are answered by an event result rather than by a frame.
  private var updates: [UInt64: Duration] = [:]

  init(_ subject: LoadSubject, seed: UInt64) {
    self.subject = subject
    mirror = ElementMirror()
    viewport = subject.viewport
    random = SplitMix64(seed: seed)
    editor = LoadEditor(seed: random.next(), itemsPerSection: subject.itemsPerSection)
  }

  // MARK: - Sending

  mutating func open(at now: Duration) -> Wire.StreamLayoutRequest {
    openedAt = now
    var open = Wire.OpenSession()
    open.collection = subject.collection
    if let layout = subject.layout { open.layout = layout }
    open.viewport = Wire.ViewportChange(ViewportChange(offset: offset, size: viewport))
    open.capabilities = Wire.ClientCapabilities(
      ClientCapabilities(
        encoding: subject.encoding == .packed ? .packed : .messages,
        checksums: true
      )
    )
    var request = Wire.StreamLayoutRequest()
    request.open = open
    return numbered(request)
  }

  /// The event for a step; nil if the step has no effect, for example because the content cannot
  /// scroll.
  mutating func perform(
    _ action: LoadScript.Action,
    meantAt time: Duration
  ) -> Wire.StreamLayoutRequest? {
    guard mirror.frameSequence > 0 else { return nil }
    switch action {
    case .scroll(let pages, let speed):
      return scroll(by: pages, speed: speed, meantAt: time)
    case .jump(let share):
      let end = scrollEnd
      let target = Point(x: end.x * share, y: end.y * share)
      return target == offset ? nil : scroll(to: target, velocity: nil, meantAt: time)
    case .resize(let width, let height):
      let size = Size(
        width: (subject.viewport.width * width).rounded(),
        height: (subject.viewport.height * height).rounded()
      )
      guard size != viewport else { return nil }
      viewport = size
      let request = viewportEvent(ViewportChange(observedFrame: mirror.frameSequence, size: size))
      pending.add(lastEvent, .resize, since: time)
      return request
    case .edit:
      let paths = mirror.elements.values.filter { $0.key.category == .cell }
        .sorted { $0.slot < $1.slot }.map(\.key.indexPath)
      guard let batch = editor.batch(at: paths) else { return nil }
      var request = Wire.StreamLayoutRequest()
      request.update = batch
      request = numbered(request)
      pending.add(lastEvent, .edit, since: time)
      updates[lastEvent] = time
      return request
    }
  }

  mutating func close() -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    request.close.discard = true
    return numbered(request)
  }

  /// The largest possible offset.
  private var scrollEnd: Point {
    Point(
      x: max(0, mirror.contentSize.width - viewport.width),
      y: max(0, mirror.contentSize.height - viewport.height)
    )
  }

  private mutating func scroll(
    by pages: Double,
    speed: Double,
    meantAt time: Duration
  ) -> Wire.StreamLayoutRequest? {
    let end = scrollEnd
    let goesDown = end.y > 0 || end.x == 0
    let position = goesDown ? offset.y : offset.x
    let length = goesDown ? end.y : end.x
    let page = goesDown ? viewport.height : viewport.width
    if position >= length { direction = -1 }
    if position <= 0 { direction = 1 }
    let target = min(max(0, position + direction * pages * page), length)
    guard target != position else { return nil }
    let velocity = direction * speed * page
    return scroll(
      to: goesDown ? Point(x: offset.x, y: target) : Point(x: target, y: offset.y),
      velocity: goesDown ? Point(x: 0, y: velocity) : Point(x: velocity, y: 0),
      meantAt: time
    )
  }

  private mutating func scroll(
    to target: Point,
    velocity: Point?,
    meantAt time: Duration
  ) -> Wire.StreamLayoutRequest {
    offset = target
    let request = viewportEvent(
      ViewportChange(observedFrame: mirror.frameSequence, offset: target, velocity: velocity)
    )
    let visible = visibleContent
    if mirror.coverage.contains(visible) {
      pending.add(lastEvent, .ahead, since: time)
    } else {
      pending.add(lastEvent, .reveal, since: time, visible: visible)
    }
    return request
  }

  /// The part of the content inside the viewport.
  private var visibleContent: Rect {
    let x = min(max(0, offset.x), mirror.contentSize.width)
    let y = min(max(0, offset.y), mirror.contentSize.height)
    return Rect(
      x: x,
      y: y,
      width: max(0, min(mirror.contentSize.width, offset.x + viewport.width) - x),
      height: max(0, min(mirror.contentSize.height, offset.y + viewport.height) - y)
    )
  }

  private mutating func viewportEvent(_ change: ViewportChange) -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    request.viewport = Wire.ViewportChange(change)
    return numbered(request)
  }

  private mutating func numbered(_ request: Wire.StreamLayoutRequest) -> Wire.StreamLayoutRequest {
    lastEvent += 1
    var request = request
    request.eventSeq = lastEvent
    return request
  }

  // MARK: - Receiving

  /// Processes a message of the server.
  ///
  /// - Parameter observe: called for everything that is counted.
  /// - Returns: the requests to send in answer.
  mutating func take(
    _ response: Wire.StreamLayoutResponse,
    at now: Duration,
    observe: (Observation) -> Void
  ) -> Wire.StreamLayoutRequest? {
    switch response.message {
    case .opened(let opened):
      let units = Int(clamping: opened.unitsPerPoint)
      if units > 0, units != mirror.unitsPerPoint { mirror = ElementMirror(unitsPerPoint: units) }
    case .frame(let frame): return take(frame, at: now, observe: observe)
    case .eventResult(let result): take(result, observe: observe)
    case .heartbeat(let heartbeat):
      if mirror.agrees(with: heartbeat) { return acknowledgement() }
      observe(.error("HEARTBEAT_DISAGREES"))
      var request = Wire.StreamLayoutRequest()
      request.resync = Wire.ResyncRequest()
      return numbered(request)
    case .notice(let notice):
      let reason = notice.problem.reason
      observe(.notice(reason.isEmpty ? "\(notice.type)" : reason))
    case .scrollTarget, .prefetch, .visibility, nil: break
    }
    return nil
  }

  private mutating func take(
    _ frame: Wire.LayoutFrame,
    at now: Duration,
    observe: (Observation) -> Void
  ) -> Wire.StreamLayoutRequest? {
    let isFirst = mirror.frameSequence == 0
    let oldVersion = mirror.dataVersion
    let change: MirroredChange
    do {
      guard let whole = try mirror.apply(frame) else { return nil }
      change = whole
    } catch {
      observe(.error("FRAME_WRONG (\(Self.name(of: error)))"))
      var request = Wire.StreamLayoutRequest()
      request.ack = Wire.FrameAck(FrameAck(sequence: frame.frameSeq, isRejected: true))
      return request
    }
    offset = offset + change.offsetAdjustment
    observe(
      .frame(
        isKeyframe: change.isKeyframe,
        elements: change.upserts.count,
        mergedEvents: change.mergedEvents
      )
    )
    if isFirst { observe(.opened(after: now - openedAt)) }
    if !isFirst, mirror.dataVersion > oldVersion {
      observe(.versions(oldVersion + 1 ... mirror.dataVersion))
    }
    let waits = pending.settle(
      through: mirror.appliedEvent,
      coverage: mirror.coverage,
      adjustment: change.offsetAdjustment
    )
    for wait in waits where wait.latency != .ahead || mirror.dataVersion == oldVersion {
      observe(.latency(wait.latency, now - wait.since, since: wait.since))
    }
    return acknowledgement()
  }

  private mutating func take(_ result: Wire.EventResult, observe: (Observation) -> Void) {
    let since = updates.removeValue(forKey: result.eventSeq)
    guard result.hasProblem else {
      if let since, result.dataVersion > 0 {
        observe(.committed(version: result.dataVersion, since: since))
      }
      return
    }
    pending.remove(result.eventSeq)
    let problem = LayoutProblem(result.problem)
    observe(.error(LoadSession.name(of: problem)))
  }

  private func acknowledgement() -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    request.ack = Wire.FrameAck(
      FrameAck(sequence: mirror.frameSequence, stateChecksum: mirror.stateChecksum)
    )
    return request
  }

  // MARK: - Verifying

  /// The query whose answer must equal the elements of the mirror. nil before the first frame, and
  /// while a change that affects all elements is in flight.
  var question: (target: Wire.LayoutTarget, rect: Rect)? {
    guard mirror.frameSequence > 0, !pending.contains(.resize), !pending.contains(.reveal),
      mirror.scrollSensitivity == .coverage || pending.count == 0
    else { return nil }
    var target = Wire.LayoutTarget()
    target.collection = subject.collection
    if let layout = subject.layout { target.layout = layout }
    target.viewport = Wire.ViewportChange(ViewportChange(offset: offset, size: viewport))
    return (target, mirror.coverage)
  }

  // MARK: - Names

  /// The name under which an error is counted.
  static func name(of problem: LayoutProblem) -> String {
    problem.reason == .none ? "\(problem.code)" : problem.reason.rawValue
  }

  private static func name(of fault: MirrorFault) -> String {
    switch fault {
    case .malformed: "malformed"
    case .wrongBase: "wrong base"
    case .emptySlot: "empty slot"
    case .wrongCount: "wrong count"
    case .wrongChecksum: "wrong checksum"
    case .tooLarge: "too large"
    }
  }
}
