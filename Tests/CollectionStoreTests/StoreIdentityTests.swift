// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import GRDB
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

@Suite("StoreIdentity", .timeLimit(.minutes(1)))
struct StoreIdentityTests {
  @Test("what was read takes the place of a record only if that has not changed meanwhile")
  func comparedRecords() {
    let first = CollectionRecord(id: "a")
    func record(_ version: UInt64) -> CollectionRecord {
      var record = first
      record.dataVersion = version
      record.revision = version + 1
      return record
    }
    let cell = RecordCell(record(9))
    let identity = cell.identity
    // Somebody loads the collection at a newer version.
    cell.replace(by: record(11))
    let newer = cell.identity
    #expect(newer != identity)
    #expect(!cell.replace(record(9), by: record(10)))
    #expect(cell.value.dataVersion == 11 && cell.identity == newer)
    #expect(cell.replace(record(11), by: record(12)))
    #expect(cell.value.dataVersion == 12)
  }

  private let files = FileManager.default

  /// Opens the store and commits a batch to its collection, which it creates first.
  ///
  /// - Returns: the collection's incarnation.
  @discardableResult
  private func use(
    _ store: TemporaryStore,
    _ body: (SQLiteStorage) throws -> Void = { _ in }
  ) async throws -> UInt64 {
    let storage = try SQLiteStorage(path: store.path)
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    if registry.count == 0 {
      _ = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    }
    let collection = try await registry.collection("a")
    _ = try await collection.commit(TestOperation(.insertSection, count: 1, seed: 1))
    try body(storage)
    try storage.close()
    return collection.incarnation
  }

  private func remove(_ store: TemporaryStore, _ suffixes: String...) {
    for suffix in suffixes { try? files.removeItem(atPath: store.path + suffix) }
  }

  /// Replaces the file by the backup, through a new file or in place.
  private func restore(_ store: TemporaryStore, _ backup: [UInt8], inPlace: Bool) throws {
    if !inPlace { remove(store, "") }
    remove(store, "-wal", "-shm")
    if inPlace {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(backup))
      try file.close()
    } else {
      try Data(backup).write(to: URL(fileURLWithPath: store.path))
    }
  }

  @Test("stopping and starting again changes no incarnation")
  func restarting() async throws {
    let store = try TemporaryStore()
    let first = try await use(store)
    for _ in 0 ..< 3 { #expect(try await use(store) == first) }
  }

  @Test("a copy that was made while no server ran is known", arguments: [true, false])
  func coldBackup(inPlace: Bool) async throws {
    let store = try TemporaryStore()
    let first = try await use(store)
    let backup = try store.bytes()
    #expect(try await use(store) == first)
    try restore(store, backup, inPlace: inPlace)
    let second = try await use(store)
    #expect(second != first)
    #expect(try await use(store) == second)
  }

  @Test("so is one that was made while a server ran", arguments: [true, false])
  func hotBackup(inPlace: Bool) async throws {
    let store = try TemporaryStore()
    try await use(store)
    var backup: [UInt8] = []
    let first = try await use(store) { storage in
      try storage.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      backup = try store.bytes()
    }
    try restore(store, backup, inPlace: inPlace)
    #expect(try await use(store) != first)
  }

  @Test("a log without its database is not dropped", arguments: [true, false])
  func logWithoutDatabase(isRemoved: Bool) async throws {
    let (store, copy) = (try TemporaryStore(), try TemporaryStore())
    try await use(store) { _ in
      // The files as a crash leaves them: all is in the log.
      for suffix in ["", "-wal", ".lock"] {
        try files.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
      }
    }
    let main = try copy.bytes()
    if isRemoved {
      remove(copy, "")
    } else {
      try Data().write(to: URL(fileURLWithPath: copy.path))
    }
    let log = try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal"))
    #expect(!log.isEmpty)
    for _ in 0 ..< 2 {
      let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: copy.path) }
      #expect(fault?.kind == .damaged)
      #expect(fault?.description.contains("\(copy.path)-wal holds \(log.count) bytes") == true)
      #expect(files.fileExists(atPath: copy.path) == !isRemoved)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path + "-wal")) == log)
    // Once the file is back, all is there.
    try Data(main).write(to: URL(fileURLWithPath: copy.path))
    try await copy.open { registry in
      let version = try await registry.collection("a").dataVersion
      #expect(version == 1)
    }
    // Without the log and the lock file the store begins empty.
    try Data().write(to: URL(fileURLWithPath: copy.path))
    remove(copy, "-wal", "-shm", ".lock")
    try await copy.open { registry in #expect(registry.count == 0) }
  }

  @Test(
    "a lock file whose database is gone keeps the server from starting",
    arguments: [true, false]
  )
  func lockWithoutDatabase(isRemoved: Bool) async throws {
    let store = try TemporaryStore()
    try await use(store)
    let main = try store.bytes()
    remove(store, "")
    if !isRemoved { try Data().write(to: URL(fileURLWithPath: store.path)) }
    for _ in 0 ..< 2 {
      let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: store.path) }
      #expect(fault?.kind == .damaged)
      #expect(fault?.description.contains("\(store.path).lock names the database") == true)
      // A refusal makes no file.
      #expect(files.fileExists(atPath: store.path) == !isRemoved)
    }
    try Data(main).write(to: URL(fileURLWithPath: store.path))
    try await store.open { registry in #expect(registry.count == 1) }
    remove(store, "", ".lock")
    try await store.open { registry in #expect(registry.count == 0) }
  }

  @Test("a link to a database that is gone is found out too")
  func linkWithoutDatabase() async throws {
    let (store, link) = (try TemporaryStore(), try TemporaryStore())
    try await use(store) { _ in
      try files.copyItem(atPath: store.path + "-wal", toPath: link.folder + "/target-wal")
    }
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: link.folder + "/target")
    let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: link.path) }
    #expect(fault?.description.contains("/target-wal holds ") == true)
  }

  @Test("a file without the one beside it is taken for a copy")
  func withoutNote() async throws {
    let store = try TemporaryStore()
    let first = try await use(store)
    remove(store, ".lock")
    let second = try await use(store)
    #expect(second != first)
    try Data("17\nnonsense\n".utf8).write(to: URL(fileURLWithPath: store.path + ".lock"))
    #expect(try await use(store) != second)
  }

  /// Leaves the files of a store as a crash does, other than the log.
  ///
  /// - Returns: the collection's incarnation, and the log that was there.
  private func crash(_ store: TemporaryStore) async throws -> (incarnation: UInt64, log: Data) {
    var (main, log, note) = ([UInt8](), Data(), Data())
    let incarnation = try await use(store) { storage in
      // What the store does in the background must not come between the files.
      var isSame = false
      while !isSame {
        let before = (note, main, log)
        note = try Data(contentsOf: URL(fileURLWithPath: store.path + ".lock"))
        main = try store.bytes()
        log = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
        isSame = before == (note, main, log)
      }
    }
    try restore(store, main, inPlace: true)
    try note.write(to: URL(fileURLWithPath: store.path + ".lock"))
    return (incarnation, log)
  }

  @Test("after a crash the log is read if it is the one that was there")
  func keptLog() async throws {
    let store = try TemporaryStore()
    try await use(store)
    let (first, log) = try await crash(store)
    try log.write(to: URL(fileURLWithPath: store.path + "-wal"))
    // The log's inode is another now, so the note is told that one.
    let note = try Data(contentsOf: URL(fileURLWithPath: store.path + ".lock"))
    var identity = try #require(
      StoreIdentity(line: String(decoding: note.drop { $0 != 10 }.dropFirst(), as: UTF8.self))
    )
    identity.logInode = FileStatus(path: store.path + "-wal")?.key.inode
    try Data("1\n\(identity.line)\n".utf8).write(to: URL(fileURLWithPath: store.path + ".lock"))
    #expect(try await use(store) == first)
  }

  @Test("a copy of a crashed store is not opened without its log, or with a part of it")
  func copiedWithoutLog() async throws {
    let store = try TemporaryStore()
    try await use(store)
    let (first, log) = try await crash(store)
    let main = try store.bytes()
    let copy = try TemporaryStore()
    try Data(main).write(to: URL(fileURLWithPath: copy.path))
    try files.copyItem(atPath: store.path + ".lock", toPath: copy.path + ".lock")
    let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: copy.path) }
    #expect(fault?.kind == .damaged && fault?.description.contains("copy its log too") == true)
    let copiedLog = copy.path + "-wal"
    try log.write(to: URL(fileURLWithPath: copiedLog))
    // The inode of the log that is gone may be used again, and this would be taken for that one.
    let noted = try Data(contentsOf: URL(fileURLWithPath: copy.path + ".lock"))
    let line = String(decoding: noted.drop { $0 != 10 }.dropFirst(), as: UTF8.self)
    if FileStatus(path: copiedLog)?.key.inode == StoreIdentity(line: line)?.logInode {
      try files.moveItem(atPath: copiedLog, toPath: copy.path + ".kept")
      try log.write(to: URL(fileURLWithPath: copiedLog))
    }
    try await copy.open { registry in
      let record = try registry.record("a")
      #expect(record.dataVersion == 2 && record.incarnation != first)
    }
  }

  @Test(
    "after a crash without its log the store is not opened, since batches are missing",
    arguments: [true, false],
    [true, false]
  )
  func lostLog(isNew: Bool, isRemoved: Bool) async throws {
    let store = try TemporaryStore()
    if !isNew { try await use(store) }
    let (first, log) = try await crash(store)
    if !isRemoved { try Data().write(to: URL(fileURLWithPath: store.path + "-wal")) }
    let main = try store.bytes()
    for _ in 0 ..< 2 {
      let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: store.path) }
      #expect(fault?.kind == .damaged)
      #expect(fault?.description.contains("\(store.path)-wal is missing or empty") == true)
    }
    #expect(try store.bytes() == main)
    if isRemoved {
      try log.write(to: URL(fileURLWithPath: store.path + "-wal"))
    } else {
      remove(store, ".lock")
    }
    try await store.open { registry in
      // A new file has nothing but its first page.
      guard isRemoved || !isNew else { return #expect(registry.count == 0) }
      let record = try registry.record("a")
      #expect(record.dataVersion == (isNew || !isRemoved ? 1 : 2))
      if !isRemoved { #expect(record.incarnation != first) }
    }
  }

  @Test("a store of an older version keeps its incarnations when it comes up to date")
  func upgrade() async throws {
    let store = try TemporaryStore()
    try store.edit(FirstSchemaFile.sql)
    try await store.open { registry in
      let incarnation = try registry.record("c0").incarnation
      #expect(incarnation == UInt64(bitPattern: -4_122_406_766_683_171_088))
    }
  }

  @Test("what is noted is read as it was written, and nothing else is")
  func lines() {
    for identity in [
      StoreIdentity(tokens: ["a1", "b2"], inode: .max, logInode: nil, isClosed: true),
      StoreIdentity(tokens: [], inode: 0, logInode: 7, isClosed: false),
      StoreIdentity(tokens: ["x"], inode: 1, logInode: .max, isClosed: false),
    ] {
      #expect(StoreIdentity(line: identity.line) == identity)
      #expect(StoreIdentity(line: identity.line + "\nmore") == identity)
    }
    let line = StoreIdentity(tokens: ["a"], inode: 1, logInode: 2, isClosed: false).line
    for count in 0 ..< line.count {
      #expect(StoreIdentity(line: String(line.prefix(count))) == nil)
    }
    for text in ["", "identity-1 a 1 2 ajar", "identity-1 a -1 2 open", "identity-2 a 1 2 open"] {
      #expect(StoreIdentity(line: text) == nil)
    }
  }

  @Test("the secret stays for good, whatever happens to the process; another store has another")
  func secrets() async throws {
    let (store, other) = (try TemporaryStore(), try TemporaryStore())
    let secrets = Mutex<Set<[UInt8]>>([])
    for _ in 0 ..< 3 {
      try await use(store) { storage in _ = secrets.withLock { $0.insert(storage.secret) } }
    }
    #expect(secrets.withLock { $0.count } == 1)
    try await use(other) { storage in _ = secrets.withLock { $0.insert(storage.secret) } }
    #expect(secrets.withLock { $0.count } == 2)
    #expect(secrets.withLock { $0 }.allSatisfy { $0.count == 32 })
    #expect(MemoryStorage().secret != MemoryStorage().secret)
  }

  @Test("a damaged secret is reported and made anew")
  func damagedSecret() async throws {
    let store = try TemporaryStore()
    try await use(store)
    try store.edit("UPDATE property SET value = x'00' WHERE name = 'secret'")
    let reports = Mutex<[String]>([])
    let storage = try SQLiteStorage(path: store.path) { fault in
      reports.withLock { $0.append("\(fault)") }
    }
    #expect(storage.secret.count == 32)
    #expect(reports.withLock { $0 } == ["the store's secret differs from what was written"])
    try storage.close()
  }

  @Test("a collection that is missing from the file is noticed at the start, once")
  func missingCollection() async throws {
    let store = try TemporaryStore()
    try await use(store)
    try await store.open { registry in
      for id in ["b", "c"] {
        _ = try await registry.create(CollectionRecord(id: id), contents: .empty)
      }
      try await registry.delete("c")
    }
    try store.edit("DELETE FROM collection WHERE id = 'a'")
    for round in 0 ..< 2 {
      let reports = Mutex<[String]>([])
      let storage = try SQLiteStorage(path: store.path) { fault in
        reports.withLock { $0.append("\(fault)") }
      }
      try storage.close()
      let text =
        "the list of collections differs from what was written: 1 are there, 2 were stored"
      #expect(reports.withLock { $0 } == (round == 0 ? [text] : []))
    }
  }

  @Test("a collection that is created anew has another incarnation, which watchers can ask about")
  func recreated() async throws {
    let registry = CollectionRegistry(storage: MemoryStorage(), codec: TestCodec())
    let first = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    let operation = TestOperation(.insertSection, count: 1, seed: 1)
    _ = try await first.commit(operation)
    try await registry.delete("a")
    let second = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    for _ in 0 ..< 3 { _ = try await second.commit(operation) }
    #expect(first.incarnation != second.incarnation)
    func isConflict(_ error: any Error) -> Bool {
      if case StoreError.incarnationConflict(first.incarnation, second.incarnation) = error {
        true
      } else {
        false
      }
    }
    #expect {
      _ = try second.history(after: 1, limit: 1, incarnation: first.incarnation)
    } throws: { isConflict($0) }
    await #expect {
      _ = try await second.commit(operation.batch(), incarnation: first.incarnation) { [] }
    } throws: { isConflict($0) }
    await #expect {
      _ = try await second.replaceContents(
        with: .empty,
        expectedDataVersion: nil,
        incarnation: first.incarnation
      ) { _ in nil }
    } throws: { isConflict($0) }
    #expect(second.dataVersion == 3)
    let found = try second.history(after: 1, limit: 9, incarnation: second.incarnation)
    #expect(found.map(\.version) == [2, 3])
  }
}
