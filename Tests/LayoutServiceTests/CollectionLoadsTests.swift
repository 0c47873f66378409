// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRPCCore
import LayoutProtocol
import StoreTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutService

@Suite("Loading collections", .timeLimit(.minutes(2)))
struct CollectionLoadsTests {
  /// Notes which collections are read, and reads a large one when the test lets it.
  private final class HeldReads: ForwardingStorage {
    let memory: MemoryStorage
    let signal = ChangeSignal()
    /// Calls for which a collection was loaded.
    let loaded = Atomic(0)
    private let state = Mutex((order: [String](), released: 0))

    init(_ memory: MemoryStorage) { self.memory = memory }

    var order: [String] { state.withLock { $0.order } }

    func read<Result: Sendable>(
      _ id: String,
      byteCount: Int,
      _ body: @escaping @Sendable (any StoredContents) throws -> Result
    ) async throws -> Result {
      let number = state.withLock { state in
        state.order.append(id)
        return state.order.count { $0.hasPrefix("large") }
      }
      signal.send()
      if byteCount > CollectionRegistry.smallContents {
        await signal.wait { state.withLock { $0.released } >= number }
      }
      return try await memory.read(id, byteCount: byteCount, body)
    }

    /// Lets one more of the large ones be read.
    func release() {
      state.withLock { $0.released += 1 }
      signal.send()
    }

    func wait(for count: Int) async { await signal.wait { order.count >= count } }
  }

  private static func contents(_ items: Int) -> CollectionContents {
    CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: items)])])
  }

  /// Four large collections and a small one, none of them in memory.
  private static func collections() async throws -> (HeldReads, CollectionRegistry) {
    let memory = MemoryStorage(keepsContents: true)
    let codec = ProtobufContentsCodec()
    let first = CollectionRegistry(storage: memory, codec: codec)
    for number in 1 ... 4 {
      let large = CollectionRecord(id: "large\(number)")
      _ = try await first.create(large, contents: contents(1_000_000))
    }
    _ = try await first.create(CollectionRecord(id: "small"), contents: contents(10))
    let storage = HeldReads(memory)
    let registry = CollectionRegistry(storage: storage, codec: codec)
    try await registry.load()
    return (storage, registry)
  }

  @Test("large ones are loaded one at a time, of different clients in turn; small ones at once")
  func turns() async throws {
    let (storage, registry) = try await Self.collections()
    let loads = CollectionLoads(of: registry)
    func load(_ id: String, for client: String) -> Task<UInt64, any Error> {
      Task.immediate {
        let collection = try await loads.collection(id, for: client) { _ in
          storage.loaded.add(1, ordering: .relaxed)
        }
        return collection.dataVersion
      }
    }
    var tasks = [load("large1", for: "greedy")]
    await storage.wait(for: 1)
    tasks += [load("large2", for: "greedy"), load("large3", for: "greedy")]
    // This one wants what another one waits for already.
    tasks += [load("large3", for: "other"), load("large4", for: "greedy")]
    let cancelled = load("large4", for: "third")
    cancelled.cancel()
    await #expect(throws: StoreError.self) { try await cancelled.value }
    #expect(try await load("small", for: "other").value == 0)
    #expect(storage.order == ["large1", "small"])
    for _ in 1 ... 4 { storage.release() }
    for task in tasks { _ = try await task.value }
    #expect(storage.order == ["large1", "small", "large2", "large3", "large4"])
    #expect(storage.loaded.load(ordering: .relaxed) == 5)
    #expect(registry.residentCount == 5)
    // In memory they take no turn.
    #expect(try await load("large1", for: "greedy").value == 0)
  }

  @Test("of one client those of different connections are loaded in turn")
  func connections() async throws {
    let (storage, registry) = try await Self.collections()
    let loads = CollectionLoads(of: registry)
    func load(_ id: String, port: Int) -> Task<LiveCollection, any Error> {
      Task.immediate { try await loads.collection(id, for: "ipv4:192.0.2.1:\(port)") }
    }
    var tasks = [load("large1", port: 1)]
    await storage.wait(for: 1)
    tasks += [load("large2", port: 1), load("large3", port: 1), load("large4", port: 2)]
    for _ in 1 ... 4 { storage.release() }
    for task in tasks { _ = try await task.value }
    #expect(storage.order == ["large1", "large2", "large4", "large3"])
  }

  @Test("who makes the server load a collection is charged for that, and nobody else")
  func charges() async throws {
    try await withStore { store in
      try await store.serve { clients in
        try await clients.createCollection(items: 0)
        _ = try await clients.collections.applyUpdates(
          .with {
            $0.name = "collections/a"
            $0.batch = .inserting(50_000, at: 0)
            $0.batch.operations.operations[0].insertItems.blocks[0].keys =
              (0 ..< 50_000).map { "item-\(9_000_000 + $0)" }
          }
        )
      }
      // Loading takes a hundred units at least, and a call one or two.
      var configuration = ServiceConfiguration.patient
      configuration.calls.workPerSecond = 1
      configuration.calls.workBurst = 100
      configuration.calls.workFactorPerHost = 1
      configuration.calls.longestDelay = .milliseconds(10)
      try await store.serve(configuration) { clients in
        _ = try await clients.insert(1)
        let problem = await problem { _ = try await clients.insert(1) }
        #expect(problem?.reason == .quota(.callRate))
      }
    }
  }
}
