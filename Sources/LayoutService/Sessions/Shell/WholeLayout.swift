// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutSession
internal import Synchronization

/// A layout of all contents.
struct MadeLayout: Sendable {
  var prepared: any PreparedLayout
  /// The session's charge for it; nil = nobody else uses the layout.
  var lease: LayoutLease?
}

/// What was prepared for a session.
enum SuppliedLayout: Sendable {
  case whole(MadeLayout)
  /// The layout that a first frame shows while the rest is being prepared.
  case beginning(any PreparedLayout, rest: WholeLayout)
  /// A draft of the layout, until the whole is there.
  case draft(MadeLayout, AwaitedLayout)
  /// What is shown until the layout is there, with the charge for it if others use it.
  case standIn(PreparedLayoutRequest.StandIn, LayoutLease?, AwaitedLayout)

  /// What is shown.
  var prepared: any PreparedLayout {
    switch self {
    case .whole(let made), .draft(let made, _): made.prepared
    case .beginning(let prepared, _): prepared
    case .standIn(let standIn, _, _): standIn.prepared
    }
  }
}

/// The layout of all contents, being made while a first frame shows their beginning.
final class WholeLayout: Sendable, AlarmTarget {
  private struct State {
    var isMade = false
    var isLate = false
    var waiter: CheckedContinuation<Bool, Never>?
  }

  /// The identifier of the request.
  let id: UInt64
  private let state = Mutex(State())
  private let making: Mutex<Task<MadeLayout, any Error>?> = Mutex(nil)

  /// - Parameter id: the identifier of the request.
  init(id: UInt64, _ make: @escaping @Sendable () async throws -> MadeLayout) {
    self.id = id
    let task = Task {
      defer { self.noteMade() }
      return try await make()
    }
    making.withLock { $0 = task }
  }

  /// Whether the layout is made before `patience` is over. Call at most once.
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

  /// Waits for the layout. Cancelling the waiting task cancels the making.
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
