// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether a storage can do its work, for those who tell others: health checks, metrics.
///
/// Damage of one collection is not a matter of health: the others go on.
public final class StorageHealth: Sendable {
  private struct State {
    var fault: StorageFault?
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var lastObserver: UInt64 = 0
  }

  /// Names an observer.
  public struct Observation: Hashable, Sendable {
    fileprivate let id: UInt64
  }

  private let state = Mutex(State())

  /// A healthy one.
  public init() {}

  /// What keeps the storage from working; nil = it works.
  public var fault: StorageFault? { state.withLock { $0.fault } }

  /// Says what keeps the storage from working; nil = it works. Observers are told where that differs
  /// in kind.
  public func update(_ fault: StorageFault?) {
    let observers = state.withLock { state in
      defer { state.fault = fault }
      return state.fault?.kind == fault?.kind ? [] : Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `notify` after each change. It must return at once, and reads `fault` for the new state.
  public func observe(_ notify: @escaping @Sendable () -> Void) -> Observation {
    state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = notify
      return Observation(id: state.lastObserver)
    }
  }

  public func remove(_ observation: Observation) {
    state.withLock { _ = $0.observers.removeValue(forKey: observation.id) }
  }
}
