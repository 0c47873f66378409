// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import StoreTesting
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A process that commits is killed again and again; nothing that it was told of may be lost.
///
/// STORE_CRASH_ROUNDS sets how often.
@Suite("Crashes", .timeLimit(.minutes(5)))
struct CrashTests {
  private struct State {
    var version: UInt64 = 0
    /// nil = not seen yet. A crash is not a restored backup.
    var incarnation: UInt64?
    var heights: [[Double]] = []
    /// What was committed as batches with identifiers, by version.
    var requests: [UInt64: TestOperation] = [:]
    /// Begun, and perhaps committed.
    var attempt: (version: UInt64, operation: TestOperation?)?

    mutating func commit() {
      guard let attempt else { return }
      self.attempt = nil
      version = attempt.version
      guard let operation = attempt.operation else { return }
      operation.apply(to: &heights)
      if operation.kind != .replace { requests[version] = operation }
    }
  }

  private static let rounds =
    ProcessInfo.processInfo.environment["STORE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 36

  @Test("every acknowledged batch outlives SIGKILL, and contents are those of their version")
  func killing() async throws {
    let seed = UInt64.random(in: 0 ..< 1_000_000)
    var generator = SplitMix64(seed: seed)
    let store = try TemporaryStore()
    var states: [String: State] = [:]
    for round in 0 ..< Self.rounds {
      try run(store, seed: seed + UInt64(round) * 100, &states, using: &generator)
      try await store.open(limits: StoreLimits(historyCount: 30)) { registry in
        for (id, state) in states {
          states[id] = try await check(id, state, in: registry, "seed \(seed), round \(round)")
        }
        states = states.filter { $0.value.attempt == nil }
      }
      for (rows, expected) in Self.sums {
        #expect(
          try store.number("SELECT count(*) FROM \(rows)")
            == store.number("SELECT ifnull(sum(\(expected)"),
          "seed \(seed), round \(round): \(rows)"
        )
      }
    }
  }

  /// Nothing is left of what was interrupted.
  private static let sums = [
    ("garbage", "0), 0)"),
    ("stale", "0), 0)"),
    ("section", "section_count), 0) FROM snapshot"),
    ("place", "chunk_count), 0) FROM snapshot"),
    ("chunk", "chunk_count), 0) FROM section"),
  ]

  /// Lets the writer work until it has written a random number of lines, and kills it.
  private func run(
    _ store: TemporaryStore,
    seed: UInt64,
    _ states: inout [String: State],
    using generator: inout SplitMix64
  ) throws {
    let writer = Process()
    let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    writer.executableURL = binaries.appendingPathComponent("store-writer")
    writer.arguments = [store.path, "\(seed)", "3", "10"]
    let pipe = Pipe()
    writer.standardOutput = pipe
    try writer.run()
    var left = Int.random(in: 1 ... 150, using: &generator)
    var line: [UInt8] = []
    while true {
      let data = pipe.fileHandleForReading.availableData
      if data.isEmpty { break }
      for byte in data {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        read(String(decoding: line, as: UTF8.self), &states)
        line.removeAll()
        left -= 1
        if left == 0 { kill(writer.processIdentifier, SIGKILL) }
      }
    }
    writer.waitUntilExit()
    #expect(writer.terminationReason == .uncaughtSignal && left <= 0)
  }

  private func read(_ line: String, _ states: inout [String: State]) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 3, let version = UInt64(words[2]) else { return }
    let operation = TestOperation(words: words.dropFirst(3).compactMap { Int($0) })
    var state = states[words[1]] ?? State()
    if words[0] == "try" {
      state.attempt = (version, operation)
    } else {
      state.commit()
    }
    states[words[1]] = state
  }

  private func check(
    _ id: String,
    _ state: State,
    in registry: CollectionRegistry,
    _ comment: Comment
  ) async throws -> State {
    var state = state
    guard registry.records(after: "", limit: .max).contains(where: { $0.id == id }) else {
      // Only one whose creation nobody was told of.
      #expect(state.attempt?.version == 0, comment)
      return state
    }
    let collection = try await registry.collection(id)
    if let attempt = state.attempt, collection.dataVersion == attempt.version { state.commit() }
    state.attempt = nil
    #expect(collection.incarnation == state.incarnation ?? collection.incarnation, comment)
    state.incarnation = collection.incarnation
    #expect(collection.dataVersion == state.version, comment)
    #expect(collection.heights == state.heights, comment)
    let kept = (0 ... state.version).first {
      (try? collection.history(after: $0, limit: .max)) != nil
    }
    let start = try #require(kept, comment)
    #expect(
      try collection.history(after: start, limit: .max).map(\.version)
        == Array(start ..< state.version).map { $0 + 1 },
      comment
    )
    for (version, operation) in state.requests.sorted(by: { $0.key < $1.key }).suffix(3) {
      let commit = try await collection.commit(operation, id: "\(id)-\(version)")
      #expect(commit.dataVersion == version && commit.isDuplicate, comment)
    }
    return state
  }
}

/// The process ends while a snapshot is written: the files are copied then, as a kill leaves them.
@Suite("Crashes in a snapshot", .timeLimit(.minutes(2)))
struct SnapshotCrashTests {
  /// Copies the files of a store whenever a chunk of a snapshot is encoded.
  private struct CopyingCodec: ContentsCodec {
    let codec = TestCodec()
    let copy: @Sendable () throws -> Void

    func encode(_ section: SectionContents) throws -> [UInt8] {
      try copy()
      return codec.encode(section)
    }
    func encode(_ items: ItemBlock) throws -> [UInt8] {
      try copy()
      return codec.encode(items)
    }
    func decodeSection(_ bytes: [UInt8]) throws -> SectionContents {
      try codec.decodeSection(bytes)
    }
    func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock { try codec.decodeItems(bytes) }
    func makeDecoder() throws -> any ContentsDecoder { codec.makeDecoder() }
    func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch { try codec.decodeBatch(payload) }
  }

  /// The batches that end in a snapshot: a few chunks of it differ from the last one, or most do.
  @Test("loses nothing at any point of it", arguments: [true, false])
  func points(isWhole: Bool) async throws {
    let store = try TemporaryStore()
    let copies = Mutex<[TemporaryStore]>([])
    let isCopying = Mutex(false)
    let codec = CopyingCodec {
      guard isCopying.withLock({ $0 }), copies.withLock({ $0.count < 200 }) else { return }
      let copy = try TemporaryStore()
      for suffix in ["", "-wal", ".lock"] {
        try FileManager.default.copyItem(
          atPath: store.path + suffix,
          toPath: copy.path + suffix
        )
      }
      copies.withLock { $0.append(copy) }
    }
    let storage = try SQLiteStorage(path: store.path, pieceBytes: 8 << 10)
    let registry = CollectionRegistry(
      storage: storage,
      codec: codec,
      limits: StoreLimits(historyCount: 3, snapshotBatchCount: 12)
    )
    var model = TestCodec.heights(of: TestOperation(.replace, count: 20_000, seed: 4).contents)
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: TestCodec.contents(model)
    )
    isCopying.withLock { $0 = true }
    func insertion(_ index: Int) -> TestOperation {
      TestOperation(.insertItems, item: index * 1_500, count: isWhole ? 4_000 : 3, seed: index)
    }
    for index in 0 ..< 12 {
      let operation = insertion(index)
      _ = try await collection.commit(operation, id: "r\(index)")
      operation.apply(to: &model)
    }
    storage.finishBackgroundWork()
    isCopying.withLock { $0 = false }
    try storage.close()
    #expect(try store.number("SELECT version FROM snapshot") == 12)
    let found = copies.withLock { $0 }
    #expect(found.count > 10)
    for copy in found {
      try await copy.open { registry in
        let collection = try await registry.collection("a")
        #expect(collection.dataVersion == 12)
        #expect(collection.heights == model)
        let commit = try await collection.commit(insertion(7), id: "r7")
        #expect(commit.dataVersion == 8 && commit.isDuplicate)
      }
      // Nothing is left of what was interrupted.
      #expect(try copy.number("SELECT count(*) FROM garbage") == 0)
      #expect(
        try copy.number("SELECT count(*) FROM chunk")
          == copy.number("SELECT chunk_count FROM snapshot")
      )
    }
  }
}
