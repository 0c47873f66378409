// SPDX-License-Identifier: Apache-2.0

/// The measurements of some of the streams. They are added up at the end.
struct LoadStatistics: Sendable {
  struct Counters: Equatable, Sendable {
    var events = 0
    var edits = 0
    var frames = 0
    var keyframes = 0
    /// New or changed elements in frames.
    var elements = 0
    var mergedEvents = 0
    var bytesIn = 0
    var bytesOut = 0

    mutating func add(_ other: Counters) {
      events += other.events
      edits += other.edits
      frames += other.frames
      keyframes += other.keyframes
      elements += other.elements
      mergedEvents += other.mergedEvents
      bytesIn += other.bytesIn
      bytesOut += other.bytesOut
    }

    func since(_ other: Counters) -> Counters {
      var change = self
      change.events -= other.events
      change.edits -= other.edits
      change.frames -= other.frames
      change.keyframes -= other.keyframes
      change.elements -= other.elements
      change.mergedEvents -= other.mergedEvents
      change.bytesIn -= other.bytesIn
      change.bytesOut -= other.bytesOut
      return change
    }
  }

  /// When the measurement begins. Streams are opened before.
  let start: Duration
  let end: Duration
  /// Counts within the measurement.
  private(set) var counters = Counters()
  private(set) var latencies: [LoadLatency: LatencyHistogram] = [:]
  /// Durations from the opening of a stream to its first frame, before and during the measurement.
  private(set) var opening = LatencyHistogram()
  /// How much later than scheduled events were sent, which is a delay of this tool.
  private(set) var lateness = LatencyHistogram()
  private(set) var frameBytes = SizeHistogram()
  /// The number of errors by reason, before and during the measurement.
  private(set) var errors: [String: Int] = [:]
  private(set) var notices: [String: Int] = [:]
  private(set) var openStreams = 0
  private(set) var openedStreams = 0
  /// The number of streams that were opened, and ended with an error.
  private(set) var brokenStreams = 0
  /// The number of events that were still unanswered at the end. Their latencies are counted up to
  /// then.
  private(set) var unanswered = 0
  private(set) var checks = 0
  /// The number of inconclusive checks: the collection changed during the check.
  private(set) var overtakenChecks = 0
  private(set) var wrongChecks = 0
  /// The differences that the first wrong checks found.
  private(set) var differences: [String] = []
  /// Latencies since the last progress line.
  private var recent = LatencyHistogram()

  private static let maxDifferences = 5

  init(start: Duration, end: Duration) {
    self.start = start
    self.end = end
  }

  private func isMeasured(_ time: Duration) -> Bool { start <= time && time <= end }

  // MARK: - Counting

  mutating func sent(at now: Duration, meantAt time: Duration, isEdit: Bool) {
    guard isMeasured(time) else { return }
    counters.events += 1
    counters.edits += isEdit ? 1 : 0
    lateness.record(now - time)
  }

  mutating func sent(bytes: Int, at now: Duration) {
    if isMeasured(now) { counters.bytesOut += bytes }
  }

  mutating func received(bytes: Int, isFrame: Bool, at now: Duration) {
    guard isMeasured(now) else { return }
    counters.bytesIn += bytes
    if isFrame { frameBytes.record(bytes) }
  }

  mutating func take(_ observation: LoadSession.Observation, at now: Duration) {
    switch observation {
    case .opened(let duration):
      opening.record(duration)
      openStreams += 1
      openedStreams += 1
    case .frame(let isKeyframe, let elements, let mergedEvents):
      guard isMeasured(now) else { return }
      counters.frames += 1
      counters.keyframes += isKeyframe ? 1 : 0
      counters.elements += elements
      counters.mergedEvents += mergedEvents
    case .latency(let latency, let duration, let since):
      guard isMeasured(since) else { return }
      latencies[latency, default: LatencyHistogram()].record(duration)
      recent.record(duration)
    case .error(let name): errors[name, default: 0] += 1
    case .notice(let name): notices[name, default: 0] += 1
    case .committed, .versions: break
    }
  }

  mutating func streamEnded(error: String?, wasOpen: Bool) {
    if wasOpen { openStreams -= 1 }
    guard let error else { return }
    errors[error, default: 0] += 1
    brokenStreams += wasOpen ? 1 : 0
  }

  /// Counts events that were unanswered at the end.
  ///
  /// - Parameter now: the end of the wait.
  mutating func ended(waits: [TimedEvents.Wait], at now: Duration) {
    for wait in waits where isMeasured(wait.since) {
      latencies[wait.latency, default: LatencyHistogram()].record(now - wait.since)
      unanswered += 1
    }
  }

  /// Counts a check.
  ///
  /// - Parameter differences: empty = the elements were right; nil = inconclusive, because the
  ///   collection changed during the check.
  mutating func checked(_ differences: [String]?) {
    guard let differences else {
      overtakenChecks += 1
      return
    }
    checks += 1
    guard !differences.isEmpty else { return }
    wrongChecks += 1
    let room = max(0, Self.maxDifferences - self.differences.count)
    self.differences += differences.prefix(room)
  }

  // MARK: - Summing up

  mutating func add(_ other: LoadStatistics) {
    counters.add(other.counters)
    for (latency, histogram) in other.latencies {
      latencies[latency, default: LatencyHistogram()].add(histogram)
    }
    opening.add(other.opening)
    lateness.add(other.lateness)
    frameBytes.add(other.frameBytes)
    recent.add(other.recent)
    errors.merge(other.errors, uniquingKeysWith: +)
    notices.merge(other.notices, uniquingKeysWith: +)
    openStreams += other.openStreams
    openedStreams += other.openedStreams
    brokenStreams += other.brokenStreams
    unanswered += other.unanswered
    checks += other.checks
    overtakenChecks += other.overtakenChecks
    wrongChecks += other.wrongChecks
    differences = Array((differences + other.differences).prefix(Self.maxDifferences))
  }

  mutating func takeRecent() -> LatencyHistogram {
    let taken = recent
    recent.reset()
    return taken
  }

  /// The latencies from event to frame, of all kinds together.
  var eventToFrame: LatencyHistogram {
    latencies.values.reduce(into: LatencyHistogram()) { $0.add($1) }
  }

  var errorCount: Int { errors.values.reduce(0, +) }
}
