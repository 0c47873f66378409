// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// Writes to a client that has to read: where it does not for too long, the call ends.
struct TimedWriter<Message: Sendable>: Sendable {
  let writer: RPCWriter<Message>
  /// For one write.
  let limit: Duration

  /// - Throws: SLOW_CLIENT where the client does not take the message in time.
  func write(_ message: Message) async throws {
    try await timed { try await writer.write(message) }
  }

  /// - Throws: SLOW_CLIENT where the client does not take the messages in time.
  func write(contentsOf messages: [Message]) async throws {
    try await timed { try await writer.write(contentsOf: messages) }
  }

  private func timed(_ write: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await write()
        return true
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      guard try await group.next() == true else { throw LayoutProblem.slowClient(unreadFor: limit) }
    }
  }
}
