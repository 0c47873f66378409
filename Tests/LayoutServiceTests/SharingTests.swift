// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import Foundation
import GRPCCore
import LayoutProtocol
import StoreTesting
import SwiftProtobuf
import Testing

@testable import LayoutService

/// What many producers and watchers of one collection rely on, over the wire and beyond restarts.
@Suite("Sharing", .timeLimit(.minutes(5)))
struct SharingTests {
  @Test("of producers that expect the same version one wins; those that try again lose nothing")
  func conflicts() async throws {
    let (producers, batches) = (6, 8)
    try await withServer { clients in
      try await clients.createCollection(items: 0)
      let conflicts = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0 ..< producers {
          group.addTask { try await Self.produce(batches, clients) }
        }
        return try await group.reduce(0, +)
      }
      let collection = try await clients.collections
        .getCollection(.with { $0.name = "collections/a" }).collection
      #expect(collection.dataVersion == UInt64(producers * batches))
      #expect(collection.itemCount == UInt64(producers * batches))
      // All of them expected version 0 at first.
      #expect(conflicts >= producers - 1)
    }
  }

  /// Inserts one item at a time, each time from the version that it was told last.
  ///
  /// - Returns: how often it was too late.
  private static func produce(_ batches: Int, _ clients: Clients) async throws -> Int {
    var (version, left, conflicts) = (UInt64(0), batches, 0)
    while left > 0 {
      do {
        let response = try await clients.insert(1, expected: version)
        #expect(response.dataVersion == version + 1 && !response.duplicate)
        version = response.dataVersion
        left -= 1
      } catch let error as RPCError {
        let problem = LayoutProblem(error)
        #expect(error.code == .aborted)
        #expect(problem.reason == .versionConflict)
        let current = try #require(problem.metadata["currentDataVersion"].flatMap { UInt64($0) })
        #expect(current > version)
        version = current
        conflicts += 1
      }
    }
    return conflicts
  }

  @Test("a batch that comes again, at once or after a restart, is answered with its version")
  func duplicates() async throws {
    try await withStore { store in
      try await store.serve { clients in
        try await clients.createCollection()
        let answers = try await withThrowingTaskGroup(
          of: CollectionLayout_V1_ApplyUpdatesResponse.self
        ) { group in
          for _ in 0 ..< 10 {
            group.addTask { try await clients.insert(3, requestID: "once") }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.dataVersion == 1 })
        #expect(answers.count { !$0.duplicate } == 1)
        for index in 0 ..< 30 { _ = try await clients.insert(1, requestID: "r\(index)") }
      }
      for _ in 0 ..< 2 {
        try await store.serve { clients in
          for (id, count, version) in [("once", 3, 1), ("r0", 1, 2), ("r29", 1, 31)] {
            // Whatever version it expects now.
            let again = try await clients.insert(UInt32(count), requestID: id, expected: 999)
            #expect(again.duplicate && again.dataVersion == UInt64(version))
          }
          let collection = try await clients.collections
            .getCollection(.with { $0.name = "collections/a" }).collection
          #expect(collection.dataVersion == 31 && collection.itemCount == 133)
        }
      }
    }
  }

  @Test("a watcher goes on after a restart from the version that it reached")
  func watching() async throws {
    try await withStore { store in
      try await store.serve { clients in
        try await clients.createCollection()
        for count in 1 ... 12 { _ = try await clients.insert(UInt32(count)) }
        try await clients.watch(after: 0) { messages in
          for version in 1 ... 12 {
            let message = try await messages.next()
            #expect(message?.dataVersion == UInt64(version))
            #expect(message?.batch.insertedCount == UInt32(version))
          }
          // Nothing new: signs of life with the version, as long as one watches.
          for _ in 0 ..< 3 {
            let sign = try await messages.next()
            #expect(sign?.hasBatch == false && sign?.dataVersion == 12)
          }
        }
      }
      try await store.serve { clients in
        try await clients.watch(after: 7) { messages in
          for version in 8 ... 12 {
            let message = try await messages.next()
            #expect(message?.dataVersion == UInt64(version))
            #expect(message?.batch.insertedCount == UInt32(version))
          }
          #expect(try await messages.next()?.hasBatch == false)
          _ = try await clients.insert(99)
          while let message = try await messages.next() {
            guard message.hasBatch else { continue }
            #expect(message.dataVersion == 13 && message.batch.insertedCount == 99)
            break
          }
        }
        // Nobody can have reached a version that is yet to come.
        let refusal = await #expect(throws: RPCError.self) {
          try await clients.watch(after: 14) { messages in _ = try await messages.next() }
        }
        let problem = LayoutProblem(try #require(refusal))
        #expect(problem.code == .outOfRange && problem.reason == .versionAhead)
        // From the newest version on only what comes.
        try await clients.watch(after: 13) { messages in
          let sign = try await messages.next()
          #expect(sign?.hasBatch == false && sign?.dataVersion == 13)
          _ = try await clients.insert(55)
          while let message = try await messages.next() {
            guard message.hasBatch else { continue }
            #expect(message.dataVersion == 14 && message.batch.insertedCount == 55)
            break
          }
        }
      }
    }
  }

  @Test("what a watcher holds goes with it, not with the next sign of life")
  func leaving() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.watchInterval = .seconds(3600)
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      let collection = try await clients.server.services.registry.collection("a")
      for _ in 0 ..< 3 {
        // Reset by the client once it has seen that it is being served.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0 ..< 5 {
            group.addTask {
              try? await clients.watch(after: 0) { messages in
                while try await messages.next() != nil {}
              }
            }
          }
          await collection.subscriberChanges.wait { collection.subscriberCount >= 5 }
          group.cancelAll()
          try await group.waitForAll()
          await collection.subscriberChanges.wait { collection.subscriberCount == 0 }
        }
      }
      let connection = try #require(try clients.rawWatcher())
      await collection.subscriberChanges.wait { collection.subscriberCount >= 1 }
      connection.tearDown()
      await collection.subscriberChanges.wait { collection.subscriberCount == 0 }
    }
  }

  @Test("a watcher that does not read holds up nobody and goes all the same")
  func notReading() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.watchInterval = .seconds(3600)
    try await withServer(configuration, window: 65_535) { clients in
      try await clients.insertMuch()
      let collection = try await clients.server.services.registry.collection("a")
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try? await clients.watch(after: 0) { messages in
            _ = try await messages.next()
            // Until it is cancelled.
            let (nothing, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
          }
        }
        await collection.subscriberChanges.wait { collection.subscriberCount >= 1 }
        #expect(try await clients.insert(1).dataVersion == 11)
        group.cancelAll()
        try await group.waitForAll()
        await collection.subscriberChanges.wait { collection.subscriberCount == 0 }
      }
    }
  }

  @Test("a watcher that does not read for too long is cut off")
  func cutOff() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.write = .milliseconds(300)
    // What stands before the first sign of life is more than the transport takes.
    configuration.timing.watchInterval = .milliseconds(50)
    try await withServer(configuration) { clients in
      try await clients.insertMuch()
      let collection = try await clients.server.services.registry.collection("a")
      let connection = try #require(try clients.rawWatcher())
      await collection.subscriberChanges.wait { collection.subscriberCount >= 1 }
      await collection.subscriberChanges.wait { collection.subscriberCount == 0 }
      connection.tearDown()
    }
  }

  @Test("watchers are told of an import that one message holds; a larger one ends their history")
  func imports() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      // 800 KB, and twice that.
      for (count, kinds, isTold) in [
        (100_000, [], true), (100_000, ["a"], false), (200_000, ["a"], false),
      ] {
        let imported = try await clients.importContents { writer in
          try await writer.write(
            .with {
              $0.header.name = "collections/a"
              $0.header.cellKindNames = kinds
            }
          )
          for part in 0 ..< count / 20_000 {
            try await writer.write(
              .with {
                $0.items.count = 20_000
                $0.items.widths = (0 ..< 20_000).map { Double(part + $0) }
              }
            )
          }
          try await writer.write(.with { $0.end.itemCount = UInt64(count) })
        }.collection
        let before = imported.dataVersion - 1
        guard isTold else {
          let found = await problem {
            try await clients.watch(after: before) { _ = try await $0.next() }
          }
          #expect(found?.reason == .historyCompacted)
          #expect(found?.metadata["minDataVersion"] == "\(imported.dataVersion)")
          continue
        }
        try await clients.watch(after: before) { messages in
          let message = try await messages.next()
          #expect(message?.dataVersion == imported.dataVersion)
          let inserted = message?.batch.operations.operations.last?.insertSections.sections
          #expect(inserted?.first?.blocks.reduce(0) { $0 + $1.count } == UInt32(count))
        }
      }
    }
  }

  @Test("damage is DATA_LOSS for its collection, and the others go on")
  func damage() async throws {
    let storage = DamagedStorage()
    for id in ["bad", "good"] {
      try await storage.memory.create(CollectionRecord(id: id), snapshot: nil)
    }
    try await withServer(storage: storage) { clients in
      for _ in 0 ..< 2 {
        let found = await problem { _ = try await clients.insert(1, into: "bad") }
        #expect(found?.code == .dataLoss && found?.reason == .logCorrupt)
      }
      let section = Wire.UpdateBatch.with {
        $0.operations.operations = [.with { $0.insertSections.sections = [.init()] }]
      }
      let response = try await clients.collections.applyUpdates(
        .with {
          $0.name = "collections/good"
          $0.batch = section
        }
      )
      #expect(response.dataVersion == 1)
    }
  }
}

/// Cannot read the collection "bad".
private struct DamagedStorage: ForwardingStorage {
  let memory = MemoryStorage(keepsContents: true)

  func read<Result: Sendable>(
    _ id: String,
    byteCount: Int,
    _ body: @escaping @Sendable (any StoredContents) throws -> Result
  ) async throws -> Result {
    if id == "bad" { throw StorageFault(.damaged, "collection bad is damaged", collection: "bad") }
    return try await memory.read(id, byteCount: byteCount, body)
  }
}

extension Clients {
  /// Watches "a" and reads nothing, not even into the transport.
  fileprivate func rawWatcher() throws -> RawConnection? {
    try RawConnection(
      port: port,
      path: "/collection_layout.v1.CollectionService/WatchUpdates",
      message: CollectionLayout_V1_WatchUpdatesRequest.with { $0.name = "collections/a" }
        .serializedBytes()
    )
  }

  /// Ten batches that are far more than a small window takes.
  fileprivate func insertMuch() async throws {
    try await createCollection()
    let widths = (0 ..< 20_000).map { Double($0) }
    for _ in 0 ..< 10 {
      _ = try await collections.applyUpdates(
        .with {
          $0.name = "collections/a"
          $0.batch = .inserting(20_000, at: 0)
          $0.batch.operations.operations[0].insertItems.blocks[0].widths = widths
        }
      )
    }
  }

  func watch(
    after version: UInt64,
    _ body:
      @Sendable @escaping (
        inout RPCAsyncSequence<CollectionLayout_V1_WatchUpdatesResponse, any Error>.AsyncIterator
      ) async throws -> Void
  ) async throws {
    try await collections.watchUpdates(
      .with {
        $0.name = "collections/a"
        $0.afterDataVersion = version
      }
    ) { response in
      var messages = response.messages.makeAsyncIterator()
      try await body(&messages)
    }
  }
}

extension Wire.UpdateBatch {
  fileprivate var insertedCount: UInt32? {
    operations.operations.first?.insertItems.blocks.first?.count
  }
}
