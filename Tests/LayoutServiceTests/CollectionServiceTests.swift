// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRPCCore
import LayoutEngine
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("CollectionService", .serialized, .timeLimit(.minutes(2)))
struct CollectionServiceTests {
  @Test("large requests are checked in the turn of whoever sent them")
  func turns() async throws {
    var configuration = ServiceConfiguration.patient
    // Nothing of a connection may wait, so that whatever is charged to one is refused.
    configuration.engine.waitingPerConnection = 0
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      let blocks = (0 ..< 2001).map { _ in Wire.ItemBlock.with { $0.count = 1 } }
      let found = await problem {
        _ = try await clients.collections.createCollection(
          .with {
            $0.collectionID = "b"
            $0.contents.sections = [.with { $0.blocks = blocks }]
          }
        )
      }
      #expect(found?.metadata["scope"] == "connection")
      let batch = await problem {
        _ = try await clients.collections.applyUpdates(
          .with {
            $0.name = "collections/a"
            $0.batch.snapshot = .init()
          }
        )
      }
      #expect(batch?.metadata["scope"] == "connection")
    }
  }

  @Test("a collection lives from its creation to its deletion")
  func life() async throws {
    try await withServer { clients in
      let created = try await clients.createCollection(items: 5)
      #expect(created.name == "collections/a")
      #expect(created.itemCount == 5)
      #expect(created.defaultLayout.list.rowHeight == 10)
      let updated = try await clients.collections.updateCollection(
        .with {
          $0.collection.name = "collections/a"
          $0.collection.displayName = "New"
          $0.collection.etag = created.etag
          $0.updateMask = .with { $0.paths = ["display_name"] }
        }
      ).collection
      #expect(updated.displayName == "New")
      #expect(updated.etag != created.etag)
      let stale = await problem {
        _ = try await clients.collections.deleteCollection(
          .with {
            $0.name = "collections/a"
            $0.etag = created.etag
          }
        )
      }
      #expect(stale?.reason == .versionConflict)
      #expect(stale?.code == .aborted)
      _ = try await clients.collections.deleteCollection(.with { $0.name = "collections/a" })
      let gone = await problem {
        _ = try await clients.collections.getCollection(.with { $0.name = "collections/a" })
      }
      #expect(gone?.reason == .collectionNotFound)
      _ = try await clients.collections.deleteCollection(
        .with {
          $0.name = "collections/a"
          $0.allowMissing = true
        }
      )
    }
  }

  @Test("refusals name the reason and the field")
  func refusals() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let exists = await problem { try await clients.createCollection() }
      #expect(exists?.reason == .collectionExists)
      let name = await problem { try await clients.createCollection("No Good") }
      #expect(name?.reason == .fieldInvalid)
      #expect(name?.violations.map(\.field) == ["collection_id"])
      let column = await problem {
        _ = try await clients.collections.createCollection(
          .with {
            $0.contents.sections = [
              .with {
                $0.blocks = [
                  .with {
                    $0.count = 3
                    $0.widths = [1, 2]
                  }
                ]
              }
            ]
          }
        )
      }
      #expect(column?.violations.map(\.field) == ["contents.sections[0].blocks[0].widths"])
      let mask = await problem {
        _ = try await clients.collections.updateCollection(
          .with {
            $0.collection.name = "collections/a"
            $0.updateMask = .with { $0.paths = ["item_count"] }
          }
        )
      }
      #expect(mask?.violations.map(\.field) == ["update_mask.paths[0]"])
      let token = await problem {
        _ = try await clients.collections.listCollections(.with { $0.pageToken = "nonsense" })
      }
      #expect(token?.reason == .pageTokenInvalid)
    }
  }

  @Test("lists page by page")
  func listing() async throws {
    try await withServer { clients in
      for id in ["b", "a", "c"] { try await clients.createCollection(id, items: 0) }
      let first = try await clients.collections.listCollections(.with { $0.pageSize = 2 })
      #expect(first.collections.map(\.name) == ["collections/a", "collections/b"])
      let second = try await clients.collections.listCollections(
        .with {
          $0.pageSize = 2
          $0.pageToken = first.nextPageToken
        }
      )
      #expect(second.collections.map(\.name) == ["collections/c"])
      #expect(second.nextPageToken.isEmpty)
    }
  }

  @Test("batches are versions; retries and conflicts are recognised")
  func updates() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      #expect(try await clients.insert(1, requestID: "x").dataVersion == 1)
      let again = try await clients.insert(1, requestID: "x")
      #expect(again.duplicate && again.dataVersion == 1)
      let conflict = await problem { _ = try await clients.insert(1, expected: 9) }
      #expect(conflict?.reason == .versionConflict)
      #expect(conflict?.metadata["currentDataVersion"] == "1")
      let beyond = await problem { _ = try await clients.insert(1, at: 1000) }
      #expect(beyond?.reason == .indexOutOfRange)
      #expect(beyond?.violations.first?.field.hasPrefix("batch.operations[0]") == true)
    }
  }

  @Test("watchers see every batch, and are told when their version is too old")
  func watching() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.store.historyCount = 3
    configuration.timing.watchInterval = .milliseconds(200)
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      _ = try await clients.insert(1)
      try await clients.collections.watchUpdates(.with { $0.name = "collections/a" }) { response in
        var messages = response.messages.makeAsyncIterator()
        #expect(try await messages.next()?.dataVersion == 1)
        // A sign of life, so that the watcher knows that it is up to date.
        #expect(try await messages.next()?.hasBatch == false)
        _ = try await clients.insert(7)
        let second = try await messages.next()
        #expect(second?.dataVersion == 2)
        #expect(second?.batch.operations.operations.first?.insertItems.blocks.first?.count == 7)
      }
      for _ in 0 ..< 4 { _ = try await clients.insert(1) }
      let old = await problem {
        try await clients.collections.watchUpdates(.with { $0.name = "collections/a" }) {
          for try await _ in $0.messages {}
        }
      }
      #expect(old?.reason == .historyCompacted)
      #expect(old?.metadata["minDataVersion"] == "3")
    }
  }

  @Test("a version that was never reached, or of another incarnation, is not watched from")
  func watchingWrongly() async throws {
    try await withServer { clients in
      func refusal(after version: UInt64, incarnation: UInt64) async -> LayoutProblem? {
        await problem {
          try await clients.collections.watchUpdates(
            .with {
              $0.name = "collections/a"
              $0.afterDataVersion = version
              $0.incarnation = incarnation
            }
          ) { for try await _ in $0.messages {} }
        }
      }
      let first = try await clients.createCollection()
      _ = try await clients.insert(1)
      let ahead = await refusal(after: 2, incarnation: first.incarnation)
      #expect(ahead?.code == .outOfRange && ahead?.reason == .versionAhead)
      #expect(ahead?.metadata["currentDataVersion"] == "1")
      _ = try await clients.collections.deleteCollection(.with { $0.name = "collections/a" })
      let second = try await clients.createCollection()
      _ = try await clients.insert(1)
      let changed = await refusal(after: 1, incarnation: first.incarnation)
      #expect(changed?.code == .outOfRange && changed?.reason == .incarnationChanged)
      #expect(changed?.violations.map(\.field) == ["incarnation"])
      try await clients.collections.watchUpdates(
        .with {
          $0.name = "collections/a"
          $0.incarnation = second.incarnation
        }
      ) { response in
        var messages = response.messages.makeAsyncIterator()
        let update = try await messages.next()
        #expect(update?.dataVersion == 1 && update?.incarnation == second.incarnation)
      }
    }
  }

  @Test("a default layout above the limit is refused, known to this server or not")
  func defaultLayoutSize() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.calls.defaultLayoutBytes = 1000
    try await withServer(configuration) { clients in
      var layout = Wire.LayoutSpec()
      layout.list.rowHeight = 10
      // Field 2000, of which this server knows nothing, with 2,000 bytes.
      let unknown: [UInt8] = [0x82, 0x7D, 0xD0, 0x0F] + Array(repeating: 7, count: 2000)
      let large = try Wire.LayoutSpec(serializedBytes: layout.serializedBytes() + unknown)
      let created = await problem {
        _ = try await clients.collections.createCollection(
          .with {
            $0.collectionID = "a"
            $0.collection.defaultLayout = large
          }
        )
      }
      #expect(created?.violations.map(\.field) == ["collection.default_layout"])
      try await clients.createCollection()
      let updated = await problem {
        _ = try await clients.collections.updateCollection(
          .with {
            $0.collection.name = "collections/a"
            $0.collection.defaultLayout = large
          }
        )
      }
      #expect(updated?.violations.map(\.field) == ["collection.default_layout"])
    }
  }

  @Test("pages of a list are limited in bytes, and the basic view leaves layouts out")
  func listBytes() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.calls.pageBytes = 2500
    try await withServer(configuration) { clients in
      for number in 0 ..< 5 {
        _ = try await clients.collections.createCollection(
          .with {
            $0.collectionID = "c\(number)"
            $0.collection.defaultLayout.list.rowHeight = 10
            $0.collection.defaultLayout.sectionBackgrounds = (0 ..< 8).map { index in
              .with { $0.kind = String(repeating: "k", count: 100 + index) }
            }
          }
        )
      }
      var request = CollectionLayout_V1_ListCollectionsRequest()
      var sizes: [Int] = []
      var names: [String] = []
      repeat {
        let page = try await clients.collections.listCollections(request)
        sizes.append(page.collections.count)
        names += page.collections.map(\.name)
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      #expect(names == (0 ..< 5).map { "collections/c\($0)" })
      #expect(sizes == [2, 2, 1])
      let basic = try await clients.collections.listCollections(.with { $0.view = .basic })
      #expect(basic.collections.count == 5)
      #expect(basic.collections.allSatisfy { !$0.hasDefaultLayout && $0.itemCount == 0 })
      let unknown = await problem {
        _ = try await clients.collections.listCollections(.with { $0.view = .UNRECOGNIZED(9) })
      }
      #expect(unknown?.violations.map(\.field) == ["view"])
    }
  }

  @Test("what was imported is exported, part by part")
  func importAndExport() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let count = 50_000
      let imported = try await clients.importContents { writer in
        try await writer.write(
          .with {
            $0.header.name = "collections/a"
            $0.header.cellKindNames = ["x", "y"]
          }
        )
        for section in 0 ..< 2 {
          try await writer.write(.with { $0.section.key = "s\(section)" })
          for block in 0 ..< 5 {
            try await writer.write(
              .with {
                $0.items.count = UInt32(count / 5)
                $0.items.heights = (0 ..< count / 5).map { Double($0 * 7 % 1000 + block) }
              }
            )
          }
        }
        try await writer.write(
          .with {
            $0.end.sectionCount = 2
            $0.end.itemCount = UInt64(2 * count)
          }
        )
      }
      #expect(imported.collection.itemCount == UInt64(2 * count))
      #expect(imported.collection.dataVersion == 1)
      try await clients.collections.exportContents(.with { $0.name = "collections/a" }) {
        response in
        var sections: [String] = []
        var heights: [Double] = []
        for try await part in response.messages {
          switch part.part {
          case .header(let header):
            #expect(header.dataVersion == 1)
            #expect(part.cellKindNames == ["x", "y"])
          case .section(let section): sections.append(section.key)
          case .items(let block):
            let bytes: [UInt8] = try block.serializedBytes()
            #expect(bytes.count <= 1 << 20)
            heights += block.heights
          case nil: Issue.record("an empty part")
          }
        }
        #expect(sections == ["s0", "s1"])
        #expect(heights.count == 2 * count)
        #expect(heights[count + 3] == 21)
      }
    }
  }

  @Test("many small sections cost an export what they take, not what large ones would")
  func exportOfSmallSections() async throws {
    let storage = MemoryStorage(keepsContents: true)
    let count = 1000
    try await withServer(storage: storage) { clients in
      try await clients.createCollection(items: 0)
      _ = try await clients.importContents { writer in
        try await writer.write(.with { $0.header.name = "collections/a" })
        for section in 0 ..< count {
          try await writer.write(.with { $0.section.key = "s\(section)" })
          try await writer.write(.with { $0.items.count = 1 })
        }
        try await writer.write(.with { $0.end = .init() })
      }
    }
    var configuration = ServiceConfiguration.patient
    configuration.calls.workPerSecond = 1
    configuration.calls.workBurst = 500
    configuration.calls.workFactorPerHost = 1
    configuration.calls.longestDelay = .milliseconds(10)
    try await withServer(configuration, storage: storage) { clients in
      try await clients.collections.exportContents(.with { $0.name = "collections/a" }) {
        response in
        var sections: [String] = []
        var items = 0
        for try await part in response.messages {
          switch part.part {
          case .section(let section): sections.append(section.key)
          case .items(let block): items += Int(block.count)
          default: break
          }
        }
        #expect(sections == (0 ..< count).map { "s\($0)" })
        #expect(items == count)
      }
    }
  }

  @Test("an import that fails changes nothing")
  func failedImport() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 3)
      let refused = await problem {
        _ = try await clients.importContents { writer in
          try await writer.write(.with { $0.header.name = "collections/a" })
          try await writer.write(
            .with {
              $0.items.count = 2
              $0.items.heights = [-1]
            }
          )
        }
      }
      #expect(refused?.reason == .fieldInvalid)
      #expect(refused?.violations.first?.field.hasPrefix("items.heights") == true)
      let headless = await problem {
        _ = try await clients.importContents { writer in
          try await writer.write(.with { $0.items.count = 2 })
        }
      }
      #expect(headless?.reason == .protocolViolation)
      let collection = try await clients.collections.getCollection(
        .with { $0.name = "collections/a" }
      ).collection
      #expect(collection.itemCount == 3 && collection.dataVersion == 0)
    }
  }

  @Test("a message above the limit is refused with a reason")
  func messageSize() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.limits.messageBytes = 1000
    try await withServer(configuration) { clients in
      let large = await problem {
        _ = try await clients.collections.getCollection(
          .with { $0.name = String(repeating: "x", count: 2000) }
        )
      }
      #expect(large?.reason == .messageTooLarge)
    }
  }
}
