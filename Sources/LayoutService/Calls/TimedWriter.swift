// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// Writes to a client, and ends the call if the client does not read for too long.
struct TimedWriter<Message: Sendable>: Sendable {
  let writer: RPCWriter<Message>
  /// Ends a write that takes too long.
  let stalls: StallWatch

  /// - Throws: SLOW_CLIENT if the client does not take the message in time.
  func write(_ message: Message) async throws {
    try await timed { try await writer.write(message) }
  }

  /// - Parameter begun: called when the messages are handed to the transport.
  /// - Throws: SLOW_CLIENT if the client does not take the messages in time.
  func write(
    contentsOf messages: [Message],
    begun: @escaping @Sendable () -> Void = {}
  ) async throws {
    try await timed {
      begun()
      try await writer.write(contentsOf: messages)
    }
  }

  private func timed(_ write: @escaping @Sendable () async throws -> Void) async throws {
    let writing = Task(operation: write)
    let wait = stalls.begin { writing.cancel() }
    let result = await withTaskCancellationHandler {
      await writing.result
    } onCancel: {
      writing.cancel()
    }
    guard stalls.end(wait) else { throw LayoutProblem.slowClient(unreadFor: stalls.limit) }
    try result.get()
  }
}
