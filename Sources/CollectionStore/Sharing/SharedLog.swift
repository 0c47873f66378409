// SPDX-License-Identifier: Apache-2.0

/// What a storage offers beyond `CollectionStorage` when several servers write to it at once.
///
/// Each server keeps the collections that it uses in memory. A commit names the version that it
/// follows, so of two servers that commit to the same version the storage accepts one. The other is
/// told `conflict`, reads what it lacks (`tail`), applies that like its own commits, and validates
/// its batch again.
///
/// A change of another server enters a `LiveCollection` in its turn at the gate, like a commit. So
/// nothing else changes the version during a commit, and viewers see one order: that of the log. A
/// server that has not noticed a change is only behind: its next commit conflicts, and its next
/// poll finds the change.
///
/// `CollectionStorage.update` and `append` throw `StorageFault.conflict` unless the stored
/// collection is at the previous revision or version, and in the state that the caller knows.
/// `create` throws it if the identifier is taken.
///
/// A storage may go back: a standby takes over that lacks the last commits, or a disk is restored.
/// Other servers may then have reached the lost versions again before this one looks. So numbers do
/// not suffice: a record also has a digest of all its batches (`CollectionRecord.lineage`), and
/// each batch in the log names that of the version before. A server that finds that it knows other
/// batches gives up what it has in memory (`LogTail.rewound`).
public protocol SharedLog: Sendable {
  /// Yields an element whenever something may have changed, sometimes spuriously, and at least
  /// about once a second. `takeChanged` tells more. One consumer at a time.
  var wakes: AsyncStream<Void> { get }

  /// The incarnations of collections that other servers have changed since the last call; nil = any
  /// may have changed, and `changes` tells which.
  func takeChanged() -> Set<UInt64>?

  /// The collections that changed.
  ///
  /// - Parameter cursor: the cursor of the last call whose changes were taken over; nil = all
  ///   collections are returned, and so they are if the storage no longer knows what has happened
  ///   since.
  /// - Complexity: O(collections) in the database; what is returned are the changed ones.
  func changes(since cursor: ChangeCursor?) async throws -> StoredChanges

  /// What the log of a collection has after a version.
  ///
  /// - Parameters:
  ///   - record: the record that the caller has.
  ///   - isDescribed: false = the description may be left out if it has not changed since.
  func tail(after record: CollectionRecord, isDescribed: Bool) async throws -> LogTail

  /// The request with this identifier, even if its batch was trimmed from the log; nil = there is
  /// none.
  func request(_ id: String, in incarnation: UInt64) async throws -> StoredRequest?

  /// Deletes a collection.
  ///
  /// - Parameters:
  ///   - revision: the revision that it must have; nil = any.
  ///   - itemCount: about how many items it has.
  /// - Throws: `StorageFault.conflict` if this incarnation is not stored, or has another revision.
  func delete(
    _ id: String,
    incarnation: UInt64,
    revision: UInt64?,
    itemCount: Int
  ) async throws
}

extension SharedLog {
  /// Whether a record is what is stored now, after a fault has left that open. False also if it
  /// cannot be told: the storage cannot be read, another server has changed the collection since,
  /// or the log does not lead to the record.
  ///
  /// - Parameters:
  ///   - next: nil = the collection is deleted.
  ///   - record: the record before; of a new collection the new one.
  func hasStored(_ next: CollectionRecord?, after record: CollectionRecord) async -> Bool {
    switch try? await tail(after: record, isDescribed: false) {
    case .batches(let update): next.map { update.record.isSameState(as: $0) } ?? false
    case .gone: next == nil
    case .trimmed, .rewound, nil: false
    }
  }
}

extension CollectionStorage {
  /// Runs a write that makes one record out of another. If the connection was lost before the
  /// answer came, asks the storage whether the write happened.
  ///
  /// - Parameters:
  ///   - next: nil = the collection is deleted.
  ///   - record: the record before; of a new collection the new one.
  /// - Throws: what `write` throws.
  func storing(
    _ next: CollectionRecord?,
    after record: CollectionRecord,
    _ write: () async throws -> Void
  ) async throws {
    do { try await write() } catch let fault as StorageFault where fault.kind == .unclear {
      guard await shared?.hasStored(next, after: record) == true else { throw fault }
    }
  }
}

/// How far changes have been read. Only the storage that made it can interpret it.
public struct ChangeCursor: Hashable, Sendable {
  /// Everything before it has been read.
  public var position: UInt64
  /// When it was read, in seconds of the storage's own clock.
  public var seconds: Int64
  /// The connection that it was read on.
  public var connection: UInt64
  /// The number of the answer that brought it.
  public var serial: UInt64

  /// A cursor at a position.
  public init(
    position: UInt64 = 0,
    seconds: Int64 = 0,
    connection: UInt64 = 0,
    serial: UInt64 = 0
  ) {
    self.position = position
    self.seconds = seconds
    self.connection = connection
    self.serial = serial
  }
}

/// What the log of a collection has after a version.
public enum LogTail: Sendable {
  /// The batches, without a gap; none if there is nothing new.
  case batches(LogUpdate)
  /// Some of the batches are not stored any more, or they are too many: the snapshot has to be
  /// read.
  case trimmed
  /// The collection was deleted, and possibly created again.
  case gone
  /// The storage lacks a change that led to the caller's record, and has this record.
  case rewound(CollectionRecord)
}

/// Batches that a server lacks.
public struct LogUpdate: Sendable {
  /// The batches after the caller's version, in order.
  public var batches: [StoredBatch]
  /// The record at the version that the last batch leads to.
  public var record: CollectionRecord
  /// False = display name, labels and layouts of `record` were left out, since the caller has them.
  public var hasDescription: Bool
  /// The version of the stored snapshot.
  public var snapshotVersion: UInt64

  /// What a server lacks.
  public init(
    batches: [StoredBatch],
    record: CollectionRecord,
    hasDescription: Bool,
    snapshotVersion: UInt64
  ) {
    self.batches = batches
    self.record = record
    self.hasDescription = hasDescription
    self.snapshotVersion = snapshotVersion
  }
}

/// Collections that changed.
public struct StoredChanges: Sendable {
  /// A collection that was created or changed.
  public struct Change: Sendable {
    /// The collection as it is stored.
    public var collection: StoredCollection
    /// False = display name, labels and layouts were left out, since they have not changed.
    public var hasDescription: Bool

    /// A collection that was created or changed.
    public init(_ collection: StoredCollection, hasDescription: Bool) {
      self.collection = collection
      self.hasDescription = hasDescription
    }
  }

  /// A collection that was deleted.
  public struct Removal: Hashable, Sendable {
    /// Its identifier, which may have been given to another one since.
    public var id: String
    /// The incarnation that was deleted.
    public var incarnation: UInt64

    /// A collection that was deleted.
    public init(id: String, incarnation: UInt64) {
      self.id = id
      self.incarnation = incarnation
    }
  }

  /// The collections that were created or changed; at least those since the cursor.
  public var changed: [Change]
  /// The collections that were deleted.
  public var removed: [Removal]
  /// Whether `changed` has all collections, so that others do not exist.
  public var isComplete: Bool
  /// The cursor for the next call.
  public var cursor: ChangeCursor

  /// The changes up to `cursor`.
  public init(changed: [Change], removed: [Removal], isComplete: Bool, cursor: ChangeCursor) {
    self.changed = changed
    self.removed = removed
    self.isComplete = isComplete
    self.cursor = cursor
  }
}

extension CollectionStorage {
  /// nil: nobody else writes to this storage.
  public var shared: (any SharedLog)? { nil }
}

extension CollectionRecord {
  /// The lineage of the version that a batch leads to.
  ///
  /// - Parameter old: the lineage of the version before; nil = that of this record.
  package func lineage(after batch: StoredBatch, from old: UInt64? = nil) -> UInt64 {
    let words = [
      incarnation, batch.version, UInt64(bitPattern: batch.time.seconds),
      UInt64(truncatingIfNeeded: batch.time.nanoseconds),
      UInt64(bitPattern: batch.checksum(in: incarnation.stored)),
    ]
    var hash = old ?? lineage
    for word in words {
      // The last steps of SplitMix64: each bit of the result depends on all bits.
      hash = (hash ^ word) &+ 0x9E37_79B9_7F4A_7C15
      hash = (hash ^ hash &>> 30) &* 0xBF58_476D_1CE4_E5B9
      hash = (hash ^ hash &>> 27) &* 0x94D0_49BB_1331_11EB
      hash ^= hash &>> 31
    }
    return max(1, hash)
  }

  /// Whether both are of one change of one collection. A commit and another one that took its place
  /// after a loss differ in their times, if in nothing else.
  package func isSameState(as other: CollectionRecord) -> Bool {
    columns == other.columns && lineage == other.lineage
  }

  /// Whether this record may be what became of an older one, or the same. The batches in between
  /// tell more.
  package func mayFollow(_ old: CollectionRecord) -> Bool {
    guard revision != old.revision else { return isSameState(as: old) }
    guard revision > old.revision, dataVersion >= old.dataVersion else { return false }
    return dataVersion > old.dataVersion || lineage == old.lineage
  }

  /// This record with the numbers and times of a newer one of the same collection.
  func renumbered(by newer: CollectionRecord) -> CollectionRecord {
    var record = self
    record.dataVersion = newer.dataVersion
    record.revision = newer.revision
    record.lineage = newer.lineage
    record.sectionCount = newer.sectionCount
    record.itemCount = newer.itemCount
    record.createTime = newer.createTime
    record.updateTime = newer.updateTime
    return record
  }
}
