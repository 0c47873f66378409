// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Reports faults to the operator without repeating them, and keeps the storage's health up to
/// date.
///
/// Of consecutive faults of one kind only the first is reported, and each damaged row only once.
package final class FaultReports: Sendable {
  private struct State {
    /// The kind of the last fault; nil = a call has succeeded since.
    var last: StorageFault.Kind?
    /// When that was.
    var moment = ContinuousClock.now
    /// How many updates of the health were decided. They are passed on outside of the lock, because
    /// observers are called, and so may overtake each other.
    var updates: UInt64 = 0
    /// Descriptions of damage that was reported. Damage does not go away, so every later read finds
    /// it again.
    var damage: Set<String> = []
  }

  private let health: StorageHealth
  private let report: @Sendable (StorageFault) -> Void
  private let state = Mutex(State())

  /// How many descriptions are remembered. Then all are forgotten and may be reported a second
  /// time.
  private static let damageLimit = 1000

  package init(_ health: StorageHealth, _ report: @escaping @Sendable (StorageFault) -> Void) {
    self.health = health
    self.report = report
  }

  /// For how long reads that succeed do not clear a fault that only writes meet. Writes may be
  /// routed elsewhere until then, so it has to end without one.
  package static let writeFaultDuration = Duration.seconds(10)

  /// Reports a fault, unless it is a repetition, what other callers do, or due to closing.
  package func failed(_ fault: StorageFault, at now: ContinuousClock.Instant = .now) {
    if [.conflict, .contended, .closed].contains(fault.kind) { return }
    let (isNew, number) = state.withLock { state -> (Bool, UInt64) in
      if fault.kind == .damaged {
        if state.damage.count >= Self.damageLimit { state.damage.removeAll() }
        return (state.damage.insert(fault.description).inserted, state.updates)
      }
      defer { (state.last, state.moment) = (fault.kind, now) }
      state.updates += 1
      return (state.last != fault.kind, state.updates)
    }
    if fault.kind.isGeneral { health.update(fault, number: number) }
    if isNew { report(fault) }
  }

  /// Notes that a call has succeeded: the storage is healthy again.
  ///
  /// - Parameter isRead: whether it was a read, which tells nothing about writes.
  package func succeeded(isRead: Bool = false, at now: ContinuousClock.Instant = .now) {
    let number = state.withLock { state -> UInt64? in
      let ofWrites = state.last == .diskFull || state.last == .readOnly
      if isRead, ofWrites, now - state.moment < Self.writeFaultDuration { return nil }
      guard state.last.take() != nil else { return nil }
      state.updates += 1
      return state.updates
    }
    if let number { health.update(nil, number: number) }
  }
}
