// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import GRPCCore
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutService
import LayoutSession
import SwiftProtobuf
import Testing

@Suite("Named layouts", .serialized, .timeLimit(.minutes(3)))
struct NamedLayoutServiceTests {
  private static let name = "collections/a/layouts/wall"

  /// A collection "a" of 100 items with a named layout "wall", rows of this height.
  private static func create(_ clients: Clients, rowHeight: Double = 20) async throws {
    try await clients.createCollection()
    _ = try await clients.collections.createLayout(
      .with {
        $0.parent = "collections/a"
        $0.layoutID = "wall"
        $0.layout.displayName = "Wall"
        $0.layout.layout.list.rowHeight = rowHeight
      }
    )
  }

  @discardableResult
  private static func update(
    _ clients: Clients,
    rowHeight: Double,
    animated: Bool = false,
    etag: String = ""
  ) async throws -> CollectionLayout_V1_NamedLayout {
    try await clients.collections.updateLayout(
      .with {
        $0.layout.name = name
        $0.layout.etag = etag
        $0.layout.layout.list.rowHeight = rowHeight
        $0.animated = animated
      }
    ).layout
  }

  @Test("they are created, read, listed page by page, updated and deleted")
  func calls() async throws {
    try await withServer { clients in
      try await Self.create(clients)
      let first = try await clients.collections.getLayout(.with { $0.name = Self.name }).layout
      #expect(first.name == Self.name && first.displayName == "Wall")
      #expect(first.layout.list.rowHeight == 20 && !first.etag.isEmpty)
      for id in ["c", "b"] {
        _ = try await clients.collections.createLayout(
          .with {
            $0.parent = "collections/a"
            $0.layoutID = id
            $0.layout.layout.grid = .init()
          }
        )
      }
      var request = CollectionLayout_V1_ListLayoutsRequest()
      request.parent = "collections/a"
      request.pageSize = 2
      var names: [String] = []
      repeat {
        let page = try await clients.collections.listLayouts(request)
        names += page.layouts.map(\.name)
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      #expect(names == ["b", "c", "wall"].map { "collections/a/layouts/\($0)" })
      let updated = try await Self.update(clients, rowHeight: 30, etag: first.etag)
      #expect(updated.displayName == "Wall" && updated.layout.list.rowHeight == 30)
      #expect(updated.etag != first.etag)
      let renamed = try await clients.collections.updateLayout(
        .with {
          $0.layout.name = Self.name
          $0.layout.displayName = "W"
          $0.updateMask.paths = ["display_name"]
        }
      ).layout
      #expect(renamed.displayName == "W" && renamed.layout.list.rowHeight == 30)
      _ = try await clients.collections.deleteLayout(.with { $0.name = Self.name })
      _ = try await clients.collections.deleteLayout(
        .with {
          $0.name = Self.name
          $0.allowMissing = true
        }
      )
      let gone = await problem {
        _ = try await clients.collections.getLayout(.with { $0.name = Self.name })
      }
      #expect(gone?.code == .notFound && gone?.reason == .layoutNotFound)
      let collection = try await clients.collections
        .getCollection(.with { $0.name = "collections/a" }).collection
      #expect(collection.dataVersion == 0)
    }
  }

  @Test("what is refused is told with its field")
  func refusals() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.store.layoutCount = 1
    configuration.calls.defaultLayoutBytes = 2000
    try await withServer(configuration) { clients in
      try await Self.create(clients)
      func create(
        _ change: @escaping @Sendable (inout CollectionLayout_V1_CreateLayoutRequest) -> Void
      ) async -> LayoutProblem? {
        await problem {
          _ = try await clients.collections.createLayout(
            .with {
              $0.parent = "collections/a"
              $0.layoutID = "x"
              $0.layout.layout.list = .init()
              change(&$0)
            }
          )
        }
      }
      func field(_ problem: LayoutProblem?) -> String? { problem?.violations.first?.field }
      let taken = await create { $0.layoutID = "wall" }
      #expect(taken?.code == .alreadyExists && taken?.reason == .layoutExists)
      let many = await create { _ in }
      #expect(many?.code == .resourceExhausted && many?.reason == .quota(.layouts))
      let orphan = await create { $0.parent = "collections/none" }
      #expect(orphan?.reason == .collectionNotFound)
      let empty = await create { $0.clearLayout() }
      #expect(empty?.reason == .layoutKindUnknown)
      let faults: [(String, @Sendable (inout CollectionLayout_V1_CreateLayoutRequest) -> Void)] = [
        ("layout_id", { $0.layoutID = "A b" }),
        ("parent", { $0.parent = "x" }),
        ("layout.layout.list.row_height", { $0.layout.layout.list.rowHeight = -1 }),
        (
          "layout.layout",
          { $0.layout.layout.sectionBackgrounds = [.with { $0.sections = Array(0 ..< 3000) }] }
        ),
        ("layout.display_name", { $0.layout.displayName = String(repeating: "x", count: 257) }),
      ]
      for (name, change) in faults {
        let found = await create(change)
        #expect(field(found) == name)
      }
      let stale = await problem { try await Self.update(clients, rowHeight: 9, etag: "old") }
      #expect(stale?.reason == .versionConflict && field(stale) == "layout.etag")
      let mask = await problem {
        _ = try await clients.collections.updateLayout(
          .with {
            $0.layout.name = Self.name
            $0.updateMask.paths = ["etag"]
          }
        )
      }
      #expect(field(mask) == "update_mask.paths[0]")
      let token = await problem {
        _ = try await clients.collections.listLayouts(
          .with {
            $0.parent = "collections/a"
            $0.pageToken = "x"
          }
        )
      }
      #expect(token?.reason == .pageTokenInvalid)
      let info = try await clients.queries.getServerInfo(.init())
      #expect(info.limits.maxLayoutsPerCollection == 1)
    }
  }

  @Test("a session opened with a name follows its layout, as a transition if the update says so")
  func following() async throws {
    try await withServer { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.collection = "collections/a"
          $0.layoutName = Self.name
          $0.capabilities.animations = true
        }
        var frame = try await probe.frame()
        #expect(frame.contentSize.height == 2000)
        let version = frame.layoutVersion
        try await Self.update(clients, rowHeight: 30)
        frame = try await probe.frame()
        #expect(frame.contentSize.height == 3000 && !frame.hasTransition)
        #expect(frame.layoutVersion > version && frame.dataVersion == 0)
        try await Self.update(clients, rowHeight: 40, animated: true)
        frame = try await probe.frame()
        #expect(frame.contentSize.height == 4000 && frame.transition.animated)
        // Deleted: nothing changes. Created anew: it is followed again.
        _ = try await clients.collections.deleteLayout(.with { $0.name = Self.name })
        probe.send {
          $0.eventSeq = 2
          $0.viewport.size = .with {
            $0.width = 110
            $0.height = 200
          }
        }
        frame = try await probe.frame()
        #expect(frame.contentSize.width == 110 && frame.contentSize.height == 4000)
        _ = try await clients.collections.createLayout(
          .with {
            $0.parent = "collections/a"
            $0.layoutID = "wall"
            $0.layout.layout.list.rowHeight = 50
          }
        )
        frame = try await probe.frame()
        #expect(frame.contentSize.height == 5000)
      }
    }
  }

  @Test("a session takes a named layout by an event, and leaves it with another layout")
  func events() async throws {
    try await withServer { clients in
      try await Self.create(clients)
      try await clients.createCollection("b")
      try await clients.withSession { probe in
        _ = try await probe.open()
        _ = try await probe.frame()
        let missing = try await probe.change(2) { $0.layoutName = "collections/a/layouts/none" }
        #expect(missing.reason == "LAYOUT_NOT_FOUND")
        let foreign = try await probe.change(3) { $0.layoutName = "collections/b/layouts/wall" }
        #expect(foreign.fieldViolations.map(\.field) == ["layout_name"])
        let both = try await probe.change(4) {
          $0.layoutName = Self.name
          $0.layout.grid = .init()
        }
        #expect(both.fieldViolations.map(\.field) == ["layout_name"])
        let taken = try await probe.change(5) { $0.layoutName = Self.name }
        #expect(taken.code == 0)
        #expect(try await probe.frame().contentSize.height == 2000)
        try await Self.update(clients, rowHeight: 30)
        #expect(try await probe.frame().contentSize.height == 3000)
        let left = try await probe.change(6) { $0.layout.list.rowHeight = 7 }
        #expect(left.code == 0)
        #expect(try await probe.frame().contentSize.height == 700)
        try await Self.update(clients, rowHeight: 60)
        _ = try await clients.insert(1)
        let frame = try await probe.frame()
        #expect(frame.contentSize.height == 707 && frame.dataVersion == 1)
      }
    }
  }

  @Test("an update reaches all viewers, who share one preparation")
  func sharing() async throws {
    try await withServer { clients in
      try await Self.create(clients)
      let viewers = 20
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0 ..< viewers {
          group.addTask {
            try await clients.withSession { probe in
              _ = try await probe.open {
                $0.collection = "collections/a"
                $0.layoutName = Self.name
              }
              var frame = try await probe.frame()
              if index == 0 { try await Self.update(clients, rowHeight: 30) }
              while frame.contentSize.height != 3000 { frame = try await probe.frame() }
            }
          }
        }
        try await group.waitForAll()
      }
      let cache = try await clients.queries.getServerInfo(.init()).cache
      #expect(cache.misses <= 2)
    }
  }

  @Test("a resumed session goes on to follow, and takes what was updated meanwhile")
  func resuming() async throws {
    try await withServer { clients in
      try await Self.create(clients)
      let opened = try await clients.withSession { probe in
        let opened = try await probe.open {
          $0.collection = "collections/a"
          $0.layoutName = Self.name
        }
        _ = try await probe.frame()
        return opened
      }
      try await Self.update(clients, rowHeight: 30)
      try await clients.withSession { probe in
        let again = try await probe.open { open in
          open.resume.resumeToken = opened.resumeToken
          open.resume.lastFrameSeq = 1
        }
        #expect(again.session == opened.session)
        var frame = try await probe.frame()
        while frame.contentSize.height != 3000 { frame = try await probe.frame() }
        try await Self.update(clients, rowHeight: 40)
        #expect(try await probe.frame().contentSize.height == 4000)
      }
    }
  }

  @Test("queries name a layout, and are refused one that is not there")
  func queries() async throws {
    try await withServer { clients in
      try await Self.create(clients)
      func size(
        _ fill: @escaping @Sendable (inout Wire.LayoutTarget) -> Void
      ) async throws -> Double {
        try await clients.queries.getContentSize(
          .with {
            $0.target.collection = "collections/a"
            fill(&$0.target)
          }
        ).contentSize.height
      }
      #expect(try await size { $0.layoutName = Self.name } == 2000)
      try await Self.update(clients, rowHeight: 30)
      #expect(try await size { $0.layoutName = Self.name } == 3000)
      let missing = await problem {
        _ = try await size { $0.layoutName = "collections/a/layouts/x" }
      }
      #expect(missing?.reason == .layoutNotFound)
      for fill: @Sendable (inout Wire.LayoutTarget) -> Void in [
        {
          $0.layoutName = Self.name
          $0.layout.grid = .init()
        },
        { $0.layoutName = "wall" },
        {
          $0.layoutName = Self.name
          $0.inlineContents = .init()
        },
      ] {
        let found = await problem { _ = try await size(fill) }
        #expect(found?.violations.map(\.field) == ["target.layout_name"])
      }
    }
  }

  @Test("they outlive a restart of the server, with the sessions that follow them")
  func restart() async throws {
    try await withStore { store in
      try await store.serve { clients in try await Self.create(clients) }
      try await store.serve { clients in
        try await clients.withSession { probe in
          _ = try await probe.open {
            $0.collection = "collections/a"
            $0.layoutName = Self.name
          }
          #expect(try await probe.frame().contentSize.height == 2000)
        }
      }
    }
  }

  @Test("the Swift client makes all calls, and a viewer follows")
  func client() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let address = try #require(ServerAddress("127.0.0.1:\(clients.port)"))
      try await LayoutClient.connect(to: address) { client in
        let list = LayoutConfiguration(ListLayout(rowHeight: 20))
        let created = try await client.createLayout(list, id: "wall", of: "collections/a")
        #expect(created.name == Self.name && created.layout == list)
        #expect(try await client.layout(named: Self.name) == created)
        let size = try await client.contentSize(
          of: .collection("collections/a"),
          layoutName: Self.name,
          viewport: ViewportChange(size: Size(width: 100, height: 200))
        )
        #expect(size.height == 2000)
        let other = LayoutConfiguration(ListLayout(rowHeight: 30))
        let updated = try await client.updateLayout(
          Self.name,
          to: other,
          displayName: "W",
          etag: created.etag
        )
        #expect(try await client.listLayouts(of: "collections/a") == [updated])
        try await client.deleteLayout(Self.name, etag: updated.etag)
        try await client.deleteLayout(Self.name, allowMissing: true)
      }
    }
  }
}

extension SessionProbe {
  /// Sends a change of layout as the event `seq`.
  ///
  /// - Returns: why it was refused; empty if it was not.
  fileprivate mutating func change(
    _ seq: UInt64,
    _ fill: (inout Wire.LayoutChange) -> Void
  ) async throws -> Wire.Problem {
    send {
      $0.eventSeq = seq
      fill(&$0.layout)
    }
    while let response = try await next() {
      // Frames stay for those who wait for them.
      if case .eventResult(let result) = response.message, result.eventSeq == seq {
        return result.problem
      }
    }
    throw StreamEnded()
  }
}
