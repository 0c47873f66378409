// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import ResourceAccounting

/// Sends the large messages of streams in turns. A commit is news to all who watch a collection at once:
/// written by all of them together, it would be in memory as often as there are watchers before the transport
/// had counted the first, let alone ended those who do not read.
final class LargeAnswers: Sendable {
  /// Smaller messages need no turn.
  static let leastBytes = 64 << 10
  /// How many may be written at the same time. A connection has the same turns always, so that one whose
  /// client does not read delays few others.
  private static let turns = 8
  /// How long a client that does not read holds up others: until its turn is over, not its write.
  private static let patience = Duration.milliseconds(20)

  private let gates = (0 ..< turns).map { _ in SerialGate() }
  private let settle: @Sendable (_ peer: String) async -> Void

  /// - Parameter settle: waits until the transport has counted what was written to a connection.
  init(settle: @escaping @Sendable (_ peer: String) async -> Void) { self.settle = settle }

  /// Writes a message when its turn comes. It is charged from then on, until the transport has it.
  ///
  /// - Parameters:
  ///   - byteCount: of the message.
  ///   - peer: the connection.
  ///   - account: that of the call.
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

  /// Begins to write, and returns when that is done or the turn is over.
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
      // Until here it is in memory beside what the transport has counted.
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
