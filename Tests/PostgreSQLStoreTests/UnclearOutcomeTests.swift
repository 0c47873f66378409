// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting
import Synchronization
import Testing

/// Writes whose answer was lost with the connection.
@Suite("Writes whose outcome is unclear", .timeLimit(.minutes(1)))
struct UnclearOutcomeTests {
  /// A storage that loses the connection around a write: before it, or after it was done.
  private final class LosingStorage: ForwardingStorage, SharedLog {
    enum Loss: CaseIterable, Sendable {
      case before, after
    }

    let memory: MemoryStorage
    /// nil = the connection holds.
    let loss = Mutex<Loss?>(nil)

    init(_ memory: MemoryStorage) { self.memory = memory }

    private func losing(_ write: () async throws -> Void) async throws {
      let loss = loss.withLock { loss in
        defer { loss = nil }
        return loss
      }
      if loss != .before { try await write() }
      if loss != nil { throw StorageFault(.unclear, "the connection was lost") }
    }

    func create(_ record: CollectionRecord, snapshot: ContentsSnapshot?) async throws {
      try await losing { try await memory.create(record, snapshot: snapshot) }
    }

    func update(_ record: CollectionRecord, after old: CollectionRecord) async throws {
      try await losing { try await memory.update(record, after: old) }
    }

    func replace(
      _ snapshot: ContentsSnapshot,
      record: CollectionRecord,
      after old: CollectionRecord,
      batch: StoredBatch?,
      retention: LogRetention
    ) async throws {
      try await losing {
        try await memory.replace(
          snapshot,
          record: record,
          after: old,
          batch: batch,
          retention: retention
        )
      }
    }

    func delete(
      _ id: String,
      incarnation: UInt64,
      revision: UInt64?,
      itemCount: Int
    ) async throws {
      try await losing {
        try await memory.delete(
          id,
          incarnation: incarnation,
          revision: revision,
          itemCount: itemCount
        )
      }
    }
  }

  private let storage = LosingStorage(MemoryStorage(keepsContents: true))
  private let registry: CollectionRegistry

  init() async throws {
    registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
  }

  private func create() async throws -> LiveCollection {
    try await registry.create(CollectionRecord(id: "a"), contents: TestCodec.contents([[1]]))
  }

  /// Loses the connection during a write.
  ///
  /// - Returns: whether the write succeeded.
  private func write(
    losing loss: LosingStorage.Loss,
    _ body: () async throws -> Void
  ) async throws -> Bool {
    storage.loss.withLock { $0 = loss }
    do { try await body() } catch let error as StoreError {
      guard case .storage(let fault) = error else { throw error }
      #expect((fault as? StorageFault)?.kind == .unclear)
      return false
    }
    return true
  }

  @Test("new contents that were stored are there, others are refused", arguments: [true, false])
  func replacing(isStored: Bool) async throws {
    let collection = try await create()
    let contents = TestCodec.contents([[2, 3]])
    let succeeded = try await write(losing: isStored ? .after : .before) {
      _ = try await collection.replaceContents(with: contents, expectedDataVersion: 0) { _ in [7] }
    }
    #expect(succeeded == isStored)
    #expect(collection.heights == (isStored ? [[2, 3]] : [[1]]))
    try await collection.commit(.append(0))
    #expect(collection.heights.first?.count == (isStored ? 3 : 2))
  }

  @Test("a record that was stored is there, another is refused", arguments: [true, false])
  func updating(isStored: Bool) async throws {
    let collection = try await create()
    let succeeded = try await write(losing: isStored ? .after : .before) {
      _ = try await collection.updateRecord { $0.displayName = "new" }
    }
    #expect(succeeded == isStored)
    #expect(collection.snapshot.record.displayName == (isStored ? "new" : ""))
  }

  @Test("a collection that was created is there, another is not", arguments: [true, false])
  func creating(isStored: Bool) async throws {
    let succeeded = try await write(losing: isStored ? .after : .before) { _ = try await create() }
    #expect(succeeded == isStored)
    if !isStored { _ = try await create() }
    #expect(try await registry.collection("a").heights == [[1]])
  }

  @Test("a collection that was deleted is gone, another is there", arguments: [true, false])
  func deleting(isStored: Bool) async throws {
    _ = try await create()
    let succeeded = try await write(losing: isStored ? .after : .before) {
      try await registry.delete("a")
    }
    #expect(succeeded == isStored)
    #expect(registry.records(after: "", limit: 9).isEmpty == isStored)
  }

  @Test("so is one whose contents nobody has looked at since the start", arguments: [true, false])
  func deletingUnread(isStored: Bool) async throws {
    _ = try await create()
    let later = CollectionRegistry(storage: storage, codec: TestCodec())
    try await later.load()
    let succeeded = try await write(losing: isStored ? .after : .before) {
      try await later.delete("a")
    }
    #expect(succeeded == isStored)
    #expect(later.records(after: "", limit: 9).isEmpty == isStored)
  }
}
