// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import ResourceAccounting
internal import Synchronization

/// Sends large messages of streams in turns. A commit goes to everyone who watches a collection at
/// once: written together, the message would be in memory once per watcher before the transport had
/// counted the first copy, or ended those who do not read.
///
/// Clients take turns, and so do the connections of a client, so that those who do not read delay
/// hardly anybody but themselves.
final class LargeAnswers: Sendable {
  /// Smaller messages are written without a turn.
  static let leastBytes = 64 << 10
  /// How many are written at the same time.
  private static let turnCount = 8
  /// How long a client who does not read delays others after its write has begun: its turn ends as
  /// soon as the transport has counted what it got in that time, and its write goes on.
  private static let patience = Duration.milliseconds(20)
  /// The same for a connection that has such writes already. A fifth of this would be too short:
  /// the next messages were written before the transport had counted the last, and ended those who
  /// do not read too late.
  private static let patienceWithStalled = Duration.milliseconds(5)

  /// The number of waiting writes is bounded by that of calls.
  private let turns = CallPermits(turnCount, waitingLimit: .max, subject: "large answers")
  /// How many writes of a connection have outlasted their turns and are not done.
  private let stalled = Mutex<[String: Int]>([:])
  private let settle: @Sendable (_ peer: String) async -> Void

  /// - Parameter settle: waits until the transport has counted what was written to a connection.
  init(settle: @escaping @Sendable (_ peer: String) async -> Void) { self.settle = settle }

  /// Writes a message when its turn comes. The message is charged from then on until the transport
  /// has counted it.
  ///
  /// - Parameters:
  ///   - byteCount: the size of the message.
  ///   - peer: the client's address with its port.
  ///   - account: the call's account.
  ///   - write: makes the message and writes it. Calls its argument when it hands the message to
  ///     the transport.
  /// - Throws: QUOTA_MEMORY; what `write` throws.
  func write(
    _ byteCount: Int,
    to peer: String,
    of account: Account,
    _ write: @escaping @Sendable (_ begun: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws {
    guard byteCount >= Self.leastBytes else { return try await write {} }
    let (writing, isDone) = try await turns.perform(for: PeerHost.host(of: peer), over: peer) {
      try await begin(byteCount, to: peer, of: account, write)
    }
    if !isDone { addStalled(1, peer) }
    defer { if !isDone { addStalled(-1, peer) } }
    try await withTaskCancellationHandler {
      try await writing.value
    } onCancel: {
      writing.cancel()
    }
  }

  private func addStalled(_ change: Int, _ peer: String) {
    stalled.withLock { stalled in
      let count = (stalled[peer] ?? 0) + change
      stalled[peer] = count > 0 ? count : nil
    }
  }

  /// Begins to write, and returns when the write is done or the turn is over, and which of them.
  private func begin(
    _ byteCount: Int,
    to peer: String,
    of account: Account,
    _ write: @escaping @Sendable (_ begun: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws -> (writing: Task<Void, any Error>, isDone: Bool) {
    let lease: Lease
    do throws(LimitExceeded) { lease = try account.charge(byteCount) } catch {
      throw LayoutProblem(error)
    }
    let (ends, turn) = AsyncStream.makeStream(of: Bool.self)
    let (beginning, begun) = AsyncStream.makeStream(of: Never.self)
    let writing = Task { [settle] in
      defer { turn.yield(true) }
      try await write { begun.finish() }
      await settle(peer)
      // Until here the transport may not have counted it.
      withExtendedLifetime(lease) {}
    }
    let hasStalled = stalled.withLock { $0[peer] != nil }
    let clock = Task { [settle] in
      // A busy server may begin late, and its transport may count late. Turns that ended earlier
      // would let all messages be made before the first is counted.
      for await _ in beginning {}
      let patience = hasStalled ? Self.patienceWithStalled : Self.patience
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      await settle(peer)
      turn.yield(false)
    }
    defer { clock.cancel() }
    return (writing, await ends.first { _ in true } ?? false)
  }
}
