// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Synchronization

/// Tells everything that runs for long that the server is going away.
///
/// A server with a drain time first *leaves*: readiness checks fail, but it goes on serving while
/// its sessions are told one after another. Then it *drains*: nothing new is accepted.
final class DrainSignal: Sendable {
  private enum Stage: Comparable {
    case serving, leaving, draining
  }

  private struct State {
    var stage = Stage.serving
    var nextObserver = 0
    var observers: [Int: @Sendable () -> Void] = [:]
    /// The observers of sessions, in the order in which they are told.
    var sessions: Deque<Int> = []
    /// The observers that are also told when the server leaves.
    var early: Set<Int> = []
  }

  private let state = Mutex(State())

  /// Whether nothing new is accepted.
  var isDraining: Bool { state.withLock { $0.stage == .draining } }

  /// Whether the server is about to drain, or drains.
  var isLeaving: Bool { state.withLock { $0.stage != .serving } }

  /// Begins to leave; no effect if the server leaves or drains already.
  func leave() {
    let observers = state.withLock { state in
      guard state.stage == .serving else { return [@Sendable () -> Void]() }
      state.stage = .leaving
      return state.early.compactMap { state.observers[$0] }
    }
    for observer in observers { observer() }
  }

  func begin() {
    let observers = state.withLock { state in
      state.stage = .draining
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Tells some of the sessions that have not been told yet.
  ///
  /// - Parameter share: how many of these, from 0 to 1.
  func tellSessions(_ share: Double) {
    let observers = state.withLock { state in
      var observers: [@Sendable () -> Void] = []
      let count = (Double(state.sessions.count) * min(max(share, 0), 1)).rounded(.up)
      for _ in 0 ..< Int(count) {
        guard let id = state.sessions.popFirst() else { break }
        if let observer = state.observers[id] { observers.append(observer) }
      }
      return observers
    }
    for observer in observers { observer() }
  }

  /// Calls `notify` when draining begins, or at once if it has begun. `notify` must return at once.
  ///
  /// - Parameter isEarly: whether to call it also when the server leaves.
  /// - Returns: a number for `remove(_:)`.
  func observe(isEarly: Bool = false, _ notify: @escaping @Sendable () -> Void) -> Int {
    add(notify, from: isEarly ? .leaving : .draining) { state, id in
      if isEarly { state.early.insert(id) }
    }
  }

  /// The same for a session, which is told in its turn while the server leaves. A session that
  /// begins while the server leaves is told when draining begins: its client has found no other
  /// server, and would only come back.
  func observe(inTurn notify: @escaping @Sendable () -> Void) -> Int {
    add(notify, from: .draining) { state, id in
      if state.stage == .serving { state.sessions.append(id) }
    }
  }

  private func add(
    _ notify: @escaping @Sendable () -> Void,
    from stage: Stage,
    _ note: (inout State, Int) -> Void
  ) -> Int {
    let (id, isDue) = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = notify
      note(&state, state.nextObserver)
      return (state.nextObserver, state.stage >= stage)
    }
    if isDue { notify() }
    return id
  }

  func remove(_ id: Int) {
    state.withLock { state in
      state.observers[id] = nil
      state.early.remove(id)
      // Entries of removed observers are skipped; drop them when they are many.
      if state.sessions.count > 2 * state.observers.count + 16 {
        let observers = state.observers
        state.sessions.removeAll { observers[$0] == nil }
      }
    }
  }
}
