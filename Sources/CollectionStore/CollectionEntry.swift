// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One collection of the registry, whether or not its contents are in memory.
final class CollectionEntry: Sendable {
  private struct State {
    /// The collection with its contents; nil = they are not in memory. The reference is weak: it
    /// finds the object for as long as anybody uses it, so that no second one is made of the same
    /// collection.
    weak var live: LiveCollection?
    /// The collection's size in memory when it was last loaded, in bytes; 0 = never loaded.
    var lastByteCount = 0
    var isDeleted = false
  }

  let id: String
  let record: RecordCell
  /// Why the record could not be read; nil = it was read. With a fault, only the identifier in
  /// `record` is meaningful.
  let fault: StorageFault?
  /// Serialises loading and deleting: one task at a time does either.
  let gate = SerialGate()
  private let state = Mutex(State())

  init(_ record: CollectionRecord) {
    id = record.id
    self.record = RecordCell(record)
    fault = nil
  }

  /// A collection whose record cannot be read.
  init(damaged id: String, _ fault: StorageFault) {
    self.id = id
    record = RecordCell(CollectionRecord(id: id))
    self.fault = fault
  }

  /// The collection with its contents; nil = they are not in memory, or are not those that are
  /// stored any more.
  var live: LiveCollection? {
    guard let live = state.withLock({ $0.live }), !live.isRewound else { return nil }
    return live
  }
  var isDeleted: Bool { state.withLock { $0.isDeleted } }
  /// The collection's size in memory as far as it is known, in bytes; 0 = it was never loaded.
  var lastByteCount: Int {
    let bytes = state.withLock { $0.lastByteCount }
    return bytes == 0 ? 0 : max(bytes, record.ownedByteCount)
  }

  /// An estimate of the contents' size in memory, in bytes. Contents that were never loaded may
  /// have keys and data.
  var estimatedByteCount: Int {
    let last = lastByteCount
    return max(last, record.value.estimatedByteCount(perItem: last == 0 ? 280 : 10))
  }

  /// Notes that the contents have been loaded, and their size.
  func remember(_ live: LiveCollection) {
    let bytes = live.byteCount
    state.withLock { state in
      state.live = live
      state.lastByteCount = bytes
    }
  }

  func markDeleted() { state.withLock { $0.isDeleted = true } }
}

/// The record of a collection, shared by its `CollectionEntry` and its `LiveCollection`.
final class RecordCell: Sendable {
  private struct State {
    var record: CollectionRecord
    /// Bytes of the contents, as they count for the owner.
    var ownedBytes = 0
    var identity: UInt64

    mutating func replace(by found: CollectionRecord, isRewound: Bool) {
      let old = record
      record = found
      let isSame =
        old.incarnation == found.incarnation && old.dataVersion == found.dataVersion
        && old.lineage == found.lineage
      // It may follow from the record before, or from an earlier one.
      if isRewound || !isSame { identity = .random(in: .min ... .max) }
    }
  }

  private let state: Mutex<State>

  init(_ record: CollectionRecord) {
    state = Mutex(State(record: record, identity: record.incarnation))
  }

  var value: CollectionRecord { state.withLock { $0.record } }
  func set(_ value: CollectionRecord) { state.withLock { $0.record = value } }

  /// `LiveCollection.contentsIdentity` of the next object.
  var identity: UInt64 { state.withLock { $0.identity } }

  /// Replaces the record by what was found in the storage, of which nobody has the contents in
  /// memory.
  ///
  /// - Parameter isRewound: whether it is known not to follow from the record before.
  /// - Returns: the record before.
  @discardableResult
  func replace(by found: CollectionRecord, isRewound: Bool = false) -> CollectionRecord {
    state.withLock { state in
      let old = state.record
      state.replace(by: found, isRewound: isRewound)
      return old
    }
  }

  /// The same if the record is still this one.
  ///
  /// - Returns: whether it was.
  func replace(_ old: CollectionRecord, by found: CollectionRecord) -> Bool {
    state.withLock { state in
      guard state.record.isSameState(as: old) else { return false }
      state.replace(by: found, isRewound: false)
      return true
    }
  }

  /// The bytes that count for the owner.
  var ownedByteCount: Int { state.withLock { $0.ownedBytes } }

  /// Sets the bytes that count for the owner.
  ///
  /// - Returns: the difference from before.
  func count(owned bytes: Int) -> Int {
    state.withLock { state in
      defer { state.ownedBytes = bytes }
      return bytes - state.ownedBytes
    }
  }
}
