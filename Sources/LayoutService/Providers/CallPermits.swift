// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets so many calls run at once; the others wait in order.
final class CallPermits: Sendable {
  private struct State {
    var free: Int
    var nextNumber: UInt64 = 0
    /// In the order of their numbers, which is that of their arrival.
    var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>

  /// - Parameter count: below 1 counts as 1.
  init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

  /// Runs work while it has a permit.
  ///
  /// - Throws: what `work` throws; `CancellationError` if the task is cancelled before.
  func perform<Result: Sendable>(
    _ work: () async throws -> Result
  ) async throws -> Result {
    try await take()
    defer { giveBack() }
    return try await work()
  }

  private func take() async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isFree: Bool? = state.withLock { state in
          // The handler may have run already, and found nobody.
          if Task.isCancelled { return nil }
          guard state.free > 0 else {
            state.waiters.append((number, continuation))
            return false
          }
          state.free -= 1
          return true
        }
        switch isFree {
        case nil: continuation.resume(throwing: CancellationError())
        case true?: continuation.resume()
        case false?: break
        }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func giveBack() {
    let next: CheckedContinuation<Void, any Error>? = state.withLock { state in
      guard !state.waiters.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume()
  }
}
