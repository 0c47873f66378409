// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One collection in the registry, whether its contents are in memory or not.
final class CollectionEntry: Sendable {
  private struct State {
    /// Weak, so that there is never a second one while anybody uses the first.
    weak var live: LiveCollection?
    /// What the contents took when they were last read.
    var lastByteCount = 0
    var isDeleted = false
  }

  let id: String
  let record: RecordCell
  /// Why nothing is known but the identifier; nil = more is known.
  let fault: StorageFault?
  /// Contents are read by one task at a time, and not while the collection is being deleted.
  let gate = SerialGate()
  private let state = Mutex(State())

  init(_ record: CollectionRecord) {
    id = record.id
    self.record = RecordCell(record)
    fault = nil
  }

  init(damaged id: String, _ fault: StorageFault) {
    self.id = id
    record = RecordCell(CollectionRecord(id: id))
    self.fault = fault
  }

  var live: LiveCollection? { state.withLock { $0.live } }
  var isDeleted: Bool { state.withLock { $0.isDeleted } }
  var lastByteCount: Int { state.withLock { $0.lastByteCount } }

  func remember(_ live: LiveCollection) {
    let bytes = live.byteCount
    state.withLock { state in
      state.live = live
      state.lastByteCount = bytes
    }
  }

  func markDeleted() { state.withLock { $0.isDeleted = true } }
}

/// What describes a collection, shared by the registry and the collection.
final class RecordCell: Sendable {
  private let record: Mutex<CollectionRecord>

  init(_ record: CollectionRecord) { self.record = Mutex(record) }

  var value: CollectionRecord { record.withLock { $0 } }
  func set(_ value: CollectionRecord) { record.withLock { $0 = value } }
}
