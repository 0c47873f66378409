// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import Synchronization

/// The requests of one stream that are still to be sent, in their order.
///
/// Most of them answer a message of the server. A server that sends and does not read would make
/// acknowledgements pile up, so only the newest one waits.
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
      if request.onlyConfirms, state.waiting.last?.onlyConfirms == true {
        state.waiting.removeLast()
      }
      state.waiting.append(request)
    }
    wake.yield()
  }

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
  /// Whether it only confirms a frame, so that a newer one replaces it. A rejection is not lost:
  /// the server answers it with a keyframe.
  fileprivate var onlyConfirms: Bool { hasAck && !ack.rejected && event == nil }
}
