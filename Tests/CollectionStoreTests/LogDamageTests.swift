// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import GRDB
import StoreTesting
import TestSupport
import Testing

@testable import CollectionStore

/// The write-ahead log of a server that was killed is damaged before the next start.
@Suite("Damaged logs", .timeLimit(.minutes(3)))
struct LogDamageTests {
  private static let collectionCount = 5

  /// The files of a server that was killed while it stored one batch more than it acknowledged.
  private struct Files {
    var main: [UInt8]
    var log: [UInt8]
    /// Of the log up to the last acknowledged batch.
    var acknowledgedBytes: Int
    var acknowledgedCount: Int
    /// The lock file at that time.
    var note: String

    /// The files of a store that is open, before `last` and after it.
    init(_ store: TemporaryStore, count: Int, _ last: () async throws -> Void) async throws {
      note = String(decoding: try Self.read(store, ".lock"), as: UTF8.self)
      (acknowledgedBytes, acknowledgedCount) = (try Self.read(store, "-wal").count, count)
      try await last()
      (main, log) = (try Self.read(store, ""), try Self.read(store, "-wal"))
    }

    private static func read(_ store: TemporaryStore, _ suffix: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: store.path + suffix)))
    }

    /// Puts the files in place, as if the server had been killed there.
    func place(in store: TemporaryStore, log: [UInt8]) throws {
      try store.overwrite(with: main)
      try Data(log).write(to: URL(fileURLWithPath: store.path + "-wal"))
      let lines = note.split(separator: "\n", maxSplits: 1).map(String.init)
      var identity = try #require(StoreIdentity(line: lines[1]))
      identity.inode = try #require(FileStatus(path: store.path)).key.inode
      identity.logInode = try #require(FileStatus(path: store.path + "-wal")).key.inode
      let rest = lines[1].drop { $0 != "\n" }
      try Data("1\n\(identity.line)\(rest)".utf8)
        .write(to: URL(fileURLWithPath: store.path + ".lock"))
    }
  }

  private func makeFiles(seed: UInt64, batches: Int = 60) async throws -> Files {
    let store = try TemporaryStore()
    let storage = try SQLiteStorage(path: store.path)
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    var collections: [LiveCollection] = []
    for index in 0 ..< Self.collectionCount {
      let record = CollectionRecord(id: "c\(index)")
      collections.append(try await registry.create(record, contents: .empty))
    }
    var generator = SplitMix64(seed: seed)
    for index in 0 ..< batches {
      let operation = TestOperation(.insertSection, count: 5, seed: generator.below(1000))
      _ = try await collections[index % collections.count].commit(operation)
    }
    storage.finishBackgroundWork()
    let files = try await Files(store, count: batches) {
      _ = try await collections[0].commit(TestOperation(.insertSection, count: 500, seed: 1))
    }
    try storage.close()
    return files
  }

  /// How many batches a store has; nil = it refuses to start, and leaves the files as they are.
  private func batches(in store: TemporaryStore, log: [UInt8]) async throws -> Int? {
    do {
      return try await store.open { registry in
        registry.records(after: "", limit: 99).reduce(0) { $0 + Int($1.dataVersion) }
      }
    } catch let fault as StorageFault {
      #expect(fault.kind == .damaged)
      for word in ["\(store.path)-wal", "truncate -s", "restore a backup"] {
        #expect(fault.description.contains(word), "\(fault)")
      }
      let left = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
      #expect(Array(left) == log)
      return nil
    }
  }

  enum Damage: CaseIterable, Sendable {
    case bit, zeros, noise, cut

    func apply(to log: inout [UInt8], using generator: inout SplitMix64) {
      let place = generator.below(log.count)
      let end = min(log.count, place + 4096)
      switch self {
      case .bit: log[place] ^= 1 << UInt8(generator.below(8))
      case .zeros: for index in place ..< end { log[index] = 0 }
      case .noise:
        for index in place ..< end { log[index] = UInt8(truncatingIfNeeded: generator.next()) }
      case .cut: log.removeSubrange(place...)
      }
    }
  }

  @Test(
    "all acknowledged batches are there, or the store refuses to start",
    arguments: Damage.allCases,
    0 ..< 2 as Range<UInt64>
  )
  func damage(_ damage: Damage, seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let files = try await makeFiles(seed: seed)
    let store = try TemporaryStore()
    var refusals = 0
    for round in 0 ..< 20 {
      var log = files.log
      damage.apply(to: &log, using: &generator)
      try files.place(in: store, log: log)
      if let found = try await batches(in: store, log: log) {
        #expect(found >= files.acknowledgedCount, "seed \(seed), round \(round)")
      } else {
        refusals += 1
      }
    }
    #expect(refusals > 10)
  }

  @Test("each byte of the log's header and of the first frame's matters")
  func headers() async throws {
    let files = try await makeFiles(seed: 3, batches: 5)
    let store = try TemporaryStore()
    for index in 0 ..< 56 {
      var log = files.log
      log[index] ^= 0x10
      try files.place(in: store, log: log)
      let found = try await batches(in: store, log: log)
      #expect(found == nil, "byte \(index)")
    }
  }

  @Test(
    "what a crash has torn is dropped, and the store starts, again and again",
    arguments: 0 ..< 3
  )
  func torn(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    var files = try await makeFiles(seed: seed)
    for round in 0 ..< 4 {
      let store = try TemporaryStore()
      for _ in 0 ..< 6 {
        try files.place(in: store, log: torn(files, using: &generator))
        let found = try await batches(in: store, log: [])
        let count = files.acknowledgedCount
        #expect(found == count || found == count + 1, "seed \(seed), round \(round)")
      }
      // A server starts from what was torn, and is killed as well.
      try files.place(in: store, log: torn(files, using: &generator))
      let storage = try SQLiteStorage(path: store.path)
      let registry = CollectionRegistry(storage: storage, codec: TestCodec())
      try await registry.load()
      let collection = try await registry.collection("c1")
      for _ in 0 ..< 3 {
        _ = try await collection.commit(TestOperation(.insertSection, count: 1, seed: 1))
      }
      storage.finishBackgroundWork()
      let records = registry.records(after: "", limit: 99)
      let count = records.reduce(0) { $0 + Int($1.dataVersion) }
      files = try await Files(store, count: count) {
        _ = try await collection.commit(TestOperation(.insertSection, count: 300, seed: 1))
      }
      try storage.close()
    }
  }

  /// The log with only some sectors of the last transaction.
  private func torn(_ files: Files, using generator: inout SplitMix64) -> [UInt8] {
    var log = files.log
    let start = commits(in: log).dropLast().last ?? 32
    let share = [0, 30, 60, 95][generator.below(4)]
    for index in stride(from: start, to: log.count, by: 512) where !generator.chance(share) {
      for byte in index ..< min(index + 512, log.count) { log[byte] = 0 }
    }
    return log
  }

  /// The ends of transactions of the log's last generation, found without checksums.
  private func commits(in log: [UInt8]) -> [Int] {
    stride(from: 32, to: log.count - 4119, by: 4120).filter { start in
      log[start + 8 ..< start + 16] == log[16 ..< 24]
        && log[start + 4 ..< start + 8].contains { $0 != 0 }
    }.map { $0 + 4120 }
  }

  @Test("a refused store starts again once it is done as the message says")
  func remedies() async throws {
    let files = try await makeFiles(seed: 4)
    let store = try TemporaryStore()
    var log = files.log
    log[log.count / 2] ^= 1
    try files.place(in: store, log: log)
    let fault = #expect(throws: StorageFault.self) { try SQLiteStorage(path: store.path) }
    let words = try #require(fault).description.split(separator: " ")
    let place = try #require(words.firstIndex(of: "-s"))
    let bytes = try #require(Int(words[place + 1]))
    #expect(32 ..< log.count / 2 ~= bytes)
    // An intact copy.
    let path = URL(fileURLWithPath: store.path + "-wal")
    let file = try FileHandle(forWritingTo: path)
    try file.write(contentsOf: Data(files.log))
    try file.close()
    let all = try await batches(in: store, log: files.log)
    #expect(all == files.acknowledgedCount + 1)
    // Without what is behind the damage.
    try files.place(in: store, log: Array(log.prefix(bytes)))
    let cut = #expect(throws: StorageFault.self) { try SQLiteStorage(path: store.path) }
    #expect(cut?.description.contains("was cut") == true)
    try FileManager.default.removeItem(atPath: store.path + ".lock")
    let storage = try SQLiteStorage(path: store.path)
    #expect(storage.isRestored)
    let found = try await storage.collections().count
    #expect(found == Self.collectionCount)
    try storage.close()
  }

  @Test("logs of all sizes of pages are read", arguments: [512, 1024, 65_536])
  func pages(bytes: Int) throws {
    let store = try TemporaryStore()
    let queue = try DatabaseQueue(path: store.path)
    let path = store.path + "-wal"
    let found = try queue.writeWithoutTransaction { database -> [LogRecovery?] in
      try database.execute(sql: "PRAGMA page_size = \(bytes)")
      try database.execute(sql: "VACUUM; PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
      for number in 0 ..< 9 {
        try database.execute(sql: "INSERT INTO t VALUES (\(number))")
      }
      let url = URL(fileURLWithPath: path)
      var log = Array(try Data(contentsOf: url))
      let intact = try LogRecovery.reading(path, of: store.path)
      #expect(intact?.recoveredBytes == Int64(log.count) && intact?.frameBytes == bytes + 24)
      log[17] ^= 1
      let copy = try TemporaryStore()
      try copy.overwrite(with: store.bytes())
      try Data(log).write(to: URL(fileURLWithPath: copy.path + "-wal"))
      return [intact, try LogRecovery.reading(copy.path + "-wal", of: copy.path)]
    }
    try queue.close()
    #expect(found.map { $0?.isDamaged } == [false, true])
    // CREATE TABLE and nine rows.
    #expect(found.map { $0?.droppedCommits } == [0, 10])
  }
}
