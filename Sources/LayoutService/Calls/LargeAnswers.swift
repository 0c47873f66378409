// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import ResourceAccounting

/// Sends large messages of streams in turns. A commit goes to everyone who watches a collection at
/// once: written together, the message would be in memory once per watcher before the transport had
/// counted the first copy, or ended those who do not read.
final class LargeAnswers: Sendable {
  /// Smaller messages are written without a turn.
  static let leastBytes = 64 << 10
  /// How many are written at the same time. A connection always uses the same gate, so that a
  /// client who does not read delays few others.
  private static let turns = 8
  /// How long a client who does not read delays others: its turn ends then, its write goes on.
  private static let patience = Duration.milliseconds(20)

  private let gates = (0 ..< turns).map { _ in SerialGate() }
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
  ///   - write: makes the message and writes it.
  /// - Throws: QUOTA_MEMORY; what `write` throws.
  func write(
    _ byteCount: Int,
    to peer: String,
    of account: Account,
    _ write: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard byteCount >= Self.leastBytes else { return try await write() }
    let gate = gates[Int(UInt(bitPattern: peer.hashValue) % UInt(gates.count))]
    let writing = try await gate.run(cancelled: CancellationError() as any Error) {
      try await begin(byteCount, to: peer, of: account, write)
    }
    try await withTaskCancellationHandler {
      try await writing.value
    } onCancel: {
      writing.cancel()
    }
  }

  /// Begins to write, and returns when the write is done or the turn is over.
  private func begin(
    _ byteCount: Int,
    to peer: String,
    of account: Account,
    _ write: @escaping @Sendable () async throws -> Void
  ) async throws -> Task<Void, any Error> {
    let lease: Lease
    do throws(LimitExceeded) { lease = try account.charge(byteCount) } catch {
      throw LayoutProblem(error)
    }
    let (isOver, turn) = AsyncStream.makeStream(of: Never.self)
    let writing = Task { [settle] in
      defer { turn.finish() }
      try await write()
      await settle(peer)
      // Until here the transport may not have counted it.
      withExtendedLifetime(lease) {}
    }
    let clock = Task {
      try? await Task.sleep(for: Self.patience)
      turn.finish()
    }
    for await _ in isOver {}
    clock.cancel()
    return writing
  }
}
