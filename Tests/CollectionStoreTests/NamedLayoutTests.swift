// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import StoreTesting
import Synchronization
import Testing

@testable import CollectionStore

@Suite("Named layouts in the store", .timeLimit(.minutes(2)))
struct NamedLayoutTests {
  private func layout(_ id: String, bytes: Int = 3) -> NamedLayout {
    NamedLayout(id: id, displayName: "Ä \(id)", layout: Array(repeating: 7, count: bytes))
  }

  /// - Returns: the error; nil = none.
  private func error(_ body: () async throws -> Void) async -> StoreError? {
    do {
      try await body()
      return nil
    } catch { return error as? StoreError }
  }

  @Test("they are as they were after reopening, and gone with their collection")
  func reopening() async throws {
    let store = try TemporaryStore()
    let written = try await store.open { registry in
      let collection = try await registry.create(
        CollectionRecord(id: "a", labels: ["k": "v"], defaultLayout: [1]),
        contents: .empty
      )
      for id in ["m", "z", "b"] { _ = try await collection.createLayout(layout(id)) }
      _ = try await collection.updateLayout("m") {
        $0.layout = [9, 0]
        $0.isAnimated = true
      }
      try await collection.deleteLayout("z")
      _ = try await collection.commit(TestOperation(.insertSection, section: 0, count: 1, seed: 4))
      return collection.snapshot.record
    }
    #expect(written.layouts.map(\.id) == ["b", "m"])
    #expect(written.dataVersion == 1)
    try await store.open { registry in
      #expect(try registry.record("a") == written)
      let collection = try await registry.collection("a")
      let stored = try #require(collection.snapshot.record.layout("m"))
      #expect(stored.layout == [9, 0] && stored.isAnimated && stored.displayName == "Ä m")
      try await registry.delete("a")
      let again = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
      #expect(again.snapshot.record.layouts.isEmpty)
    }
  }

  @Test("a file of an older schema opens, and an older program leaves a newer file alone")
  func schema() async throws {
    let store = try TemporaryStore()
    try store.edit(FirstSchemaFile.sql)
    try await store.open(limits: StoreLimits(), at: FirstSchemaFile.seconds) { registry in
      let collection = try await registry.collection("c0")
      #expect(collection.snapshot.record.layouts.isEmpty)
      _ = try await collection.createLayout(layout("x"))
    }
    try await store.open(limits: StoreLimits(), at: FirstSchemaFile.seconds) { registry in
      let record = try registry.record("c0")
      #expect(record.layouts.map(\.id) == ["x"])
    }
    #expect(try store.number("PRAGMA user_version") == 4)
  }

  @Test("an etag guards updates and deletes, and others of the collection do not change it")
  func etags() async throws {
    let registry = CollectionRegistry(storage: MemoryStorage(), codec: TestCodec())
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    func etag(_ id: String) -> String {
      let record = collection.snapshot.record
      return record.layout(id).map { record.etag(of: $0) } ?? ""
    }
    _ = try await collection.createLayout(layout("x"))
    _ = try await collection.createLayout(layout("y"))
    let (x, y) = (etag("x"), etag("y"))
    #expect(x != y)
    _ = try await collection.updateLayout("x", etag: x) { $0.layout = [1] }
    #expect(etag("x") != x && etag("y") == y)
    let update = await error { _ = try await collection.updateLayout("x", etag: x) { _ in } }
    guard case .etagConflict(x, etag("x")) = update else {
      Issue.record("\(String(describing: update))")
      return
    }
    let delete = await error { try await collection.deleteLayout("y", etag: x) }
    guard case .etagConflict = delete else {
      Issue.record("\(String(describing: delete))")
      return
    }
    try await collection.deleteLayout("y", etag: y)
    _ = try await collection.createLayout(layout("y"))
    #expect(etag("y") != y)
  }

  @Test("their number and bytes are limited, and counted with the records")
  func limits() async throws {
    let limits = StoreLimits(layoutCount: 2, layoutBytes: 1000)
    let registry = CollectionRegistry(
      storage: MemoryStorage(),
      codec: TestCodec(),
      limits: limits
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    let before = collection.snapshot.record.byteCount
    let large = await error { _ = try await collection.createLayout(layout("x", bytes: 900)) }
    guard case .limitExceeded(.layoutBytes, _, 1000) = large else {
      Issue.record("\(String(describing: large))")
      return
    }
    #expect(collection.snapshot.record.layouts.isEmpty)
    _ = try await collection.createLayout(layout("x", bytes: 100))
    #expect(collection.snapshot.record.byteCount >= before + 300)
    _ = try await collection.createLayout(layout("y"))
    let third = await error { _ = try await collection.createLayout(layout("z")) }
    guard case .tooManyLayouts(limit: 2) = third else {
      Issue.record("\(String(describing: third))")
      return
    }
    let twice = await error { _ = try await collection.createLayout(layout("y")) }
    guard case .layoutExists(id: "y") = twice else {
      Issue.record("\(String(describing: twice))")
      return
    }
    let missing = await error { _ = try await collection.updateLayout("q") { _ in } }
    guard case .layoutNotFound(id: "q") = missing else {
      Issue.record("\(String(describing: missing))")
      return
    }
  }

  @Test("subscribers are told, though no version is new")
  func signals() async throws {
    let registry = CollectionRegistry(storage: MemoryStorage(), codec: TestCodec())
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    let signals = Mutex<[CollectionSignal]>([])
    let subscription = collection.subscribe { signal in signals.withLock { $0.append(signal) } }
    defer { collection.unsubscribe(subscription) }
    _ = try await collection.createLayout(layout("x"))
    _ = try await collection.updateLayout("x") { $0.layout = [2] }
    try await collection.deleteLayout("x")
    #expect(signals.withLock { $0 } == [.layoutsChanged, .layoutsChanged, .layoutsChanged])
    #expect(collection.dataVersion == 0)
  }
}
