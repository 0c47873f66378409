// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import Dispatch
internal import Synchronization

/// Applies batches that take long where they delay nobody else.
public struct BatchApplier: Sendable {
  /// Runs a closure that applies a batch, once. If it throws, the batch is applied in the task that
  /// commits it.
  public typealias Run = @Sendable (_ apply: @escaping @Sendable () -> Void) async throws -> Void

  /// Whether the batch takes long whatever the contents.
  let isLarge: Bool
  private let run: Run

  /// An applier for a large batch, or for a small one whose few bytes may affect many items.
  public init(isLarge: Bool, run: @escaping Run) {
    self.isLarge = isLarge
    self.run = run
  }

  /// Applies batches on a thread of the system.
  static let onOwnThread = BatchApplier(isLarge: false) { apply in
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        apply()
        continuation.resume()
      }
    }
  }

  /// What `apply` returns; nil = it could not be run elsewhere.
  func result<Value: Sendable>(of apply: @escaping @Sendable () -> Value) async -> Value? {
    let result = Applied<Value>()
    // If it throws, the caller applies the batch itself.
    try? await run { result.value.withLock { $0 = apply() } }
    return result.value.withLock { $0 }
  }

  /// Whether `run` should apply a batch.
  func takes(_ batch: UpdateBatch, to contents: CollectionContents) -> Bool {
    isLarge || batch.cost(in: contents) > Self.littleCost
  }

  /// Whether `run` should make a transfer.
  func takes(_ transfer: ItemTransfer, between contents: [CollectionContents]) -> Bool {
    isLarge || transfer.cost(between: contents) > Self.littleCost
  }

  /// The cost of about a millisecond, as `UpdateBatch.cost(in:)` counts.
  static let littleCost = 2048
}

/// The result of applying a batch on another thread.
private final class Applied<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
