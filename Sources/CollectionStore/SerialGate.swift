// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Synchronization

/// Lets one task through at a time, in the order in which they came.
final class SerialGate: Sendable {
  private struct State {
    var isTaken = false
    var waiting: Deque<CheckedContinuation<Void, Never>> = []
  }

  private let state = Mutex(State())

  func run<Result, Failure: Error>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.isTaken = false }
      return next
    }
    next?.resume()
  }
}
