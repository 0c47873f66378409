// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import GRPCCore
import LayoutProtocol
import ResourceAccounting
import SwiftProtobuf
import Testing

@testable import LayoutService

/// What clients may make the server keep, over the wire.
@Suite("Memory limits", .timeLimit(.minutes(5)))
struct MemoryLimitTests {
  private func configuration(_ change: (inout MemoryLimits) -> Void) -> ServiceConfiguration {
    var configuration = ServiceConfiguration.patient
    change(&configuration.memory)
    return configuration
  }

  /// Contents of so many items of different sizes: some 16 bytes each.
  private func contents(_ count: Int) -> Wire.CollectionContents {
    .with {
      $0.sections = [
        .with {
          $0.blocks = [
            .with {
              $0.count = UInt32(count)
              $0.widths = (0 ..< count).map { 10 + Double($0 % 97) / 3 }
              $0.heights = (0 ..< count).map { 10 + Double($0 % 89) / 3 }
            }
          ]
        }
      ]
    }
  }

  private func opening(_ count: Int) -> @Sendable (inout Wire.OpenSession) -> Void {
    let contents = contents(count)
    return {
      $0.inlineContents = contents
      $0.layout.flow = .init()
    }
  }

  @Test("private contents above the limit of a session end it with the limit's name, nobody else")
  func session() async throws {
    try await withServer(configuration { $0.session = 1 << 20 }) { clients in
      try await clients.createCollection()
      try await clients.withSession { neighbour in
        _ = try await neighbour.open()
        _ = try await neighbour.frame()
        let found = await problem {
          try await clients.withSession { probe in
            _ = try await probe.open(opening(100_000))
            _ = try await probe.frame()
          }
        }
        #expect(found?.code == .resourceExhausted)
        #expect(found?.reason == .quota(.memory))
        #expect(found?.metadata["scope"] == "session")
        #expect(found?.metadata["limit"] == String(1 << 20))
        _ = try await clients.insert(5)
        _ = try await neighbour.frame()
      }
      try await clients.withSession { probe in
        _ = try await probe.open(opening(1000))
        _ = try await probe.frame()
      }
    }
  }

  /// A collection "a" whose default layout takes about a mebibyte once it is read. No call brings
  /// it, which would be charged for more.
  private func createWithLargeLayout(_ clients: Clients) async throws {
    var layout = Wire.LayoutSpec()
    layout.compositional.sections = (0 ..< 1000).map { number in
      .with {
        $0.name = "section\(number)"
        $0.group.axis = .horizontal
        $0.group.size.width.fractionalWidth = 1
        $0.group.size.height.absolute = 20
        $0.group.subitems = (0 ..< 7).map { _ in
          .with {
            $0.item.size.width.fractionalWidth = 0.125
            $0.item.size.height.absolute = 20
          }
        }
      }
    }
    let record = CollectionRecord(id: "a", defaultLayout: try layout.serializedBytes())
    let contents = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 5)])])
    _ = try await clients.server.services.registry.create(record, contents: contents)
  }

  @Test("a session is charged for the default layout of its collection")
  func defaultLayout() async throws {
    try await withServer(configuration { $0.session = 256 << 10 }) { clients in
      try await createWithLargeLayout(clients)
      let found = await problem {
        try await clients.withSession { probe in
          _ = try await probe.open { $0.collection = "collections/a" }
          _ = try await probe.frame()
        }
      }
      #expect(found?.reason == .quota(.memory))
      #expect(found?.metadata["scope"] == "session")
    }
  }

  @Test("sessions that use the default layout of a collection cost their connection one")
  func sharedDefaultLayout() async throws {
    try await withServer { clients in
      try await createWithLargeLayout(clients)
      let server = clients.server.services.accounts.server
      try await clients.withSession { first in
        let unused = server.used
        _ = try await first.open { $0.collection = "collections/a" }
        _ = try await first.frame()
        let before = server.used
        #expect(before - unused > 256 << 10)
        try await clients.withSession { second in
          _ = try await second.open { $0.collection = "collections/a" }
          _ = try await second.frame()
          #expect(server.used - before < 48 << 10)
          try await second.discard()
        }
        try await first.discard()
      }
      await clients.sessionsEnd()
    }
  }

  @Test("sessions of one connection have its limit in common")
  func connection() async throws {
    let limits = configuration { $0.connection = 2 << 20 }
    try await withServer(limits) { clients in
      try await clients.withSession { first in
        _ = try await first.open(opening(60_000))
        _ = try await first.frame()
        let found = await problem {
          try await clients.withSession { second in
            _ = try await second.open(opening(90_000))
            _ = try await second.frame()
          }
        }
        #expect(found?.reason == .quota(.memory))
        #expect(found?.metadata["scope"] == "connection")
        // The first goes on.
        first.send {
          $0.eventSeq = 2
          $0.resync = .init()
        }
        _ = try await first.result(of: 2)
      }
    }
  }

  @Test("sessions that look at the same layout cost their connection one")
  func sharedLayouts() async throws {
    try await withServer { clients in
      let contents = contents(50_000)
      _ = try await clients.collections.createCollection(
        .with {
          $0.collectionID = "a"
          $0.contents = contents
        }
      )
      let peers = clients.server.services.accounts.server
      try await clients.withSession { first in
        _ = try await first.open { probe in
          probe.collection = "collections/a"
          probe.layout.flow = .init()
        }
        _ = try await first.frame()
        let before = peers.used
        try await clients.withSession { second in
          _ = try await second.open { probe in
            probe.collection = "collections/a"
            probe.layout.flow = .init()
          }
          _ = try await second.frame()
          // The session itself, and no second layout.
          #expect(peers.used - before < 48 << 10)
          try await second.discard()
        }
        try await first.discard()
      }
      await clients.sessionsEnd()
    }
  }

  @Test("what a session cost its connection is there for the next one once it has ended")
  func successors() async throws {
    // Room for one such session at a time.
    try await withServer(configuration { $0.connection = 2 << 20 }) { clients in
      for _ in 0 ..< 4 {
        try await clients.withSession { probe in
          _ = try await probe.open(opening(60_000))
          _ = try await probe.frame()
          try await probe.discard()
        }
      }
    }
  }

  @Test("queries of inline contents above the limit of a call are refused")
  func queries() async throws {
    try await withServer(configuration { $0.session = 1 << 20 }) { clients in
      let inline = contents(100_000)
      let found = await problem {
        _ = try await clients.queries.getContentSize(
          .with {
            $0.target.inlineContents = inline
            $0.target.layout.flow = .init()
            $0.target.viewport.size.width = 300
            $0.target.viewport.size.height = 300
          }
        )
      }
      #expect(found?.reason == .quota(.memory))
      #expect(found?.metadata["scope"] == "call")
    }
  }
}
