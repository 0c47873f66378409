// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import DequeModule
internal import Synchronization

/// The pending batches of one collection, in order of arrival.
///
/// Batches that arrive while others are being stored are later stored together. Whoever holds the
/// collection's gate takes them, commits them, and settles them.
final class WaitingBatches: Sendable {
  private let waiting = Mutex<Deque<WaitingBatch>>([])

  /// The most batches of a group.
  static let groupLimit = 64

  func add(_ batch: WaitingBatch) { waiting.withLock { $0.append(batch) } }

  /// Takes the next group. A large batch is a group of its own, so that it does not delay others.
  func takeGroup() -> [WaitingBatch] {
    waiting.withLock { waiting in
      var group: [WaitingBatch] = []
      while group.count < Self.groupLimit, let first = waiting.first {
        if first.isLarge && !group.isEmpty { break }
        group.append(first)
        waiting.removeFirst()
        if first.isLarge { break }
      }
      return group
    }
  }

  /// Puts back batches that were taken but not committed, before those that have arrived since.
  /// Abandoned ones are settled as cancelled.
  func putBack(_ batches: [WaitingBatch]) {
    let abandoned = waiting.withLock { waiting in
      var abandoned: [WaitingBatch] = []
      for batch in batches.reversed() {
        if batch.isAbandoned { abandoned.append(batch) } else { waiting.prepend(batch) }
      }
      return abandoned
    }
    for batch in abandoned { batch.settle(.failure(.cancelled)) }
  }

  /// Gives up a batch whose task was cancelled.
  ///
  /// - Returns: false = somebody has taken it, and will settle it.
  func abandon(_ batch: WaitingBatch) -> Bool {
    waiting.withLock { waiting in
      if let index = waiting.firstIndex(where: { $0 === batch }) {
        waiting.remove(at: index)
        return true
      }
      batch.abandon()
      return false
    }
  }
}

/// A pending batch, and its outcome.
final class WaitingBatch: Sendable {
  private struct State {
    var outcome: Result<Commit, StoreError>?
    var isAbandoned = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  let batch: UpdateBatch
  /// Applies the batch; nil = the committing task does.
  let applier: BatchApplier?
  /// Encodes the batch; called once it has passed all checks.
  let payload: @Sendable () throws -> [UInt8]
  private let state = Mutex(State())

  init(
    _ batch: UpdateBatch,
    _ applier: BatchApplier?,
    payload: @escaping @Sendable () throws -> [UInt8]
  ) {
    self.batch = batch
    self.applier = applier
    self.payload = payload
  }

  var isLarge: Bool { applier?.isLarge ?? false }
  /// Whether its task no longer waits for its turn.
  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
  /// nil = not known yet.
  var outcome: Result<Commit, StoreError>? { state.withLock { $0.outcome } }

  func abandon() { state.withLock { $0.isAbandoned = true } }

  /// Sets the outcome; only the first one counts.
  func settle(_ outcome: Result<Commit, StoreError>) {
    let waiter = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits until it is settled, even if the task is cancelled: whoever has taken it always settles
  /// it.
  func settled() async -> Result<Commit, StoreError> {
    await withCheckedContinuation { waiter in
      let isSettled = state.withLock { state in
        if state.outcome == nil { state.waiter = waiter }
        return state.outcome != nil
      }
      if isSettled { waiter.resume() }
    }
    return outcome ?? .failure(.cancelled)
  }
}
