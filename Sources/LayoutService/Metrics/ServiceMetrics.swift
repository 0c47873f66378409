// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import Metrics
internal import Synchronization

/// What the service counts. Handles are made once, so that counting is an atomic addition.
final class ServiceMetrics: Sendable {
  // MARK: Frames

  let frames: Counter
  let sharedFrames: Counter
  let keyframes: Counter
  let elements: Counter
  /// Bytes of messages on layout streams.
  let sentBytes: Counter
  /// From a commit to the frame that shows it.
  let latency: Timer

  // MARK: Sessions

  let slowNotices: Counter
  private let events: [Counter]
  private let openings: [SessionOpeningOutcome: Counter]

  let measurements: MeasurementTotals

  // MARK: Calls

  /// Durations of calls that succeeded, by method.
  private let successes: [MethodDescriptor: Timer]
  private let metrics: any MetricsFactory

  // MARK: What seldom happens

  /// Handles that are made on first use. The registry limits their number.
  private struct Rare {
    var refusals: [Refused: Counter] = [:]
    var failures: [FailedCall: Timer] = [:]
    var endings: [String: Counter] = [:]
  }

  private struct Refused: Hashable {
    var reason: String
    var place: RefusalPlace
  }

  private struct FailedCall: Hashable {
    var method: MethodDescriptor
    var status: String
  }

  private let rare = Mutex(Rare())

  /// - Parameter metrics: makes the handles; `ServiceMetricLabel` has their labels.
  init(_ metrics: any MetricsFactory) {
    typealias Label = ServiceMetricLabel
    self.metrics = metrics
    frames = Counter(label: Label.frames, factory: metrics)
    sharedFrames = Counter(label: Label.sharedFrames, factory: metrics)
    keyframes = Counter(label: Label.keyframes, factory: metrics)
    elements = Counter(label: Label.elements, factory: metrics)
    sentBytes = Counter(label: Label.sentBytes, factory: metrics)
    latency = Timer(label: Label.latency, factory: metrics)
    measurements = MeasurementTotals(metrics)
    slowNotices = Counter(label: Label.slowNotices, factory: metrics)
    events = SessionEventKind.allCases.map { kind in
      Counter(label: Label.events, dimensions: [("kind", kind.name)], factory: metrics)
    }
    openings = Dictionary(
      uniqueKeysWithValues: SessionOpeningOutcome.allCases.map { outcome in
        let dimensions = [("outcome", outcome.rawValue)]
        return (
          outcome, Counter(label: Label.openings, dimensions: dimensions, factory: metrics)
        )
      }
    )
    successes = Dictionary(
      LayoutServices.methods.map { method in
        (method, Self.timer(of: method, status: "OK", metrics))
      }
    ) { first, _ in first }
  }

  private static func timer(
    of method: MethodDescriptor,
    status: String,
    _ metrics: any MetricsFactory
  ) -> Timer {
    var dimensions = [
      ("rpc.system.name", "grpc"), ("rpc.method", method.fullyQualifiedMethod),
      ("rpc.response.status_code", status),
    ]
    if status != "OK" { dimensions.append(("error.type", status)) }
    return Timer(label: ServiceMetricLabel.calls, dimensions: dimensions, factory: metrics)
  }

  // MARK: - Counting

  func event(_ kind: SessionEventKind) { events[kind.rawValue].increment() }

  func opening(_ outcome: SessionOpeningOutcome) { openings[outcome]?.increment() }

  /// - Parameter end: the reason, such as "closed" or "SLOW_CLIENT".
  func sessionEnded(_ end: String) {
    let counter = rare.withLock { rare in
      if let known = rare.endings[end] { return known }
      let counter = Counter(
        label: ServiceMetricLabel.endings,
        dimensions: [("reason", end)],
        factory: metrics
      )
      rare.endings[end] = counter
      return counter
    }
    counter.increment()
  }

  func refusal(_ reason: LayoutProblem.Reason, _ place: RefusalPlace) {
    let refused = Refused(reason: reason.rawValue, place: place)
    let counter = rare.withLock { rare in
      if let known = rare.refusals[refused] { return known }
      let counter = Counter(
        label: ServiceMetricLabel.refusals,
        dimensions: [("reason", refused.reason), ("of", place.rawValue)],
        factory: metrics
      )
      rare.refusals[refused] = counter
      return counter
    }
    counter.increment()
  }

  /// Counts a call that has ended.
  ///
  /// - Parameter error: why it failed; nil = it succeeded.
  func call(_ method: MethodDescriptor, took duration: Duration, error: (any Error)?) {
    guard let error else {
      successes[method]?.record(duration: duration)
      return
    }
    let place: RefusalPlace = method == SessionStream.method ? .stream : .call
    if let problem = CallStatus.problem(of: error), problem.reason != .none {
      refusal(problem.reason, place)
    }
    let failed = FailedCall(method: method, status: CallStatus.name(of: error))
    let timer = rare.withLock { rare in
      if let known = rare.failures[failed] { return known }
      let timer = Self.timer(of: method, status: failed.status, metrics)
      rare.failures[failed] = timer
      return timer
    }
    timer.record(duration: duration)
  }
}

/// Where a refusal happened.
enum RefusalPlace: String, Sendable {
  case call
  /// It ended a layout stream.
  case stream
  /// It refused an event on a layout stream; the stream goes on.
  case event
}

/// The outcome of an attempt to open a session.
enum SessionOpeningOutcome: String, CaseIterable, Sendable {
  case created
  case resumed
  case resumedWithKeyframe = "resumed_with_keyframe"
  /// The session to resume was gone; a new one was opened on the same collection.
  case reset
  /// The session to resume was gone; no session was opened.
  case notResumed = "not_resumed"

  /// - Parameter outcome: what the client is told.
  init(_ outcome: Wire.SessionOpened.Outcome) {
    switch outcome {
    case .resumed: self = .resumed
    case .resumedWithKeyframe: self = .resumedWithKeyframe
    case .reset: self = .reset
    case .created, .unspecified, .UNRECOGNIZED: self = .created
    }
  }
}
