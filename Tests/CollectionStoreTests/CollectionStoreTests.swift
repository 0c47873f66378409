// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Synchronization
import Testing

/// Batches that insert items at the start, with their count as payload.
private struct CountCodec: ContentsCodec {
  struct Unused: Error {}

  // Storage in memory asks for none of these.
  func encode(_ section: SectionContents) throws -> [UInt8] { throw Unused() }
  func decodeSection(_ bytes: [UInt8]) throws -> SectionContents { throw Unused() }
  func encode(_ items: ItemBlock) throws -> [UInt8] { throw Unused() }
  func decodeItems(_ bytes: [UInt8]) throws -> ItemBlock { throw Unused() }
  func makeDecoder() throws -> any ContentsDecoder { throw Unused() }

  func decodeBatch(_ payload: [UInt8]) -> UpdateBatch { Self.insertion(Self.number(payload)) }

  func bytes(_ count: Int) -> [UInt8] { Array(String(count).utf8) }
  private static func number(_ bytes: [UInt8]) -> Int {
    Int(String(decoding: bytes, as: UTF8.self)) ?? 0
  }

  static func contents(_ count: Int) -> CollectionContents {
    CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: count)])])
  }

  static func insertion(_ count: Int, id: String = "", expected: UInt64? = nil) -> UpdateBatch {
    UpdateBatch(
      requestID: id,
      expectedDataVersion: expected,
      change: .operations([
        .insertItems(at: IndexPath(section: 0, item: 0), items: [ItemBlock(count: count)])
      ])
    )
  }
}

@Suite("CollectionStore", .timeLimit(.minutes(2)))
struct CollectionStoreTests {
  private let codec = CountCodec()

  private func registry(
    storage: any CollectionStorage = MemoryStorage(),
    limits: StoreLimits = .init(),
    now: @escaping @Sendable () -> CollectionTime = { CollectionTime(seconds: 0) }
  ) -> CollectionRegistry {
    CollectionRegistry(storage: storage, codec: codec, limits: limits, now: now)
  }

  private func insert(
    _ count: Int,
    into collection: LiveCollection,
    id: String = "",
    expected: UInt64? = nil
  ) async throws -> Commit {
    let codec = codec
    return try await collection.commit(
      CountCodec.insertion(count, id: id, expected: expected)
    ) { codec.bytes(count) }
  }

  @Test("each batch is the next version and changes the contents")
  func commits() async throws {
    let collection = try await registry().create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(10)
    )
    #expect(try await insert(5, into: collection).dataVersion == 1)
    #expect(try await insert(2, into: collection).dataVersion == 2)
    #expect(collection.snapshot.contents.itemCount == 17)
    #expect(collection.snapshot.record.dataVersion == 2)
  }

  @Test("concurrent commits get versions without gaps")
  func concurrentCommits() async throws {
    let collection = try await registry().create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    let versions = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for _ in 0 ..< 100 {
        group.addTask { try await insert(1, into: collection).dataVersion }
      }
      return try await group.reduce(into: Set<UInt64>()) { $0.insert($1) }
    }
    #expect(versions == Set(1 ... 100))
    #expect(collection.snapshot.contents.itemCount == 100)
  }

  @Test("a batch with a known identifier is told its version and not applied again")
  func requestIDs() async throws {
    let box = TimeBox()
    let collection = try await registry(now: { box.time }).create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    #expect(try await insert(1, into: collection, id: "x").isDuplicate == false)
    let again = try await insert(1, into: collection, id: "x", expected: 77)
    #expect(again.dataVersion == 1 && again.isDuplicate)
    #expect(collection.snapshot.contents.itemCount == 1)
    box.advance(seconds: 24 * 60 * 60 + 1)
    #expect(try await insert(1, into: collection, id: "x").isDuplicate == false)
  }

  @Test("a batch with the identifier of another one is refused, whatever it expects")
  func otherBatch() async throws {
    let collection = try await registry().create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    _ = try await insert(1, into: collection, id: "x")
    for expected in [nil, 1, 99] as [UInt64?] {
      await #expect {
        _ = try await insert(2, into: collection, id: "x", expected: expected)
      } throws: { error in
        guard case StoreError.refused(let refusal) = error else { return false }
        return refusal.violations.map(\.field) == ["request_id"]
          && refusal.message.contains("(version 1)")
      }
    }
    let again = try await insert(1, into: collection, id: "x")
    #expect(again.isDuplicate)
    #expect(collection.snapshot.contents.itemCount == 1 && collection.dataVersion == 1)
  }

  @Test("a batch for another version is refused")
  func expectedVersion() async throws {
    let collection = try await registry().create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    await #expect {
      _ = try await insert(1, into: collection, expected: 3)
    } throws: { error in
      if case StoreError.versionConflict(expected: 3, current: 0) = error { true } else { false }
    }
    #expect(collection.dataVersion == 0)
  }

  @Test("history is given from any version that is kept, and refused from older ones")
  func history() async throws {
    let collection = try await registry(limits: StoreLimits(historyCount: 3)).create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    for _ in 0 ..< 5 { _ = try await insert(1, into: collection) }
    #expect(try collection.history(after: 2, limit: 10).map(\.version) == [3, 4, 5])
    #expect(try collection.history(after: 3, limit: 1).map(\.version) == [4])
    #expect(try collection.history(after: 5, limit: 10).isEmpty)
    #expect {
      _ = try collection.history(after: 6, limit: 10)
    } throws: { error in
      if case StoreError.versionAhead(found: 6, current: 5) = error { true } else { false }
    }
    #expect {
      _ = try collection.history(after: 1, limit: 10)
    } throws: { error in
      if case StoreError.historyCompacted(minVersion: 2) = error { true } else { false }
    }
  }

  @Test("a viewer catches up by changes while they are kept, and is told when they are not")
  func catchUp() async throws {
    let collection = try await registry(limits: StoreLimits(changeCount: 2)).create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    for _ in 0 ..< 4 { _ = try await insert(1, into: collection) }
    #expect(try collection.catchUp(from: 2).changes?.map(\.version) == [3, 4])
    #expect(try collection.catchUp(from: 4).changes?.isEmpty == true)
    #expect(try collection.catchUp(from: 1).changes == nil)
    #expect(collection.latest(changes: 1).changes?.map(\.version) == [4])
    #expect(collection.latest(changes: 100).changes?.map(\.version) == [3, 4])
  }

  @Test("subscribers are told of commits and of the end, and no more once they left")
  func signals() async throws {
    let registry = registry()
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(0)
    )
    let counts = SignalCounts()
    let first = collection.subscribe { counts.add($0) }
    let second = collection.subscribe { counts.add($0) }
    _ = try await insert(1, into: collection)
    #expect(counts.changed == 2)
    collection.unsubscribe(first)
    _ = try await insert(1, into: collection)
    #expect(counts.changed == 3)
    try await registry.delete("a")
    #expect(counts.deleted == 1)
    collection.unsubscribe(second)
    #expect(collection.subscriberCount == 0)
    _ = collection.subscribe { counts.add($0) }
    #expect(counts.deleted == 2)
  }

  @Test("replaced contents are one version; history ends where they are not told")
  func replacement() async throws {
    let collection = try await registry().create(
      CollectionRecord(id: "a"),
      contents: CountCodec.contents(1)
    )
    _ = try await insert(1, into: collection)
    let snapshot = try await collection.replaceContents(
      with: CountCodec.contents(9),
      expectedDataVersion: 1
    ) { _ in nil }
    #expect(snapshot.record.dataVersion == 2)
    #expect(collection.snapshot.contents.itemCount == 9)
    #expect(throws: StoreError.self) { try collection.history(after: 1, limit: 1) }
    #expect(try collection.catchUp(from: 1).changes == nil)
    _ = try await collection.replaceContents(
      with: CountCodec.contents(4),
      expectedDataVersion: nil
    ) { _ in [1] }
    #expect(try collection.history(after: 2, limit: 5).map(\.payload) == [[1]])
    #expect(try collection.catchUp(from: 2).changes?.count == 1)
  }

  @Test("lists in order of identifiers, page by page, and forgets what was deleted")
  func listing() async throws {
    let registry = registry()
    for id in ["c", "a", "d", "b"] {
      _ = try await registry.create(CollectionRecord(id: id), contents: .empty)
    }
    #expect(registry.records(after: "", limit: 2).map(\.id) == ["a", "b"])
    #expect(registry.records(after: "b", limit: 9).map(\.id) == ["c", "d"])
    try await registry.delete("c")
    #expect(registry.records(after: "b", limit: 9).map(\.id) == ["d"])
    await #expect(throws: StoreError.self) {
      _ = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    }
    await #expect(throws: StoreError.self) { try await registry.delete("c") }
  }

  @Test("an etag changes with every change and guards updates and deletes")
  func etags() async throws {
    let registry = registry()
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    let first = collection.snapshot.record.etag
    let renamed = try await collection.updateRecord(etag: first) { $0.displayName = "A" }
    #expect(renamed.record.etag != first)
    await #expect(throws: StoreError.self) {
      _ = try await collection.updateRecord(etag: first) { $0.displayName = "B" }
    }
    await #expect(throws: StoreError.self) { try await registry.delete("a", etag: first) }
    try await registry.delete("a", etag: renamed.record.etag)
    #expect(registry.count == 0)
  }

  @Test("a second registry finds everything that durable storage holds")
  func loading() async throws {
    let storage = MemoryStorage(keepsContents: true)
    let limits = StoreLimits(snapshotBatchCount: 4)
    let first = registry(storage: storage, limits: limits)
    let collection = try await first.create(
      CollectionRecord(id: "a", displayName: "A"),
      contents: CountCodec.contents(3)
    )
    for _ in 0 ..< 6 { _ = try await insert(2, into: collection) }
    let second = registry(storage: storage, limits: limits)
    try await second.load()
    let loaded = try await second.collection("a").snapshot
    #expect(loaded.contents.itemCount == 15)
    #expect(loaded.record == collection.snapshot.record)
  }

  @Test("records are found by what their identifiers begin with, in their order")
  func beginnings() async throws {
    let registry = registry()
    let ids = ["a", "a-1", "a-2", "ab", "b", "b-1", "c"]
    for id in ids.shuffled() {
      _ = try await registry.create(CollectionRecord(id: id), contents: CountCodec.contents(1))
    }
    for beginning in ["", "a", "a-", "b", "bb", "c", "d", "0"] {
      for start in ["", "a", "a-1", "a-15", "b", "z"] {
        for limit in [1, 2, 10] {
          let expected = ids.filter { $0.hasPrefix(beginning) && $0 > start }.prefix(limit)
          let found = registry.records(after: start, beginningWith: beginning, limit: limit)
          #expect(found.map(\.id) == Array(expected), "\(beginning) after \(start)")
        }
      }
    }
  }
}

private final class TimeBox: Sendable {
  private let seconds = Mutex<Int64>(0)
  var time: CollectionTime { CollectionTime(seconds: seconds.withLock { $0 }) }
  func advance(seconds amount: Int64) { seconds.withLock { $0 += amount } }
}

private final class SignalCounts: Sendable {
  private let counts = Mutex((changed: 0, layoutsChanged: 0, deleted: 0))
  var changed: Int { counts.withLock { $0.changed } }
  var deleted: Int { counts.withLock { $0.deleted } }

  func add(_ signal: CollectionSignal) {
    counts.withLock { counts in
      switch signal {
      case .changed: counts.changed += 1
      case .layoutsChanged: counts.layoutsChanged += 1
      case .deleted: counts.deleted += 1
      case .rewound: Issue.record("the storage did not go back")
      }
    }
  }
}
