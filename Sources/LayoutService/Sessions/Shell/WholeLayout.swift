// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import Synchronization

/// A layout of all contents.
struct MadeLayout: Sendable {
  var prepared: any PreparedLayout
  /// What charges it to the session; nil = nobody else uses it.
  var lease: LayoutLease?
}

/// What was prepared for a session.
enum SuppliedLayout: Sendable {
  case whole(MadeLayout)
  /// What a first frame shows while the rest is being prepared.
  case beginning(any PreparedLayout, rest: WholeLayout)
  /// What is shown until a layout is there that comes from elsewhere, or that takes long after an edit.
  case standIn(MadeLayout, AwaitedLayout)
}

/// The layout of all contents, in the making while a first frame shows their beginning.
final class WholeLayout: Sendable, AlarmTarget {
  private struct State {
    var isMade = false
    var isLate = false
    var waiter: CheckedContinuation<Bool, Never>?
  }

  /// Of the request that it answers.
  let id: UInt64
  private let state = Mutex(State())
  private let making: Mutex<Task<MadeLayout, any Error>?> = Mutex(nil)

  /// - Parameter id: of the request that it answers.
  init(id: UInt64, _ make: @escaping @Sendable () async throws -> MadeLayout) {
    self.id = id
    let task = Task {
      defer { self.noteMade() }
      return try await make()
    }
    making.withLock { $0 = task }
  }

  /// Whether it is made before that time is over. To be asked once.
  func isMade(within patience: Duration, by clock: SessionClock) async -> Bool {
    clock.arm(clock.now + patience, for: self)
    return await withCheckedContinuation { waiter in
      let isMade: Bool? = state.withLock { state in
        if state.isMade || state.isLate { return state.isMade }
        state.waiter = waiter
        return nil
      }
      if let isMade { waiter.resume(returning: isMade) }
    }
  }

  func ring(_ deadline: ContinuousClock.Instant) { tell { $0.isLate = true } }

  private func noteMade() { tell { $0.isMade = true } }

  private func tell(_ note: (inout State) -> Void) {
    let (waiter, isMade) = state.withLock { state in
      note(&state)
      defer { state.waiter = nil }
      return (state.waiter, state.isMade)
    }
    waiter?.resume(returning: isMade)
  }

  /// Waits for it; where the waiting task is cancelled, the making is.
  func value() async throws -> MadeLayout {
    guard let making = making.withLock({ $0 }) else { throw CancellationError() }
    return try await withTaskCancellationHandler {
      try await making.value
    } onCancel: {
      making.cancel()
    }
  }

  func cancel() { making.withLock { $0 }?.cancel() }
}
