// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Imports", .serialized, .timeLimit(.minutes(2)))
struct ImportTests {
  private typealias Part = CollectionLayout_V1_ImportContentsRequest

  private static let header = Part.with { $0.header.name = "collections/a" }
  private static let items = Part.with { $0.items.count = 7 }

  /// Takes 160 KB.
  private static let block = Part.with {
    $0.items.count = 20_000
    $0.items.widths = (0 ..< 20_000).map(Double.init)
  }
  private static let end = Part.with { $0.end = .init() }

  /// Runs a server with a collection of three items.
  private static func withCollection(
    _ configure: (inout ServiceConfiguration) -> Void = { _ in },
    body: @escaping @Sendable (Clients) async throws -> Void
  ) async throws {
    var configuration = ServiceConfiguration.patient
    configure(&configuration)
    try await withServer(configuration) { clients in
      try await clients.createCollection(items: 3)
      try await body(clients)
    }
  }

  /// The problem with an import of these parts.
  private static func refusal(
    of parts: [Part],
    _ clients: Clients
  ) async -> LayoutProblem? {
    await problem {
      _ = try await clients.importContents { writer in
        try await writer.write(contentsOf: parts)
      }
    }
  }

  private static func itemCount(_ clients: Clients) async throws -> UInt64 {
    try await clients.collections.getCollection(.with { $0.name = "collections/a" })
      .collection.itemCount
  }

  @Test("an import that ends without its end mark changes nothing and says what to add")
  func withoutEnd() async throws {
    try await Self.withCollection { clients in
      let found = await Self.refusal(of: [Self.header, Self.items], clients)
      #expect(found?.reason == .protocolViolation)
      #expect(found?.message.contains("ImportContentsRequest.end") == true)
      let count = try await Self.itemCount(clients)
      #expect(count == 3)
    }
  }

  @Test("an import whose client cancels changes nothing, whatever had arrived")
  func cancelled() async throws {
    try await Self.withCollection { clients in
      let (written, isWritten) = AsyncStream<Void>.makeStream()
      let sending = Task {
        try await clients.importContents { writer in
          try await writer.write(contentsOf: [Self.header, Self.items])
          isWritten.finish()
          await untilCancelled()
        }
      }
      for await _ in written {}
      sending.cancel()
      _ = await sending.result
      // A later import finds the version as it was.
      let response = try await clients.importContents { writer in
        var header = Self.header
        header.header.expectedDataVersion = 0
        try await writer.write(contentsOf: [header, Self.items, Self.end])
      }
      #expect(response.collection.dataVersion == 1)
    }
  }

  @Test("an end mark whose counts differ from what arrived is refused")
  func wrongCounts() async throws {
    try await Self.withCollection { clients in
      let items = await Self.refusal(
        of: [Self.header, Self.items, .with { $0.end.itemCount = 8 }],
        clients
      )
      #expect(items?.violations.map(\.field) == ["end.item_count"])
      let sections = await Self.refusal(
        of: [Self.header, Self.items, .with { $0.end.sectionCount = 2 }],
        clients
      )
      #expect(sections?.violations.map(\.field) == ["end.section_count"])
      let late = await Self.refusal(
        of: [Self.header, Self.end, Self.items],
        clients
      )
      #expect(late?.reason == .protocolViolation)
      let early = await Self.refusal(of: [Self.end], clients)
      #expect(early?.reason == .protocolViolation)
      let count = try await Self.itemCount(clients)
      #expect(count == 3)
    }
  }

  @Test("what is wrong with a part is told by the part's own fields")
  func fields() async throws {
    try await Self.withCollection { clients in
      let section = { (key: String, keys: [String]) in
        Part.with {
          $0.section.key = key
          $0.section.blocks = [
            .with {
              $0.count = UInt32(keys.count)
              $0.keys = keys
            }
          ]
        }
      }
      let items = Part.with {
        $0.items.count = 1
        $0.items.cellKinds = [3]
      }
      let cases: [([Part], String)] = [
        ([section("", ["a"]), section("x", ["b"])], "section.key"),
        ([section("x", ["a"]), section("y", ["b", ""])], "section.blocks[0].keys[1]"),
        ([section("x", ["a"]), section("y", ["a"]), Self.end], "section"),
        ([section("x", ["a"]), items], "items.cell_kinds[0]"),
      ]
      for (parts, field) in cases {
        let found = await Self.refusal(of: [Self.header] + parts, clients)
        #expect(found?.violations.map(\.field) == [field])
        #expect(found?.message.hasPrefix("\(field): ") == true)
      }
    }
  }

  @Test("what is wrong with a whole section is told with its number, once it has ended")
  func wholeSection() async throws {
    try await Self.withCollection { clients in
      for faulty in 0 ..< 3 {
        let parts = (0 ..< 3).flatMap { section in
          [
            Part.with {
              $0.section.key = "s\(section)"
              $0.section.outline = .init()
            },
            Part.with {
              $0.items.count = 2
              $0.items.keys = ["a\(section)", "b\(section)"]
              $0.items.outline.levels = [0, section == faulty ? 2 : 1]
            },
          ]
        }
        let found = await Self.refusal(of: [Self.header] + parts + [Self.end], clients)
        #expect(found?.violations.map(\.field) == ["section"])
        let fault = "section: section \(faulty): item 1 at level 2 behind one at level 0"
        #expect(found?.message.hasPrefix(fault) == true)
        #expect(found?.metadata["section"] == "\(faulty)")
        // Part 5 marks the end of section 1, but nothing is wrong with it.
        #expect(found?.metadata["part"] == nil)
      }
    }
  }

  @Test("an import whose client falls silent ends, and its place is free again")
  func silent() async throws {
    try await Self.withCollection {
      $0.calls.messageTimeout = .milliseconds(200)
      $0.calls.importsPerConnection = 1
    } body: { clients in
      for _ in 0 ..< 2 {
        let found = await problem {
          _ = try await clients.importContents { writer in
            try await writer.write(Self.header)
            await untilCancelled()
          }
        }
        #expect(found?.reason == .messageTimeout)
        #expect(found?.code == .deadlineExceeded)
      }
    }
  }

  /// Runs an import and, once it is the only one that its connection may have, `body`.
  ///
  /// Whether it is under way shows by the refusal of another one. Where the server looks at that
  /// one first, it refuses the import itself, which then begins again.
  private static func withImport(
    of parts: [Part],
    _ clients: Clients,
    _ body: @escaping @Sendable (RPCWriter<Part>) async throws -> Void
  ) async throws -> CollectionLayout_V1_ImportContentsResponse {
    while true {
      do {
        return try await clients.importContents { writer in
          try await writer.write(contentsOf: parts)
          while try await isPlaceFree(clients) {}
          try await body(writer)
        }
      } catch let error as RPCError where LayoutProblem(error).reason == .quota(.imports) {
        continue
      }
    }
  }

  /// Whether another import, which fails in any case, fails for another reason than its number.
  private static func isPlaceFree(_ clients: Clients) async throws -> Bool {
    do {
      _ = try await clients.importContents { writer in
        try await writer.write(.with { $0.header.name = "collections/none" })
      }
      return true
    } catch let error as RPCError {
      try Task.checkCancellation()
      return LayoutProblem(error).reason != .quota(.imports)
    }
  }

  @Test("an import that a drain meets is told so, not that it was cancelled")
  func draining() async throws {
    try await Self.withCollection {
      $0.calls.importsPerConnection = 1
    } body: { clients in
      let found = await problem {
        _ = try await Self.withImport(of: [Self.header, Self.items], clients) { _ in
          clients.server.beginGracefulShutdown()
          await untilCancelled()
        }
      }
      #expect(found?.reason == .serverDraining, "\(String(describing: found))")
    }
  }

  @Test("more imports at once than a connection may have are refused")
  func quota() async throws {
    try await Self.withCollection {
      $0.calls.importsPerConnection = 1
    } body: { clients in
      let response = try await Self.withImport(of: [Self.header], clients) { writer in
        try await writer.write(contentsOf: [Self.items, Self.end])
      }
      #expect(response.collection.itemCount == 7)
    }
  }

  /// The problem with an import of eight blocks, for which there is too little memory. Then three
  /// are imported: what the refused ones kept is free again.
  private static func refusalOfManyBlocks(_ clients: Clients) async throws -> LayoutProblem? {
    let found = await refusal(of: [header] + Array(repeating: block, count: 8) + [end], clients)
    #expect(found?.reason == .quota(.memory))
    let response = try await clients.importContents { writer in
      try await writer.write(contentsOf: [header, block, block, block, end])
    }
    #expect(response.collection.itemCount == 60_000)
    return found
  }

  @Test("a part counts twice while it is read: as it came and decoded")
  func reading() async throws {
    try await Self.withCollection {
      $0.memory.connection = 300_000
    } body: { clients in
      let found = await Self.refusal(of: [Self.header, Self.block, Self.end], clients)
      #expect(found?.reason == .quota(.memory))
      #expect(found?.metadata["scope"] == "connection")
      let half = Part.with {
        $0.items.count = 10_000
        $0.items.widths = (0 ..< 10_000).map(Double.init)
      }
      let response = try await clients.importContents { writer in
        try await writer.write(contentsOf: [Self.header, half, half, Self.end])
      }
      #expect(response.collection.itemCount == 20_000)
    }
  }

  @Test("what an import gathers is charged to its client's address until it ends")
  func charges() async throws {
    try await Self.withCollection {
      $0.memory.peer = 1 << 20
    } body: { clients in
      let found = try await Self.refusalOfManyBlocks(clients)
      #expect(found?.metadata["scope"] == "peer")
      #expect(found?.metadata["limitName"] == "maxPeerBytes")
      #expect(found?.message.contains("(maxPeerBytes)") == true)
    }
  }

  @Test("ten million items with keys and sizes fit into the limits, in proportion")
  func keyed() async throws {
    let share = 500
    let count = 10_000_000 / share
    let defaults = ServiceConfiguration()
    try await Self.withCollection {
      $0.calls.importBytes = defaults.calls.importBytes / share
      $0.memory.peer = defaults.memory.peer / share + (4 << 20)
    } body: { clients in
      let block = Part.with {
        $0.items.count = UInt32(count)
        $0.items.keys = (0 ..< count).map { "item-\(9_000_000 + $0)" }
        $0.items.widths = (0 ..< count).map(Double.init)
        $0.items.heights = (0 ..< count).map(Double.init)
      }
      let response = try await clients.importContents { writer in
        try await writer.write(contentsOf: [Self.header, block, Self.end])
      }
      #expect(response.collection.itemCount == UInt64(count))
    }
  }

  @Test("many sections count for what they take in memory, not for their few bytes on the wire")
  func sections() async throws {
    try await Self.withCollection {
      $0.memory.peer = 1 << 20
    } body: { clients in
      let section = Part.with { $0.section = .init() }
      let found = await Self.refusal(
        of: [Self.header] + Array(repeating: section, count: 4000) + [Self.end],
        clients
      )
      #expect(found?.reason == .quota(.memory))
    }
  }

  @Test("what an import gathers takes its room in the store from the beginning")
  func reservation() async throws {
    try await Self.withCollection {
      $0.store.residentBytes = 1 << 20
    } body: { clients in
      let found = await problem {
        _ = try await clients.importContents { writer in
          try await writer.write(Self.header)
          // It is refused before it ends.
          for _ in 0 ..< 8 { try await writer.write(Self.block) }
          await untilCancelled()
        }
      }
      #expect(found?.reason == .quota(.memory))
    }
  }

  @Test("imports that together keep too much are refused")
  func memory() async throws {
    try await Self.withCollection {
      $0.calls.importBytes = 1 << 20
    } body: { clients in
      _ = try await Self.refusalOfManyBlocks(clients)
    }
  }
}

/// Waits until the task is cancelled.
private func untilCancelled() async {
  let (events, continuation) = AsyncStream<Never>.makeStream()
  for await _ in events {}
  continuation.finish()
}
