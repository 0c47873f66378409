// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// The layout of all, in the making while a first frame shows its beginning.
final class WholeLayout: Sendable {
  /// Of the request that it answers.
  let id: UInt64
  private let making: Task<any PreparedLayout, any Error>
  private let made: AsyncStream<Bool>
  private let note: AsyncStream<Bool>.Continuation

  init(
    for preparation: Preparation,
    _ make: @escaping @Sendable () async throws -> any PreparedLayout
  ) {
    id = preparation.id
    let (made, note) = AsyncStream.makeStream(of: Bool.self)
    self.made = made
    self.note = note
    making = Task {
      defer { note.yield(true) }
      return try await make()
    }
  }

  /// Whether it is made before that time is over. To be asked once.
  func isMade(within patience: Duration) async -> Bool {
    let limit = Task { [note] in
      try await Task.sleep(for: patience)
      note.yield(false)
    }
    defer { limit.cancel() }
    for await isMade in made { return isMade }
    return false
  }

  /// Waits for it; where the waiting task is cancelled, the making is.
  func value() async throws -> any PreparedLayout {
    try await withTaskCancellationHandler {
      try await making.value
    } onCancel: {
      making.cancel()
    }
  }

  func cancel() { making.cancel() }
}
