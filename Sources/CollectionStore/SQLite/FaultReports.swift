// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Reports faults to the operator without repeating them, and keeps the storage's health up to date.
///
/// Of consecutive faults of one kind only the first is reported, and each damaged row only once.
package final class FaultReports: Sendable {
  private struct State {
    /// The kind of the last fault; nil = a call has succeeded since.
    var last: StorageFault.Kind?
    /// Descriptions of damage that was reported. Damage does not go away, so every later read finds it
    /// again.
    var damage: Set<String> = []
  }

  private let health: StorageHealth
  private let report: @Sendable (StorageFault) -> Void
  private let state = Mutex(State())

  /// How many descriptions are remembered. Then all are forgotten and may be reported a second time.
  private static let damageLimit = 1000

  package init(_ health: StorageHealth, _ report: @escaping @Sendable (StorageFault) -> Void) {
    self.health = health
    self.report = report
  }

  /// Reports a fault, unless it is a repetition, what other callers do, or due to closing.
  package func failed(_ fault: StorageFault) {
    if [.conflict, .contended, .closed].contains(fault.kind) { return }
    let isNew = state.withLock { state in
      if fault.kind == .damaged {
        if state.damage.count >= Self.damageLimit { state.damage.removeAll() }
        return state.damage.insert(fault.description).inserted
      }
      defer { state.last = fault.kind }
      return state.last != fault.kind
    }
    if fault.kind.isGeneral { health.update(fault) }
    if isNew { report(fault) }
  }

  /// Notes that a write has succeeded: the storage is healthy again.
  package func succeeded() {
    let wasFaulty = state.withLock { $0.last.take() != nil }
    if wasFaulty { health.update(nil) }
  }
}
