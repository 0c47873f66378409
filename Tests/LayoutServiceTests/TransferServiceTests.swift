// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutClient
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Transfers over gRPC", .serialized, .timeLimit(.minutes(2)))
struct TransferServiceTests {
  private func create(_ clients: Clients, _ id: String, kind: String = "") async throws {
    _ = try await clients.collections.createCollection(
      .with {
        $0.collectionID = id
        $0.collection.defaultLayout.list.rowHeight = 10
        $0.contents.cellKindNames = [kind]
        $0.contents.sections = [
          .with {
            $0.blocks = [
              .with {
                $0.count = 4
                $0.keys = (0 ..< 4).map { "\(id)\($0)" }
              }
            ]
          }
        ]
      }
    )
  }

  private func keys(_ clients: Clients, _ id: String) async throws -> [String] {
    try await clients.collections.exportContents(.with { $0.name = "collections/\(id)" }) {
      response in
      var keys: [String] = []
      for try await message in response.messages { keys += message.items.keys }
      return keys
    }
  }

  private func request(
    _ keys: [String],
    _ fill: (inout CollectionLayout_V1_TransferItemsRequest) -> Void = { _ in }
  ) -> CollectionLayout_V1_TransferItemsRequest {
    .with {
      $0.source.name = "collections/a"
      $0.source.keys = keys
      $0.destination.name = "collections/b"
      $0.destination.at.item = 1
      fill(&$0)
    }
  }

  @Test("items arrive with their kinds, watchers get both batches, and a retry changes nothing")
  func transfer() async throws {
    try await withServer { clients in
      try await create(clients, "a", kind: "photo")
      try await create(clients, "b")
      let transfer = request(["a2", "a0"]) { $0.requestID = "once" }
      let first = try await clients.collections.transferItems(transfer)
      #expect(first.sourceDataVersion == 1 && first.destinationDataVersion == 1)
      let again = try await clients.collections.transferItems(transfer)
      #expect(again.duplicate && again.sourceDataVersion == 1 && again.destinationDataVersion == 1)
      let late = request(["a2", "a0"]) {
        $0.requestID = "once"
        $0.source.expectedDataVersion = 99
      }
      #expect(try await clients.collections.transferItems(late).duplicate)
      let other = request(["a1"]) { $0.requestID = "once" }
      let refused = await problem { _ = try await clients.collections.transferItems(other) }
      #expect(refused?.reason == .fieldInvalid && refused?.violations.first?.field == "request_id")
      #expect(try await keys(clients, "a") == ["a1", "a3"])
      #expect(try await keys(clients, "b") == ["b0", "a2", "a0", "b1", "b2", "b3"])
      let batches = try await ["a", "b"].asyncMap { id in
        try await clients.collections.watchUpdates(.with { $0.name = "collections/\(id)" }) {
          try await $0.messages.first { $0.hasBatch }?.batch
        }
      }
      #expect(batches.map { $0?.requestID } == ["once", "once"])
      #expect(batches[1]?.newCellKindNames == ["photo"])
      #expect(batches[0]?.newCellKindNames == [])
      let address = ServerAddress(host: "127.0.0.1", port: clients.port)
      let back = try await LayoutClient.connect(to: address) { client in
        try await client.transfer(
          ItemTransfer(.keys(["a0"]), to: .relative(.before("a1"))),
          from: "collections/b",
          to: "collections/a"
        )
      }
      #expect(back.sourceVersion == 2 && back.destinationVersion == 2 && !back.isDuplicate)
      #expect(try await keys(clients, "a") == ["a0", "a1", "a3"])
    }
  }

  @Test("what is wrong is told with its field, and changes neither collection")
  func refusals() async throws {
    try await withServer { clients in
      try await create(clients, "a")
      try await create(clients, "b")
      typealias Request = CollectionLayout_V1_TransferItemsRequest
      let cases: [(LayoutProblem.Reason, String, (inout Request) -> Void)] = [
        (.fieldInvalid, "source.name", { $0.source.name = "a" }),
        (.fieldInvalid, "source.keys", { $0.source.keys = [] }),
        (.fieldInvalid, "source.keys", { $0.source.paths = [.with { $0.item = 0 }] }),
        (.fieldInvalid, "destination.name", { $0.destination.name = "collections/a" }),
        (.fieldInvalid, "destination.place", { $0.destination.place = nil }),
        (.fieldInvalid, "request_id", { $0.requestID = String(repeating: "x", count: 129) }),
        (.indexOutOfRange, "destination.at.item", { $0.destination.at.item = 5 }),
        (.indexOutOfRange, "destination.at.section", { $0.destination.at.section = 1 }),
        (.keyUnknown, "source.keys[1]", { $0.source.keys.append("b0") }),
        (.versionConflict, "source.expected_data_version", { $0.source.expectedDataVersion = 1 }),
        (
          .versionConflict, "destination.expected_data_version",
          { $0.destination.expectedDataVersion = 1 }
        ),
        (.collectionNotFound, "", { $0.destination.name = "collections/no" }),
        (.collectionNotFound, "", { $0.source.name = "collections/no" }),
      ]
      for (reason, field, change) in cases {
        let request = request(["a0"], change)
        let found = await problem { _ = try await clients.collections.transferItems(request) }
        #expect(found?.reason == reason, "\(field)")
        if !field.isEmpty { #expect(found?.violations.first?.field == field) }
      }
      #expect(try await keys(clients, "a").count == 4)
      #expect(try await keys(clients, "b").count == 4)
    }
  }

  @Test("items are dragged from one viewer's collection into another's, and keep their element")
  func dragging() async throws {
    try await withServer { clients in
      try await create(clients, "a", kind: "photo")
      try await create(clients, "b")
      try await clients.withSession { source in
        _ = try await source.open()
        #expect(try await source.frame().liveCount == 4)
        try await clients.withSession { probe in
          _ = try await probe.open {
            $0.collection = "collections/b"
            $0.capabilities.itemKeys = true
          }
          _ = try await probe.frame()
          probe.send {
            $0.eventSeq = 2
            $0.movement.beginForeign.collectionItems = .with {
              $0.collection = "collections/a"
              $0.keys = ["a1", "a3"]
            }
          }
          #expect(try await probe.result(of: 2).hasProblem == false)
          probe.send {
            $0.eventSeq = 3
            $0.movement.position = .with {
              $0.x = 50
              $0.y = 15
            }
          }
          let shown = try await probe.frame()
          let held = shown.elements.upserts.filter { $0.itemKey.hasPrefix("a") }
          #expect(
            held.map(\.itemKey) == ["a1", "a3"] && held.map(\.key.kind) == ["photo", "photo"]
          )
          probe.send {
            $0.eventSeq = 4
            $0.movement.end = true
          }
          let result = try await probe.result(of: 4)
          #expect(result.dataVersion == 1 && !result.hasProblem)
          let dropped = try await probe.frame()
          #expect(dropped.baseFrameSeq != 0 && dropped.elements.removedSlots.isEmpty)
          let cells = dropped.elements.upserts.filter { $0.itemKey.hasPrefix("a") }
          #expect(cells.map(\.slot) == held.map(\.slot))
        }
        #expect(try await source.frame().liveCount == 2)
      }
      #expect(try await keys(clients, "b") == ["b0", "a1", "a3", "b1", "b2", "b3"])
    }
  }

  @Test("a collection that goes while its items are held refuses the drop, and the session goes on")
  func lostSource() async throws {
    try await withServer { clients in
      try await create(clients, "a")
      try await create(clients, "b")
      try await clients.withSession { probe in
        _ = try await probe.open { $0.collection = "collections/b" }
        _ = try await probe.frame()
        var seq: UInt64 = 1
        func step(_ fill: (inout Wire.InteractiveMovement) -> Void) async throws -> Wire.EventResult
        {
          seq += 1
          probe.send {
            $0.eventSeq = seq
            fill(&$0.movement)
          }
          return try await probe.result(of: seq)
        }
        func begin(_ collection: String, _ key: String) async throws -> Wire.EventResult {
          try await step {
            $0.beginForeign.collectionItems.collection = collection
            $0.beginForeign.collectionItems.keys = [key]
          }
        }
        for (name, key, reason) in [
          ("collections/no", "a0", LayoutProblem.Reason.collectionNotFound),
          ("a", "a0", .fieldInvalid), ("collections/b", "b0", .fieldInvalid),
          ("collections/a", "no", .keyUnknown),
        ] {
          let refused = try await begin(name, key)
          #expect(refused.problem.reason == reason.rawValue)
        }
        let begun = try await begin("collections/a", "a0")
        let placed = try await step { $0.target.item = 2 }
        #expect(!begun.hasProblem && !placed.hasProblem)
        _ = try await clients.collections.deleteCollection(.with { $0.name = "collections/a" })
        let dropped = try await step { $0.end = true }
        #expect(dropped.problem.reason == "COLLECTION_NOT_FOUND")
        let again = try await step { $0.end = true }
        #expect(again.problem.reason == "WRONG_STATE")
      }
      #expect(try await keys(clients, "b").count == 4)
    }
  }
}

extension Array {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
