// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Reports the first of several like faults in a row, and each damage once, and keeps the storage's
/// health up to date.
final class FaultReports: Sendable {
  private struct State {
    var last: StorageFault.Kind?
    /// Damage that was reported. It does not pass, and is found again by everybody who looks.
    var damage: Set<String> = []
  }

  private let health: StorageHealth
  private let report: @Sendable (StorageFault) -> Void
  private let state = Mutex(State())

  /// Of damages that are remembered; beyond it they are reported again.
  private static let damageLimit = 1000

  init(_ health: StorageHealth, _ report: @escaping @Sendable (StorageFault) -> Void) {
    self.health = health
    self.report = report
  }

  func failed(_ fault: StorageFault) {
    if fault.kind == .conflict || fault.kind == .closed { return }
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

  func succeeded() {
    let wasFaulty = state.withLock { $0.last.take() != nil }
    if wasFaulty { health.update(nil) }
  }
}
