// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession
internal import Synchronization
internal import Tracing

/// The spans of one layout stream: one for the call, and below it commits, layouts and frames.
///
/// A stream may last for days, so the number of its spans is limited: at first everything makes a
/// span, then only what is slow, and in the end nothing.
final class StreamTrace: Sendable {
  /// How many spans frames, and everything else, may make however fast they are.
  static let firstFrames = 50
  static let firstSpans = 100
  /// How many more spans slow operations may make after these.
  static let slowSpans = 350
  /// What takes longer than this is slow.
  static let slow = Duration.milliseconds(20)

  private struct Counts {
    var frames = 0
    var others = 0
    var slow = 0
    var leftOut = 0
  }

  private let tracer: any Tracer
  private let span: any Span
  private let counts = Mutex(Counts())

  /// nil = the stream's trace is not recorded.
  init?(_ context: CallContext, tracer: (any Tracer)?) {
    let span = tracer?.span(
      ofCall: SessionStream.method,
      metadata: context.metadata,
      peer: context.peer
    )
    guard let tracer, let span else { return nil }
    self.tracer = tracer
    self.span = span
  }

  /// Runs an operation in a span that other spans can be children of, such as a commit.
  func run<Value>(
    _ name: String,
    _ attributes: SpanAttributes,
    _ body: () async throws -> Value
  ) async throws -> Value {
    guard admitsFast(\.others, Self.firstSpans) else {
      let start = ContinuousClock.now
      do {
        let value = try await body()
        noteSlow(name, took: start.duration(to: .now), attributes)
        return value
      } catch {
        noteSlow(name, took: start.duration(to: .now), attributes, error: error)
        throw error
      }
    }
    return try await Spans.run(below: span, of: tracer) {
      try await Spans.run(name, attributes, body)
    }
  }

  /// Records a frame that was built.
  func frame(_ frame: SessionFrame, took duration: Duration) {
    guard admitsFast(\.frames, Self.firstFrames) || admits(duration) else { return }
    let attributes: SpanAttributes = [
      "layout.frame.sequence": .int64(Int64(clamping: frame.sequence)),
      "layout.frame.keyframe": .bool(frame.isKeyframe),
      "layout.frame.upserts": .int64(Int64(frame.upserts.count)),
      "layout.data_version": .int64(Int64(clamping: frame.dataVersion)),
    ]
    Spans.note("frame", took: duration, attributes, of: tracer, in: span.context)
  }

  /// - Parameter error: what the client is told; nil = the stream ended well.
  func end(_ error: (any Error)?) {
    let leftOut = counts.withLock { $0.leftOut }
    if leftOut > 0 { span.attributes["layout.spans.left_out"] = leftOut }
    span.end(call: error)
  }

  /// Notes the session that the stream has opened.
  func opened(session: String, collection: String?) {
    span.updateAttributes { attributes in
      attributes["layout.session"] = session
      if let collection { attributes["layout.collection"] = collection }
    }
  }

  // MARK: - Limits

  private func noteSlow(
    _ name: String,
    took duration: Duration,
    _ attributes: SpanAttributes,
    error: (any Error)? = nil
  ) {
    guard admits(duration) else { return }
    Spans.note(name, took: duration, attributes, error: error, of: tracer, in: span.context)
  }

  private func admitsFast(_ count: WritableKeyPath<Counts, Int>, _ limit: Int) -> Bool {
    counts.withLock { counts in
      guard counts[keyPath: count] < limit else { return false }
      counts[keyPath: count] += 1
      return true
    }
  }

  private func admits(_ duration: Duration) -> Bool {
    counts.withLock { counts in
      guard duration >= Self.slow, counts.slow < Self.slowSpans else {
        counts.leftOut += 1
        return false
      }
      counts.slow += 1
      return true
    }
  }
}

extension StreamTrace? {
  /// Runs `body`, traced if the stream is.
  func run<Value>(
    _ name: String,
    _ attributes: @autoclosure () -> SpanAttributes,
    _ body: () async throws -> Value
  ) async throws -> Value {
    guard let self else { return try await body() }
    return try await self.run(name, attributes(), body)
  }
}
