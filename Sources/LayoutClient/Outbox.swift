// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import Synchronization

/// The requests of one stream that are still to be sent, in their order.
///
/// Most of them answer a message of the server. A server that sends and does not read would make
/// acknowledgements pile up. So of those in a row that confirm frames only the newest one waits,
/// and of rejections a limited number.
final class Outbox: Sendable {
  private struct State {
    var waiting: Deque<Wire.StreamLayoutRequest> = []
    var isFinished = false
  }

  private let state = Mutex(State())
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init() { (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// The number of requests that wait.
  var count: Int { state.withLock { $0.waiting.count } }

  /// Adds a request, unless the end was announced.
  func send(_ request: Wire.StreamLayoutRequest) {
    state.withLock { state in
      guard !state.isFinished else { return }
      guard let last = state.waiting.last, last.isAnswer, request.isAnswer else {
        return state.waiting.append(request)
      }
      // The answer to a heartbeat, which the server would ignore after the rejection.
      if last.ack.rejected, !request.ack.rejected, request.ack.frameSeq <= last.ack.frameSeq {
        return
      }
      // Of all rejections the server hears, since the adjustments of their frames were not applied.
      let confirms = !last.ack.rejected && !request.ack.rejected
      if confirms || state.waiting.count >= Self.mostAnswers { state.waiting.removeLast() }
      state.waiting.append(request)
    }
    wake.yield()
  }

  /// Beyond this, an answer replaces the last one. The server has to send a keyframe anyway.
  static let mostAnswers = 1000

  /// Announces that nothing follows. What waits is still sent.
  func finish() {
    state.withLock { $0.isFinished = true }
    wake.finish()
  }

  /// Writes all requests until the end is announced, or the task is cancelled. To be called once.
  ///
  /// - Throws: what `write` throws.
  func drain(_ write: (Wire.StreamLayoutRequest) async throws -> Void) async throws {
    for await _ in wakes { try await writeAll(write) }
    // What was sent just before the end.
    try await writeAll(write)
  }

  private func writeAll(_ write: (Wire.StreamLayoutRequest) async throws -> Void) async throws {
    while !Task.isCancelled, let next = state.withLock({ $0.waiting.popFirst() }) {
      try await write(next)
    }
  }
}

extension Wire.StreamLayoutRequest {
  /// Whether it acknowledges or rejects a frame, and nothing else.
  fileprivate var isAnswer: Bool { hasAck && event == nil }
}
