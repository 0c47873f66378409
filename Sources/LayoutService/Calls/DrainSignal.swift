// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells everything that runs for long that the server is going away.
final class DrainSignal: Sendable {
  private struct State {
    var isDraining = false
    var nextObserver = 0
    var observers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  var isDraining: Bool { state.withLock { $0.isDraining } }

  func begin() {
    let observers = state.withLock { state in
      state.isDraining = true
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `notify` when draining begins, or at once where it has begun. It must return at once.
  func observe(_ notify: @escaping @Sendable () -> Void) -> Int {
    let (id, isDraining) = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = notify
      return (state.nextObserver, state.isDraining)
    }
    if isDraining { notify() }
    return id
  }

  func remove(_ id: Int) {
    state.withLock { _ = $0.observers.removeValue(forKey: id) }
  }
}
