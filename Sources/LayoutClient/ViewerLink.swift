// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import Synchronization

/// One stream of a viewer.
final class ViewerLink: Sendable {
  typealias Responses = RPCAsyncSequence<Wire.StreamLayoutResponse, any Error>

  /// How long the server may say nothing to one who waits; then the call ends.
  struct Patience: Sendable {
    /// Until the session stands: nothing has been promised yet.
    var opening: Duration
    /// From then on, when there are heartbeats.
    var open: Duration
  }

  private struct State {
    var isOpen = false
    /// Of the connection that the call is made over.
    var generation: Int?
    /// Since when somebody has been waiting for the server.
    var waitingSince: ContinuousClock.Instant?
    /// How long the server said nothing before the call was ended for it.
    var silence: Duration?
  }

  private let state: Mutex<State>
  private let requests: AsyncStream<Wire.StreamLayoutRequest>
  private let outbox: AsyncStream<Wire.StreamLayoutRequest>.Continuation
  private let opening: AsyncStream<Result<Responses, any Error>>
  private let opened: AsyncStream<Result<Responses, any Error>>.Continuation
  private let lifetime: AsyncStream<Void>
  private let life: AsyncStream<Void>.Continuation

  /// - Parameter broken: the link in whose place this one comes, over another connection.
  init(replacing broken: ViewerLink? = nil) {
    state = Mutex(State(generation: broken?.state.withLock { $0.generation }))
    // What a viewer sends is small, and each message answers something: it needs no bound.
    (requests, outbox) = AsyncStream.makeStream()
    (opening, opened) = AsyncStream.makeStream()
    (lifetime, life) = AsyncStream.makeStream()
  }

  // MARK: - The viewer's side

  func send(_ request: Wire.StreamLayoutRequest) { outbox.yield(request) }

  /// Nothing more is sent; the answers to what was sent can still be read.
  func finishSending() { outbox.finish() }

  /// Ends the stream at once.
  func cut() {
    outbox.finish()
    life.finish()
  }

  /// What the server says, once the call stands. To be called once.
  func responses() async throws -> Responses {
    try await waiting {
      for await result in opening { return try result.get() }
      throw RPCError(code: .unavailable, message: "the stream was given up")
    }
  }

  /// Says meanwhile that somebody waits for the server: where it stays silent, the stream ends.
  ///
  /// - Throws: what `body` throws. A call that was cancelled without its caller is a broken stream
  ///   to the one who reads it.
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
      throw RPCError(code: .cancelled, message: "the stream was given up")
    }
  }

  /// The session stands.
  func opens() { state.withLock { $0.isOpen = true } }

  // MARK: - The call

  /// Runs the call until the viewer or the server ends it, or patience does.
  func run(on client: LayoutClient, metadata: Metadata, patience: Patience) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.call(client, metadata) }
      group.addTask { await self.endSilence(after: patience) }
      group.addTask { [lifetime] in for await _ in lifetime {} }
      // Whichever ends first ends the others.
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
      try await sessions.streamLayout(
        metadata: metadata,
        requestProducer: { [requests] writer in
          for await request in requests { try await writer.write(request) }
        },
        onResponse: { [opened] response in
          opened.yield(.success(response.messages))
          // Until it is cancelled: the messages can be read as long as this has not returned.
          let (never, hold) = AsyncStream<Never>.makeStream()
          for await _ in never {}
          hold.finish()
        }
      )
    } catch {
      opened.yield(.failure(error))
    }
  }

  private func endSilence(after patience: Patience) async {
    while true {
      do { try await Task.sleep(for: min(patience.opening, patience.open) / 4) } catch { return }
      let isSilent = state.withLock { state in
        let limit = state.isOpen ? patience.open : patience.opening
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
