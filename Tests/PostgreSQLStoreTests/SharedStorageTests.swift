// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import StoreTesting
import Synchronization
import TestSupport
import Testing

/// Several servers over one storage: each registry is what one server has.
@Suite("Several servers", .serialized, .timeLimit(.minutes(3)))
struct SharedStorageTests {
  /// Opens two servers, which follow each other or not.
  private func servers<Result>(
    _ kind: StorageKind,
    limits: StoreLimits = .init(),
    following: Bool = true,
    _ body: (CollectionRegistry, CollectionRegistry) async throws -> Result
  ) async throws -> Result {
    let store = try TestStore(kind)
    return try await store.open(limits: limits) { first in
      try await store.open(limits: limits) { second in
        if !following { return try await body(first, second) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
          for server in [first, second] { group.addTask { await server.follow() } }
          defer { group.cancelAll() }
          return try await body(first, second)
        }
      }
    }
  }

  @Test(
    "two that commit to one collection at once get dense versions of one order, and no batch is lost",
    arguments: StorageKind.shared,
    [false, true]
  )
  func commits(kind: StorageKind, following: Bool) async throws {
    try await servers(kind, following: following) { first, second in
      _ = try await first.create(CollectionRecord(id: "a"), contents: TestCodec.contents([[]]))
      let one = try await first.collection("a")
      let two = try await second.collection("a")
      let versions = try await withThrowingTaskGroup(of: UInt64.self) { group in
        for (server, collection) in [one, two].enumerated() {
          for index in 0 ..< 60 {
            group.addTask {
              try await collection.commit(
                .append(1000 * server + index),
                id: "\(server)-\(index)"
              ).dataVersion
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(versions.sorted() == Array(1 ... 120))
      // In the turn of each, as followers may still be at it.
      try await one.refresh()
      try await two.refresh()
      #expect(one.heights == two.heights)
      #expect(one.heights.first?.count == 120)
      let histories = try (one.history(after: 0, limit: 200), two.history(after: 0, limit: 200))
      #expect(histories.0 == histories.1)
      #expect(one.snapshot.record == two.snapshot.record)
    }
  }

  @Test(
    "ten thousand batches of two that commit to one collection at once have one dense order",
    .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed")
  )
  func tenThousand() async throws {
    let (workers, batches) = (25, 200)
    // Snapshots are written, and the log is trimmed, meanwhile.
    let limits = StoreLimits(historyCount: 12_000, snapshotBatchCount: 2000)
    try await servers(.postgreSQL, limits: limits) { first, second in
      _ = try await first.create(CollectionRecord(id: "a"), contents: TestCodec.contents([[]]))
      let collections = try await [first.collection("a"), second.collection("a")]
      let versions = try await withThrowingTaskGroup(of: [UInt64].self) { group in
        for (server, collection) in collections.enumerated() {
          for worker in 0 ..< workers {
            group.addTask {
              var versions: [UInt64] = []
              for index in 0 ..< batches {
                let commit = try await collection.commit(
                  .append(index),
                  id: "\(server)-\(worker)-\(index)"
                )
                versions.append(commit.dataVersion)
              }
              return versions
            }
          }
        }
        var versions: [UInt64] = []
        for try await some in group {
          // Each worker's batches are in the order in which it made them.
          #expect(some == some.sorted())
          versions += some
        }
        return versions
      }
      let count = 2 * workers * batches
      #expect(versions.sorted() == (1 ... count).map { UInt64($0) })
      for collection in collections { await collection.reach(UInt64(count)) }
      #expect(collections[0].heights == collections[1].heights)
      #expect(collections[0].heights.first?.count == count)
      let last = UInt64(count - 1000)
      let logs = try collections.map { try $0.history(after: last, limit: 1000) }
      #expect(logs[0] == logs[1] && logs[0].count == 1000)
      #expect(Set(logs[0].map(\.requestID)).count == 1000)
    }
  }

  @Test(
    "a collection keeps its owner, whoever commits and describes it",
    arguments: StorageKind.shared
  )
  func owners(kind: StorageKind) async throws {
    try await servers(kind) { first, second in
      let one = try await first.create(
        CollectionRecord(id: "a", owner: "eve"),
        contents: TestCodec.contents([[1]])
      )
      let two = try await second.collection("a")
      try await one.commit(.append(2))
      await two.reach(1)
      #expect(two.snapshot.record.owner == "eve")
      _ = try await two.updateRecord { $0.displayName = "new" }
      try await two.commit(.append(3))
      await one.reach(2)
      #expect(one.snapshot.record.owner == "eve")
      #expect(try await first.currentRecord("a").owner == "eve")
      #expect(try await second.currentRecord("a").owner == "eve")
    }
  }

  @Test("what one commits, viewers of the other are told", arguments: StorageKind.shared)
  func following(kind: StorageKind) async throws {
    try await servers(kind) { first, second in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      let two = try await second.collection("a")
      for version in 1 ... 5 { try await one.commit(.append(version)) }
      await two.reach(5)
      #expect(two.heights == one.heights)
      let versions = try two.catchUp(from: 2).changes?.map(\.version)
      #expect(versions == [3, 4, 5])
      try await two.commit(.append(9))
      await one.reach(6)
      #expect(two.heights == one.heights)
    }
  }

  @Test(
    "collections that another creates, deletes and creates again are found",
    arguments: StorageKind.shared
  )
  func lifetimes(kind: StorageKind) async throws {
    try await servers(kind, following: false) { first, second in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      let two = try await second.collection("a")
      let ends = Mutex(0)
      _ = two.subscribe { if case .deleted = $0 { ends.withLock { $0 += 1 } } }
      try await first.delete("a")
      _ = try await first.create(CollectionRecord(id: "a"), contents: TestCodec.contents([[2]]))
      _ = try await first.create(CollectionRecord(id: "b"), contents: .empty)
      try await second.catchUp()
      #expect(two.isDeleted)
      #expect(ends.withLock { $0 } == 1)
      let again = try await second.collection("a")
      #expect(again.incarnation != one.incarnation)
      #expect(again.heights == [[2]])
      #expect(second.records(after: "", limit: 9).map(\.id) == ["a", "b"])
      try await second.delete("b")
      await #expect(throws: StoreError.self) { try await first.delete("b") }
      _ = try await first.create(CollectionRecord(id: "b"), contents: .empty)
      #expect(first.count == 2)
    }
  }

  /// What changes a collection that a server has in memory.
  enum Edit: String, CaseIterable {
    case record, newLayout, layout, deletedLayout, batch, contents, restart

    func make(_ collection: LiveCollection) async throws(StoreError) {
      switch self {
      case .record: _ = try await collection.updateRecord { $0.displayName = "mine" }
      case .newLayout:
        _ = try await collection.createLayout(NamedLayout(id: "mine", layout: [1]))
      case .layout: _ = try await collection.updateLayout("grid") { $0.displayName = "mine" }
      case .deletedLayout: try await collection.deleteLayout("grid")
      case .batch:
        let operation = TestOperation.append(7)
        _ = try await collection.commit(operation.batch(requestID: "")) {
          TestCodec.payload(operation)
        }
      case .contents, .restart:
        let payload = self == .restart ? nil : TestCodec.payload(.append(7))
        _ = try await collection.replaceContents(
          with: TestCodec.contents([[7]]),
          expectedDataVersion: nil
        ) { _ in payload }
      }
    }
  }

  @Test(
    "an edit of a collection that another has deleted is refused, and the one created again stays as it is",
    arguments: StorageKind.shared,
    [false, true]
  )
  func deletedElsewhere(kind: StorageKind, isCreatedAgain: Bool) async throws {
    try await servers(kind, following: false) { first, second in
      for edit in Edit.allCases {
        let id = edit.rawValue
        func create(_ height: Double) async throws {
          let contents = TestCodec.contents([[height]])
          let collection = try await first.create(CollectionRecord(id: id), contents: contents)
          _ = try await collection.createLayout(NamedLayout(id: "grid", layout: [1]))
        }
        try await create(1)
        let old = try await second.collection(id)
        try await first.delete(id)
        if isCreatedAgain { try await create(2) }
        do throws(StoreError) {
          try await edit.make(old)
          Issue.record("\(edit) was acknowledged and is stored nowhere")
        } catch {
          guard case .notFound = error else {
            Issue.record("\(edit): \(error)")
            continue
          }
        }
        #expect(old.isDeleted)
        guard isCreatedAgain else {
          await #expect(throws: StoreError.self) { try await second.collection(id) }
          continue
        }
        // The server takes up what is there, and changes it.
        let new = try await second.collection(id)
        #expect(new.incarnation != old.incarnation && new.heights == [[2]])
        #expect(new.snapshot.record.displayName.isEmpty)
        #expect(new.snapshot.record.layouts.map(\.id) == ["grid"])
        try await edit.make(new)
        try await first.catchUp()
        let seen = try first.record(id)
        #expect(seen.etag == new.snapshot.record.etag)
      }
    }
  }

  /// Storage of which a collection is read, and handed out only when it is told to.
  private final class HeldReads: ForwardingStorage {
    let memory: MemoryStorage
    let changes = ChangeSignal()
    private let state = Mutex((hasRead: false, isReleased: false))

    init(_ memory: MemoryStorage) { self.memory = memory }

    var shared: (any SharedLog)? { memory.shared }
    var hasRead: Bool { state.withLock { $0.hasRead } }

    func read<Result: Sendable>(
      _ id: String,
      byteCount: Int,
      _ body: @escaping @Sendable (any StoredContents) throws -> Result
    ) async throws -> Result {
      let result = try await memory.read(id, byteCount: byteCount, body)
      state.withLock { $0.hasRead = true }
      changes.send()
      await changes.wait { state.withLock { $0.isReleased } }
      return result
    }

    func release() {
      state.withLock { $0.isReleased = true }
      changes.send()
    }
  }

  @Test("what others commit while a collection is being loaded is not missed")
  func loading() async throws {
    let memory = MemoryStorage(keepsContents: true)
    let held = HeldReads(memory)
    let first = CollectionRegistry(storage: memory, codec: TestCodec())
    let second = CollectionRegistry(storage: held, codec: TestCodec())
    let one = try await first.create(
      CollectionRecord(id: "a"),
      contents: TestCodec.contents([[1]])
    )
    try await second.load()
    async let loading = second.collection("a")
    await held.changes.wait { held.hasRead }
    try await one.commit(.append(1))
    // Finds the change, and nobody in memory who is to catch up.
    try await second.catchUp()
    held.release()
    let two = try await loading
    #expect(two.dataVersion == 1)
    #expect(two.heights == one.heights)
  }

  @Test("those who ask for unknown names at once share readings, and miss nothing")
  func unknownNames() async throws {
    let memory = MemoryStorage(keepsContents: true)
    let log = HeldChanges(memory)
    let first = CollectionRegistry(storage: memory, codec: TestCodec())
    let second = CollectionRegistry(storage: log, codec: TestCodec())
    try await second.load()
    let one = try await first.create(
      CollectionRecord(id: "a"),
      contents: TestCodec.contents([[1]])
    )
    let two = try await second.collection("a")
    log.hold(true)
    let before = log.count
    let begun = Task.immediate { try? await second.collection("nobody") }
    await log.signal.wait { log.count == before + 1 }
    // What happens after that reading is found by those who ask now.
    try await one.commit(.append(1))
    _ = try await first.create(CollectionRecord(id: "b"), contents: TestCodec.contents([[2]]))
    let asking = (0 ..< 500).map { index in
      Task.immediate { try? await second.collection(index % 2 == 0 ? "b" : "x\(index)").heights }
    }
    log.hold(false)
    #expect(await begun.value == nil)
    for (index, task) in asking.enumerated() {
      #expect(await task.value == (index % 2 == 0 ? [[2]] : nil))
    }
    #expect(log.count == before + 2)
    // It was found to be behind by one of them.
    try await second.catchUp()
    #expect(two.dataVersion == 1 && two.heights == one.heights)
  }

  @Test("a name is given once", arguments: StorageKind.shared)
  func creation(kind: StorageKind) async throws {
    try await servers(kind, following: false) { first, second in
      _ = try await first.create(CollectionRecord(id: "a"), contents: TestCodec.contents([[1]]))
      do {
        _ = try await second.create(CollectionRecord(id: "a"), contents: .empty)
        Issue.record("two collections of one name")
      } catch StoreError.exists {}
      let heights = try await second.collection("a").heights
      #expect(heights == [[1]])
    }
  }

  @Test(
    "a server that fell behind the trimmed log reads the snapshot",
    arguments: StorageKind.shared
  )
  func falling(kind: StorageKind) async throws {
    let limits = StoreLimits(historyCount: 3, snapshotBatchCount: 4)
    try await servers(kind, limits: limits, following: false) { first, second in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      let two = try await second.collection("a")
      for version in 1 ... 50 { try await one.commit(.append(version)) }
      // Storage in memory keeps its log; a replacement without a batch empties it.
      _ = try await one.replaceContents(
        with: TestCodec.contents([[4, 5]]),
        expectedDataVersion: nil
      ) { _ in nil }
      try await second.catchUp()
      #expect(two.heights == [[4, 5]])
      #expect(two.dataVersion == 51)
      let changes = try two.catchUp(from: 0).changes
      #expect(changes == nil)
      let next = try await two.commit(.append(1)).dataVersion
      #expect(next == 52)
    }
  }

  @Test("a retry at another server is recognised", arguments: StorageKind.shared)
  func retries(kind: StorageKind) async throws {
    try await servers(kind, following: false) { first, second in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      let two = try await second.collection("a")
      let version = try await one.commit(.append(1), id: "x").dataVersion
      #expect(version == 1)
      let again = try await two.commit(.append(1), id: "x")
      #expect(again.isDuplicate && again.dataVersion == 1)
      #expect(two.heights == one.heights)
    }
  }

  @Test("a client may have seen more at another server", arguments: StorageKind.shared)
  func expectations(kind: StorageKind) async throws {
    try await servers(kind, following: false) { first, second in
      let one = try await first.create(
        CollectionRecord(id: "a"),
        contents: TestCodec.contents([[1]])
      )
      let two = try await second.collection("a")
      try await one.commit(.append(1))
      try await one.commit(.append(2))
      let version = try await two.commit(.append(3), expected: 2).dataVersion
      #expect(version == 3)
      await #expect(throws: StoreError.self) { try await one.commit(.append(3), expected: 2) }
      // An item that only the other server has seen.
      let deletion = TestOperation(.deleteItems, item: 3, count: 1)
      try await one.commit(.append(4))
      try await two.commit(deletion)
      let record = try await one.updateRecord(etag: two.snapshot.record.etag) {
        $0.displayName = "A"
      }
      #expect(record.record.displayName == "A")
      try await second.catchUp()
      let name = try second.record("a").displayName
      #expect(name == "A")
    }
  }

  @Test("named layouts of one server are those of the other", arguments: StorageKind.shared)
  func layouts(kind: StorageKind) async throws {
    try await servers(kind, following: false) { first, second in
      let one = try await first.create(CollectionRecord(id: "a"), contents: .empty)
      let two = try await second.collection("a")
      let told = Mutex(0)
      _ = two.subscribe { if case .layoutsChanged = $0 { told.withLock { $0 += 1 } } }
      _ = try await one.createLayout(NamedLayout(id: "grid", layout: [1]))
      try await second.catchUp()
      #expect(told.withLock { $0 } == 1)
      #expect(two.snapshot.record.layout("grid")?.layout == [1])
      _ = try await two.updateLayout("grid") { $0.layout = [2] }
      try await first.catchUp()
      #expect(one.snapshot.record.layout("grid")?.layout == [2])
    }
  }

  @Test("random edits at random servers end in the same contents", arguments: StorageKind.shared)
  func random(kind: StorageKind) async throws {
    let limits = StoreLimits(historyCount: 20, snapshotBatchCount: 7)
    try await servers(kind, limits: limits, following: false) { first, second in
      _ = try await first.create(CollectionRecord(id: "a"), contents: .empty)
      let collections = try await [first.collection("a"), second.collection("a")]
      var generator = SplitMix64(seed: 5)
      var model: [[Double]] = []
      for _ in 0 ..< 150 {
        let operation = TestOperation.random(for: model.map(\.count), using: &generator)
        try await collections[Int.random(in: 0 ... 1, using: &generator)].commit(operation)
        operation.apply(to: &model)
      }
      try await first.catchUp()
      try await second.catchUp()
      #expect(collections.map(\.heights) == [model, model])
    }
  }
}
