// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf
internal import Synchronization

/// One stream of a viewer. The viewer uses it from its actor; the call runs in another task.
final class ViewerLink: Sendable {
  typealias Responses = RPCAsyncSequence<Wire.StreamLayoutResponse, any Error>

  /// How long the server may be silent while the viewer waits for a message. After that the call
  /// ends.
  struct Patience: Sendable {
    /// The limit before the session is open, when there are no heartbeats yet.
    var opening: Duration
    /// The limit after the session is open.
    var open: Duration

    /// Limits of three heartbeats; the server has at least 45 seconds to open the session.
    init(_ options: Wire.SessionOptions) {
      let interval = options.heartbeatInterval
      let wish: Duration? =
        options.hasHeartbeatInterval ? .seconds(min(max(interval.seconds, 0), 3600)) : nil
      let nanos = Duration.nanoseconds(max(0, interval.nanos))
      let wanted = SessionOptions(heartbeatInterval: wish.map { $0 + nanos })
      self.init(heartbeats: wanted.granted.heartbeatInterval ?? .seconds(15))
    }

    private init(heartbeats: Duration) {
      self.init(opening: max(heartbeats * 3, .seconds(45)), open: heartbeats * 3)
    }

    /// The given limits.
    init(opening: Duration, open: Duration) { (self.opening, self.open) = (opening, open) }
  }

  private struct State {
    var isOpen = false
    var patience: Patience
    /// The generation of the connection that the call uses.
    var generation: Int?
    /// When the viewer began to wait for the server; nil if it is not waiting.
    var waitingSince: ContinuousClock.Instant?
    /// The limit that was exceeded, if the call ended because the server was silent.
    var silence: Duration?

    /// How long the server may be silent.
    var limit: Duration { isOpen ? patience.open : patience.opening }
  }

  private let state: Mutex<State>
  private let outbox = Outbox()
  private let opening: AsyncStream<Result<Responses, any Error>>
  private let opened: AsyncStream<Result<Responses, any Error>>.Continuation
  private let lifetime: AsyncStream<Void>
  private let life: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - broken: the link that this one replaces. The new link uses another connection.
  ///   - patience: how long the server may be silent.
  init(replacing broken: ViewerLink? = nil, patience: Patience) {
    let generation = broken?.state.withLock { $0.generation }
    state = Mutex(State(patience: patience, generation: generation))
    (opening, opened) = AsyncStream.makeStream()
    (lifetime, life) = AsyncStream.makeStream()
  }

  // MARK: - The viewer's side

  func send(_ request: Wire.StreamLayoutRequest) { outbox.send(request) }

  /// Whether so many requests wait that what can be said later should be. A server that answers and
  /// does not read cannot make them pile up.
  var isCrowded: Bool { outbox.count >= Outbox.mostAnswers }

  /// Ends the request side of the stream. Answers can still be read.
  func finishSending() { outbox.finish() }

  /// Ends the stream at once.
  func cut() {
    outbox.finish()
    life.finish()
  }

  /// The server's messages. Waits until the call is established. Call this once.
  func responses() async throws -> Responses {
    try await waiting {
      for await result in opening { return try result.get() }
      throw RPCError(code: .unavailable, message: "the stream was closed")
    }
  }

  /// Runs `body` while noting that the viewer waits for the server. If the server stays silent for
  /// too long, the stream ends.
  ///
  /// - Throws: what `body` throws. If the call was cancelled although the calling task was not, the
  ///   error is an `RPCError`, because for the reader this is a broken stream.
  func waiting<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async throws -> R {
    state.withLock { $0.waitingSince = .now }
    defer { state.withLock { $0.waitingSince = nil } }
    do { return try await body() } catch {
      guard !Task.isCancelled else { throw error }
      if let silence = state.withLock({ $0.silence }) {
        throw RPCError(code: .deadlineExceeded, message: "the server said nothing for \(silence)")
      }
      guard error is CancellationError else { throw error }
      throw RPCError(code: .cancelled, message: "the stream was closed")
    }
  }

  /// Notes that the session is open.
  func opens() { state.withLock { $0.isOpen = true } }

  /// Changes how long the server may be silent, because the interval of its heartbeats has changed.
  func expect(_ patience: Patience) { state.withLock { $0.patience = patience } }

  /// How long the server may be silent now.
  var limit: Duration { state.withLock { $0.limit } }

  // MARK: - The call

  /// Runs the call until the viewer or the server ends it, or the server has been silent for too
  /// long.
  func run(on client: LayoutClient, metadata: Metadata) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.call(client, metadata) }
      group.addTask { await self.endSilence() }
      group.addTask { [lifetime] in for await _ in lifetime {} }
      // The first task that ends cancels the others.
      await group.next()
      group.cancelAll()
    }
    opened.finish()
    outbox.finish()
  }

  private func call(_ client: LayoutClient, _ metadata: Metadata) async {
    do {
      let connection =
        if let broken = state.withLock({ $0.generation }) {
          try client.connections.connection(after: broken)
        } else {
          client.connections.current
        }
      state.withLock { $0.generation = connection.generation }
      let sessions = CollectionLayout_V1_LayoutSessionService.Client(wrapping: connection.grpc)
      let sending = RequestTask()
      try await sessions.streamLayout(
        metadata: metadata,
        requestProducer: { [outbox] writer in
          try await sending.run { try await outbox.drain { try await writer.write($0) } }
        },
        onResponse: { [opened] response in
          try await sending.endAfter {
            opened.yield(.success(response.messages))
            // Waits until it is cancelled: messages can be read only until this closure returns.
            let (never, hold) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            hold.finish()
          }
        }
      )
    } catch {
      opened.yield(.failure(error))
    }
  }

  private func endSilence() async {
    while true {
      // The limit may become shorter during the pause.
      let limit = state.withLock { min($0.patience.opening, $0.patience.open) }
      do { try await Task.sleep(for: min(limit / 4, .seconds(1))) } catch { return }
      let isSilent = state.withLock { state in
        let limit = state.limit
        guard let since = state.waitingSince, ContinuousClock.now - since >= limit else {
          return false
        }
        state.silence = limit
        return true
      }
      if isSilent { return }
    }
  }
}
