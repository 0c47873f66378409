// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether a storage works, for health checks and metrics.
///
/// Damage in one collection does not count: the other collections are still served.
public final class StorageHealth: Sendable {
  private struct State {
    var fault: StorageFault?
    /// The highest number of an update.
    var number: UInt64 = 0
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var lastObserver: UInt64 = 0
  }

  /// Identifies an observer, so that it can be removed.
  public struct Observation: Hashable, Sendable {
    fileprivate let id: UInt64
  }

  private let state = Mutex(State())

  /// The health of a storage that works.
  public init() {}

  /// Why the storage does not work; nil = it works.
  public var fault: StorageFault? { state.withLock { $0.fault } }

  /// Sets why the storage does not work, and notifies observers if the kind of fault has changed.
  ///
  /// - Parameter fault: nil = the storage works.
  public func update(_ fault: StorageFault?) { update(fault, number: nil) }

  /// Does the same, unless an update with a higher number was faster.
  ///
  /// - Parameter number: the place of the update among those of a caller who decides them under a
  ///   lock and passes them on without it; nil = it counts in any case.
  func update(_ fault: StorageFault?, number: UInt64?) {
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      if let number {
        guard number > state.number else { return [] }
        state.number = number
      }
      defer { state.fault = fault }
      return state.fault?.kind == fault?.kind ? [] : Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `notify` after each change of the kind of `fault`, until the observation is removed.
  ///
  /// - Parameter notify: called from the thread that made the change; must not block. It reads
  ///   `fault` for the new state.
  public func observe(_ notify: @escaping @Sendable () -> Void) -> Observation {
    state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = notify
      return Observation(id: state.lastObserver)
    }
  }

  /// Stops notifying an observer. A call that is already under way may still reach it. Idempotent.
  public func remove(_ observation: Observation) {
    state.withLock { _ = $0.observers.removeValue(forKey: observation.id) }
  }
}
