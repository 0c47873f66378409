// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import GRDB
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

/// The file is taken away, or the disk fills up, while a server uses it.
@Suite("FileGuard", .timeLimit(.minutes(1)))
struct FileGuardTests {
  private struct Server {
    var store: TemporaryStore
    var storage: SQLiteStorage
    var registry: CollectionRegistry
    var collection: LiveCollection
    var reports: Reports

    func commit() async throws {
      _ = try await collection.commit(TestOperation(.insertSection, count: 5, seed: 1))
    }

    /// What the periodic check finds.
    func checkUp() async -> Bool {
      await withCheckedContinuation { continuation in
        storage.checkUp { continuation.resume(returning: $0) }
      }
    }
  }

  private final class Reports: Sendable {
    private let found = Mutex<[StorageFault.Kind]>([])
    var kinds: [StorageFault.Kind] { found.withLock { $0 } }
    func add(_ fault: StorageFault) { found.withLock { $0.append(fault.kind) } }
  }

  private func makeServer(
    freeBytes: @escaping @Sendable (String) -> Int64? = { _ in nil },
    pieceBytes: Int = 2 << 20
  ) async throws -> Server {
    let (store, reports) = (try TemporaryStore(), Reports())
    let storage = try SQLiteStorage(
      path: store.path,
      pieceBytes: pieceBytes,
      system: StorageSystem(freeBytes: freeBytes, checkInterval: nil)
    ) { reports.add($0) }
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(snapshotBatchCount: 4)
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    let server = Server(
      store: store,
      storage: storage,
      registry: registry,
      collection: collection,
      reports: reports
    )
    for _ in 0 ..< 3 { try await server.commit() }
    return server
  }

  enum Deed: CaseIterable, Sendable {
    case removeFile, removeLog, replaceFile, replaceLog, cutFile, cutLog

    func perform(_ path: String) throws {
      let files = FileManager.default
      let target =
        switch self {
        case .removeFile, .replaceFile, .cutFile: path
        case .removeLog, .replaceLog, .cutLog: path + "-wal"
        }
      switch self {
      case .removeFile, .removeLog: try files.removeItem(atPath: target)
      case .replaceFile, .replaceLog:
        try files.copyItem(atPath: target, toPath: target + ".copy")
        try files.removeItem(atPath: target)
        try files.moveItem(atPath: target + ".copy", toPath: target)
      case .cutFile, .cutLog:
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: target))
        try file.truncate(atOffset: 0)
        try file.close()
      }
    }
  }

  @Test("a link that leads to another file is noticed before the next acknowledgement")
  func link() async throws {
    let (store, files) = (try TemporaryStore(), FileManager.default)
    let (link, other) = (store.path + ".link", store.path + ".other")
    try Data().write(to: URL(fileURLWithPath: other))
    let reports = Reports()
    let storage = try SQLiteStorage(path: store.path) { reports.add($0) }
    try storage.close()
    try files.createSymbolicLink(atPath: link, withDestinationPath: store.path)
    let linked = try SQLiteStorage(path: link) { reports.add($0) }
    let registry = CollectionRegistry(storage: linked, codec: TestCodec())
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: link, withDestinationPath: other)
    let commit = TestOperation(.insertSection, count: 5, seed: 1)
    #expect(
      await Finding.of { _ = try await collection.commit(commit) } == .storage(.fileChanged)
    )
    // Nothing was written, so the server goes on once the link is back.
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: link, withDestinationPath: store.path)
    _ = try await collection.commit(commit)
    #expect(collection.dataVersion == 1)
    try linked.close()
  }

  @Test(
    "a file or log that is removed, replaced or cut is noticed before the next acknowledgement",
    arguments: Deed.allCases
  )
  func deeds(_ deed: Deed) async throws {
    let server = try await makeServer()
    if deed == .cutFile {
      // Until then all is in the log, and the file may be as small.
      try await server.storage.pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
      try await server.commit()
      // The fourth batch makes a snapshot due, which would notice the change before the next batch.
      server.storage.finishBackgroundWork()
    }
    let version = server.collection.dataVersion
    #expect(server.storage.health.fault == nil)
    try deed.perform(server.store.path)
    for _ in 0 ..< 3 {
      #expect(await Finding.of { try await server.commit() } == .storage(.fileChanged))
      let created = await Finding.of {
        _ = try await server.registry.create(CollectionRecord(id: "b"), contents: .empty)
      }
      #expect(created == .storage(.fileChanged))
    }
    #expect(server.collection.dataVersion == version)
    #expect(server.storage.health.fault?.kind == .fileChanged)
    #expect(server.reports.kinds == [.fileChanged])
    #expect(await !server.checkUp())
    try? server.storage.close()
  }

  @Test("a database that is cut during a commit is noticed at its end, unless SQLite cut it")
  func cutDatabaseDuringCommit() throws {
    let (store, guarding) = try makeGuardedFiles(bytes: 3 * 4096)
    defer { withExtendedLifetime(store) {} }
    try guarding.check()
    try cut(store.path, to: 2 * 4096)
    try guarding.confirm { 2 * 4096 }
    try guarding.check()
    try cut(store.path, to: 4096)
    #expect(throws: StorageFault.self) { try guarding.confirm { 2 * 4096 } }
    #expect(throws: StorageFault.self) { try guarding.check() }
  }

  @Test("a database that became smaller and cannot be asked for its size is taken for cut")
  func cutUnreadableDatabase() throws {
    let (store, guarding) = try makeGuardedFiles(bytes: 4096)
    defer { withExtendedLifetime(store) {} }
    try cut(store.path, to: 0)
    #expect(throws: StorageFault.self) {
      try guarding.confirm { throw StorageFault(.damaged, "not a database") }
    }
  }

  @Test("a log that is cut during a commit is noticed at its end, unless SQLite cut it")
  func cutLogDuringCommit() throws {
    let limit = FileGuard.logSizeLimit
    let (store, guarding) = try makeGuardedFiles(bytes: limit + 4096)
    defer { withExtendedLifetime(store) {} }
    let log = FileGuard.log(of: store.path)
    try cut(log, to: limit)
    try guarding.confirm { nil }
    try guarding.check()
    try cut(log, to: limit - 1)
    #expect(throws: StorageFault.self) { try guarding.confirm { nil } }
    #expect(throws: StorageFault.self) { try guarding.check() }
  }

  /// A database and a log of so many bytes, without blocks on the disk.
  private func makeGuardedFiles(bytes: Int64) throws -> (TemporaryStore, FileGuard) {
    let store = try TemporaryStore()
    for path in [store.path, FileGuard.log(of: store.path)] {
      try Data().write(to: URL(fileURLWithPath: path))
      try cut(path, to: bytes)
    }
    return (store, try FileGuard(path: store.path))
  }

  private func cut(_ path: String, to bytes: Int64) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: UInt64(bytes))
    try file.close()
  }

  @Test("it is noticed while nothing is written too, and passes when the file is put back")
  func puttingBack() async throws {
    let server = try await makeServer()
    let changes = Mutex(0)
    let observation = server.storage.health.observe { changes.withLock { $0 += 1 } }
    #expect(await server.checkUp())
    #expect(changes.withLock { $0 } == 0)
    let files = FileManager.default
    try files.moveItem(atPath: server.store.path, toPath: server.store.path + ".away")
    #expect(await !server.checkUp())
    #expect(server.storage.health.fault?.kind == .fileChanged)
    #expect(changes.withLock { $0 } == 1)
    try files.moveItem(atPath: server.store.path + ".away", toPath: server.store.path)
    #expect(await server.checkUp())
    #expect(server.storage.health.fault == nil)
    #expect(changes.withLock { $0 } == 2)
    try await server.commit()
    server.storage.health.remove(observation)
    try server.storage.close()
    try await server.store.open { registry in
      let version = try await registry.collection("a").dataVersion
      #expect(version == 4)
    }
  }

  @Test("batches that were lost with a cut log are not taken for others after a restart")
  func newIncarnation() async throws {
    let server = try await makeServer()
    let incarnation = server.collection.incarnation
    try Deed.removeLog.perform(server.store.path)
    #expect(await Finding.of { try await server.commit() } == .storage(.fileChanged))
    try? server.storage.close()
    let storage = try SQLiteStorage(path: server.store.path)
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    #expect(try registry.record("a").incarnation != incarnation)
    try storage.close()
  }

  @Test(
    "a database that was replaced or moved away does not take its log along when the server stops",
    arguments: [true, false]
  )
  func stoppedBesidesAnotherFile(isReplaced: Bool) async throws {
    let server = try await makeServer()
    let (path, files) = (server.store.path, FileManager.default)
    try files.moveItem(atPath: path, toPath: path + ".before")
    if isReplaced { try files.copyItem(atPath: path + ".before", toPath: path) }
    #expect(await Finding.of { try await server.commit() } == .storage(.fileChanged))
    try server.storage.close()
    let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    #expect(!log.isEmpty)
    for _ in 0 ..< 2 {
      let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: path) }
      #expect(fault?.kind == .damaged)
      #expect(
        fault?.description.contains(isReplaced ? "was replaced by another" : "is missing or empty")
          == true
      )
    }
    if isReplaced { try files.removeItem(atPath: path) }
    try files.moveItem(atPath: path + ".before", toPath: path)
    try await server.store.open { registry in
      let version = try await registry.collection("a").dataVersion
      #expect(version == server.collection.dataVersion)
    }
  }

  @Test("a log that was removed is missed by the next start, if the server is killed then")
  func killedWithoutLog() async throws {
    let server = try await makeServer()
    try Deed.removeLog.perform(server.store.path)
    #expect(await Finding.of { try await server.commit() } == .storage(.fileChanged))
    // The note of a server that was killed, after which nothing is moved from the log to the file.
    let note = try Data(contentsOf: URL(fileURLWithPath: server.store.path + ".lock"))
    let main = try server.store.bytes()
    try? server.storage.close()
    try server.store.overwrite(with: main)
    try note.write(to: URL(fileURLWithPath: server.store.path + ".lock"))
    let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: server.store.path) }
    #expect(fault?.description.contains("batches that were acknowledged are missing") == true)
  }

  @Test("a large import leaves the last of the disk to small commits, and leaves nothing behind")
  func nearlyFullDisk() async throws {
    let box = FreeBytes(64 << 20)
    let server = try await makeServer(freeBytes: { _ in box.bytes }, pieceBytes: 16 << 10)
    let large = TestOperation(.replace, count: 100_000, seed: 1).contents
    func replace() async -> Finding? {
      await Finding.of {
        _ = try await server.collection.replaceContents(
          with: large,
          expectedDataVersion: nil
        ) { _ in nil }
      }
    }
    box.bytes = 10 << 20
    for _ in 0 ..< 2 {
      #expect(await replace() == .storage(.diskNearlyFull))
      try await server.commit()
    }
    #expect(server.reports.kinds.first == .diskNearlyFull)
    // The server as a whole is as well as it was.
    #expect(server.storage.health.fault == nil)
    box.bytes = 64 << 20
    #expect(await replace() == nil)
    server.storage.finishBackgroundWork()
    try server.storage.close()
    #expect(try server.store.number("SELECT count(*) FROM garbage") == 0)
    #expect(
      try server.store.number("SELECT count(*) FROM chunk")
        == server.store.number("SELECT chunk_count FROM snapshot")
    )
  }

  @Test("a storage that failed is well again by itself, with nobody writing")
  func recovery() async throws {
    let server = try await makeServer()
    try await server.storage.pool.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA query_only = ON")
    }
    #expect(await Finding.of { try await server.commit() } == .storage(.readOnly))
    #expect(server.storage.health.fault?.kind == .readOnly)
    #expect(await !server.checkUp())
    try await server.storage.pool.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA query_only = OFF")
    }
    #expect(await server.checkUp())
    #expect(server.storage.health.fault == nil)
    #expect(server.reports.kinds == [.readOnly])
    try server.storage.close()
  }

  @Test("closing gives up imports, and everything fails afterwards")
  func closing() async throws {
    let server = try await makeServer(pieceBytes: 4 << 10)
    let (pieces, piece) = AsyncStream<Void>.makeStream()
    let codec = SignallingCodec { piece.yield() }
    let registry = CollectionRegistry(storage: server.storage, codec: codec)
    try await registry.load()
    let collection = try await registry.collection("a")
    let large = TestOperation(.replace, count: 1_000_000, seed: 1).contents
    async let finding = Finding.of {
      _ = try await collection.replaceContents(with: large, expectedDataVersion: nil) { _ in nil }
    }
    for await _ in pieces { break }
    try server.storage.close()
    #expect(await finding == .storage(.closed))
    #expect(await Finding.of { try await server.commit() } == .storage(.closed))
    #expect(server.reports.kinds.isEmpty)
    try server.storage.close()
    try await server.store.open { registry in
      let collection = try await registry.collection("a")
      #expect(collection.dataVersion == 3)
      #expect(collection.heights == server.collection.heights)
    }
    #expect(try server.store.number("SELECT count(*) FROM garbage") == 0)
  }

  /// Tells of each chunk that it encodes.
  private struct SignallingCodec: ContentsCodec {
    let codec = TestCodec()
    let signal: @Sendable () -> Void

    init(_ signal: @escaping @Sendable () -> Void) { self.signal = signal }

    func encode(_ section: SectionContents) throws -> [UInt8] { codec.encode(section) }
    func decodeSection(_ bytes: [UInt8]) throws -> SectionContents {
      try codec.decodeSection(bytes)
    }
    func encode(_ items: ItemBlock) throws -> [UInt8] {
      signal()
      return codec.encode(items)
    }
    func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock { try codec.decodeItems(bytes) }
    func makeDecoder() throws -> any ContentsDecoder { codec.makeDecoder() }
    func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch { try codec.decodeBatch(payload) }
  }
}
