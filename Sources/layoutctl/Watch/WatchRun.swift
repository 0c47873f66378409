// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf

/// The encoding of elements that a viewer requests.
enum ElementTransport: String, CaseIterable {
  case packed
  case messages
}

/// One viewer: scrolls, prints the changes of each frame, and verifies its elements.
actor WatchRun {
  struct Options {
    var viewport: Size
    var encoding: ElementTransport
    var verifies: Bool
    /// Measures the cells, whose sizes are then reported; nil = no sizes are reported.
    var measurer: TextMeasurer?
    /// Whether each frame is printed, not only the summary.
    var printsFrames: Bool
    /// Whether each element of an animation is printed.
    var printsTransitions: Bool
    /// Where the elements are drawn instead of printing frames; nil = nowhere.
    var screen: TerminalScreen?
  }

  private let viewer: LayoutViewer
  private let client: LayoutClient
  private let options: Options
  private var viewport: Size
  private var screen: TerminalScreen?
  private var measurer: TextMeasurer?
  private var slots: Set<UInt32> = []
  private var stillness: Stillness
  private var isStateVerified = false
  /// The newest event that the server answered.
  private var lastApplied: UInt64 = 0
  /// The sync event whose answer ends a wait; nil = the time of the wait is not over.
  private var lastSync: UInt64?
  /// The newest event that may change elements, so not a sync event.
  private var lastChange: UInt64 = 0
  /// The newest frame, if the server has since answered without sending another one; otherwise nil.
  private var settledFrame: UInt64?
  /// The numbers of the reports of sizes that have no answer yet.
  private var reports: Set<UInt64> = []
  private(set) var summary = WatchSummary()

  private static let ticksPerSecond = 60.0

  init(_ viewer: LayoutViewer, client: LayoutClient, options: Options) {
    self.viewer = viewer
    self.client = client
    self.options = options
    viewport = options.viewport
    screen = options.screen
    measurer = options.measurer
    stillness = Stillness(viewport: options.viewport)
  }

  // MARK: - Moving

  /// Processes the keyframe that the viewer received when it opened.
  func start() async throws {
    let mirror = await viewer.mirror
    slots = Set(mirror.elements.keys)
    stillness.begin(mirror)
    summary.frames = 1
    summary.keyframes = 1
    summary.added = slots.count
    summary.largestLiveCount = slots.count
    let verdict = try await verify()
    try print(
      "\(await describe(mirror)) +\(slots.count) ~0 -0 =\(slots.count)  keyframe\(verdict)"
    )
    await measure()
    try await settle()
  }

  func play(_ script: ScrollScript) async throws {
    for step in script.steps {
      switch step {
      case .scroll(let offset): try await scroll(to: offset)
      case .move(let distance): try await scroll(to: viewer.offset + distance)
      case .fling(let fling): try await self.fling(fling)
      case .resize(let size):
        viewport = size
        stillness = Stillness(viewport: size)
        await viewer.send(
          .viewport(ViewportChange(observedFrame: viewer.mirror.frameSequence, size: size))
        )
        try await settle()
      case .wait(let duration): try await wait(duration)
      case .through(let part): try await scrollThrough(part)
      case .layout(let layout):
        var request = Wire.StreamLayoutRequest()
        request.layout.layout = try layout.spec(of: "--script, step layout")
        _ = await viewer.send(request)
        try await settle()
      case .table(let change):
        await viewer.send(.table(change))
        try await settle()
      }
    }
  }

  func press(_ key: ScrollKey) async throws {
    let offset = await viewer.offset
    let target = await key.offset(
      from: offset,
      viewport: viewport,
      content: viewer.mirror.contentSize
    )
    guard target != offset else { return }
    await viewer.scroll(to: target)
    lastChange = await viewer.lastEvent
    // A step that shows nothing new causes no frame.
    if screen == nil { try print("    at \(target.text)") }
    try await draw()
  }

  /// Draws the elements, if that is wanted and they or the terminal have changed.
  func draw() async throws {
    guard screen != nil, let size = Terminal.outputSize else { return }
    let mirror = await viewer.mirror
    guard mirror.frameSequence > 0 else { return }
    let area = Rect(origin: await viewer.offset, size: viewport)
    let status = await describe(mirror) + " =\(mirror.liveCount)"
    if let text = screen?.update(mirror, in: area, status: status, size: size) {
      try Terminal.writeText(text)
    }
  }

  /// Reads messages until `frames` frames have arrived or the stream ends.
  func follow(frames: Int?) async throws {
    while frames.map({ summary.frames < $0 }) ?? true, let arrival = try await viewer.next() {
      try await take(arrival)
    }
  }

  /// Follows the changes of others for a time, and then until the elements reflect all of them.
  /// Does not wait for a server that is away by then.
  func wait(_ duration: Duration) async throws { try await wait(until: .now + duration) }

  /// Follows the changes of others as `wait(_:)` does.
  func wait(until end: ContinuousClock.Instant) async throws {
    lastSync = nil
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { try await self.followToSync() }
      group.addTask {
        try await Task.sleep(until: end)
        try await self.awaitSync()
        return false
      }
      summary.isServerAway = try await group.next() == false
      group.cancelAll()
      // Ignore the results of the cancelled tasks.
      while (try? await group.next()) != nil {}
    }
  }

  /// How long a server may take to answer in the end.
  static let lastPatience = Duration.seconds(2)

  /// Waits until everything before has been answered, for a limited time.
  private func awaitSync() async throws {
    lastSync = await viewer.send(.with { $0.sync = Wire.SyncRequest() })
    repeat { try await Task.sleep(for: Self.lastPatience) } while isSynced
  }

  /// Reads messages until the last sync event is answered.
  ///
  /// - Returns: true.
  private func followToSync() async throws -> Bool {
    while !isSynced, let arrival = try await viewer.next() { try await take(arrival) }
    guard options.verifies else { return true }
    try await verifyWithoutFrame()
    return true
  }

  private var isSynced: Bool { lastSync.map { lastApplied >= $0 } ?? false }

  private func scroll(to offset: Point, velocity: Point? = nil) async throws {
    await viewer.scroll(to: offset, velocity: velocity)
    try await settle()
  }

  /// Scrolls to the end of the axis on which the content overflows. If it overflows on both axes,
  /// scrolls row by row.
  private func scrollThrough(_ part: Double) async throws {
    var offset = await viewer.offset
    var content = await viewer.mirror.contentSize
    try await scroll(to: Point.zero.limited(to: content, viewport: viewport, from: offset))
    while true {
      // The content may grow during a step, and anchoring may move the viewport.
      offset = await viewer.offset
      content = await viewer.mirror.contentSize
      let end = Point(
        x: max(0, content.width - viewport.width),
        y: max(0, content.height - viewport.height)
      )
      if offset.x < end.x {
        offset.x = min(end.x, offset.x + max(1, part * viewport.width))
      } else if offset.y < end.y {
        offset = Point(x: 0, y: min(end.y, offset.y + max(1, part * viewport.height)))
      } else {
        return
      }
      try await scroll(to: offset)
    }
  }

  private func fling(_ fling: ScrollScript.Fling) async throws {
    let content = await viewer.mirror.contentSize
    let goesDown = content.height > viewport.height || content.width <= viewport.width
    let velocity =
      fling.velocity.count > 1
      ? Point(x: fling.velocity[0], y: fling.velocity[1])
      : goesDown ? Point(x: 0, y: fling.velocity[0]) : Point(x: fling.velocity[0], y: 0)
    let seconds = fling.duration / .seconds(1)
    let start = ContinuousClock.now
    let ticks = Int((seconds * Self.ticksPerSecond).rounded(.up))
    for tick in 1 ... max(1, ticks) {
      let share = min(1, Double(tick) / Double(max(1, ticks)))
      let left = 1 - share
      let step = left / Self.ticksPerSecond
      let current = await viewer.offset
      let wanted = current + Point(x: velocity.x * step, y: velocity.y * step)
      try await scroll(
        to: wanted.limited(to: content, viewport: viewport, from: current),
        velocity: Point(x: velocity.x * left, y: velocity.y * left)
      )
      try await Task.sleep(until: start + fling.duration * share)
    }
  }

  // MARK: - Seeing

  /// The most rounds of waiting for the effect of measuring. Others may change the cells as fast as
  /// they are measured.
  private static let mostMeasuringRounds = 8
  /// How often a comparison is repeated that edits have overtaken.
  private static let mostVerifyingRounds = 3

  /// Reads until the elements reflect all steps so far, and cells have their measured sizes.
  /// Verifies them if no frame arrived.
  func settle() async throws {
    isStateVerified = false
    for _ in 0 ..< Self.mostMeasuringRounds {
      let before = summary.measured
      lastChange = await viewer.lastEvent
      // Each frame is verified before the next one changes the elements.
      try await viewer.settle { try await self.take($0) }
      // Reported sizes move cells, so that others may come into view.
      if summary.measured == before { break }
    }
    guard options.verifies, !isStateVerified else { return }
    try await verifyWithoutFrame()
  }

  private func verifyWithoutFrame() async throws {
    var verdict = try await verify()
    var rounds = 0
    // An overtaken comparison is repeated once the server has answered.
    while verdict == Self.overtakenVerdict, rounds < Self.mostVerifyingRounds {
      rounds += 1
      isStateVerified = false
      let frame = await viewer.mirror.frameSequence
      try await viewer.settle { try await self.take($0) }
      settledFrame = await viewer.mirror.frameSequence == frame ? frame : nil
      verdict = isStateVerified ? Self.rightVerdict : try await verify()
    }
    settledFrame = nil
    if !verdict.isEmpty, verdict != Self.rightVerdict {
      try print("    without a frame:\(verdict)")
    }
  }

  private func take(_ arrival: LayoutViewer.Arrival) async throws {
    switch arrival {
    case .frame(let change): try await take(change)
    case .frameRejected(let sequence, let fault):
      summary.mismatches += 1
      try print("#\(sequence) WRONG: \(fault)")
    case .eventRefused(let sequence, let problem):
      // Reports end with their session: in the next one the cells are measured again.
      let isReport = reports.remove(sequence) != nil
      guard isReport, problem.reason == .sessionExpired else { throw problem }
    case .goingAway: try print("    the server is going away")
    case .disconnected(let reason):
      try print("    the connection broke (\(reason)); connecting again")
    case .reconnected(let outcome):
      summary.reconnects += 1
      // The slots of the old session have no meaning in the new one.
      if outcome == .reset {
        slots = []
        measurer = options.measurer
      }
      try print("    back: \(outcome.text)")
    case .notice(let text):
      summary.notices += 1
      // A viewer that scrolls fast may get the same notice many times.
      if summary.notices <= 3 { try print("    \(text)") }
    case .prefetch(let change):
      summary.prefetched += change.items.count
      try print("    \(AttentionText.line(change))")
    case .visibility(let change):
      summary.seen += change.began.count
      for line in AttentionText.lines(change) { try print("    \(line)") }
    case .eventApplied(let sequence, _, _):
      lastApplied = sequence
      reports.remove(sequence)
    case .scrollTarget, .neighbor, .sectionScrolled, .heartbeat: break
    }
  }

  private func take(_ change: MirroredChange) async throws {
    let counts = FrameCounts(change, slots: &slots)
    summary.frames += 1
    summary.keyframes += change.isKeyframe ? 1 : 0
    summary.added += counts.added
    summary.changed += counts.changed
    summary.removed += counts.removed
    let mirror = await viewer.mirror
    summary.largestLiveCount = max(summary.largestLiveCount, mirror.liveCount)
    var line =
      "\(await describe(mirror)) +\(counts.added) ~\(counts.changed) -\(counts.removed) "
      + "=\(mirror.liveCount)"
    if change.isKeyframe { line += "  keyframe" }
    if change.offsetAdjustment != .zero { line += "  adjusted by \(change.offsetAdjustment.text)" }
    if await stillness.jumped(to: mirror, at: viewer.offset, change) {
      summary.jumps += 1
      line += "  JUMPED"
    }
    if change.isAnimated { line += "  animated: \(TransitionText.summary(change))" }
    line += try await verify()
    try print(line)
    try await draw()
    measurer?.forget(change)
    await measure()
    if change.isAnimated, options.printsTransitions {
      for line in TransitionText.lines(change, mirror) { try print("    \(line)") }
    }
  }

  /// Reports the sizes of cells that are new, or have other texts or widths. Nobody waits for the
  /// answer.
  private func measure() async {
    guard let report = await measurer?.report(on: viewer.mirror) else { return }
    summary.measured += report.slots.count
    if let sequence = await viewer.send(.measurements(report)) { reports.insert(sequence) }
    lastChange = await viewer.lastEvent
  }

  private func describe(_ mirror: ElementMirror) async -> String {
    "#\(mirror.frameSequence) v\(mirror.dataVersion) at \(await viewer.offset.text) of "
      + "\(mirror.contentSize.text)"
  }

  private func print(_ line: String) throws {
    if screen != nil {
      // Of what is no frame, the last is shown.
      if !line.hasPrefix("#") { screen?.message = line.printable.drop { $0 == " " }.description }
    } else if options.printsFrames {
      try Terminal.writeLine(line.printable)
    }
  }

  // MARK: - Verifying

  private static let rightVerdict = "  ok"
  private static let overtakenVerdict = "  overtaken"

  /// Whether the elements have to be what the server answers. Of one version they differ while an
  /// event is in flight: pinned elements are elsewhere once the server knows of a scroll step. If
  /// the session shares measured sizes, others change the content too; then only what an answered
  /// event leaves as it is counts.
  private var isDifferenceCertain: Bool {
    get async {
      guard await viewer.appliedEvent >= lastChange else { return false }
      switch await viewer.sharing {
      case .contributes, .reads: return await settledFrame == viewer.mirror.frameSequence
      case .unknown, .noRenderer, .notShared, .ownContents, .limit: return true
      }
    }
  }

  /// Compares the elements with the server's answer for the same rect.
  ///
  /// - Returns: "  ok", or a description of the differences.
  private func verify() async throws -> String {
    guard options.verifies else { return "" }
    let comparison = await MirrorComparison(
      encoding: options.encoding,
      unitsPerPoint: viewer.mirror.unitsPerPoint
    )
    var target = Wire.LayoutTarget()
    target.session = await viewer.session
    var differences: [String] = []
    // If the collection changes between the frame and the query, the versions differ and the check
    // is inconclusive.
    for _ in 0 ..< 3 {
      let mirror = await viewer.mirror
      let expected = try await query(target, mirror.coverage)
      guard let expected, expected.dataVersion == mirror.dataVersion else {
        summary.overtaken += 1
        return Self.overtakenVerdict
      }
      differences = comparison.differences(
        mirrored: mirror.elements.values,
        expected: expected.elements
      )
      if differences.isEmpty, expected.contentSize != mirror.contentSize {
        differences = ["content \(mirror.contentSize.text) not \(expected.contentSize.text)"]
      }
      if differences.isEmpty {
        summary.checks += 1
        isStateVerified = true
        return Self.rightVerdict
      }
    }
    // The server may have applied what the frame is not an answer to.
    guard await isDifferenceCertain else {
      summary.overtaken += 1
      return Self.overtakenVerdict
    }
    summary.checks += 1
    summary.mismatches += 1
    isStateVerified = true
    return "  WRONG: " + differences.joined(separator: "; ")
  }

  /// Queries the elements. nil if the session's stream broke during the query; the elements are
  /// then verified after the next frame.
  private func query(_ target: Wire.LayoutTarget, _ rect: Rect) async throws -> ElementSet? {
    do { return try await ElementSet.query(target, rect: rect, client: client) } catch let error
      as RPCError
    {
      if LayoutProblem(error).reason == .sessionExpired || error.code == .unavailable { return nil }
      throw error
    }
  }
}

extension LayoutViewer.Continuation {
  /// A description for the user.
  var text: String {
    switch self {
    case .resumed: "resumed the session"
    case .resumedWithKeyframe: "resumed the session with a keyframe"
    case .reset: "opened a new session"
    }
  }
}
