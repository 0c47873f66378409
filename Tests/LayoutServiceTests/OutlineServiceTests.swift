// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Outlines over gRPC", .serialized, .timeLimit(.minutes(2)))
struct OutlineServiceTests {
  /// A with a1 and a2, and B.
  private func create(
    _ clients: Clients,
    _ expansion: CollectionLayout_V1_OutlineExpansion = .perViewer
  ) async throws {
    _ = try await clients.collections.createCollection(
      .with {
        $0.collectionID = "a"
        $0.collection.defaultLayout.list.rowHeight = 10
        $0.contents.sections = [
          .with {
            $0.key = "s"
            $0.outline.expansion = expansion
            $0.blocks = [
              .with {
                $0.count = 4
                $0.keys = ["A", "a1", "a2", "B"]
                $0.outline.levels = [0, 1, 1, 0]
              }
            ]
          }
        ]
      }
    )
  }

  @Test("one viewer expands, another does not notice, and a third takes the expansions over")
  func viewers() async throws {
    try await withServer { clients in
      try await create(clients)
      try await clients.withSession { other in
        _ = try await other.open()
        #expect(try await other.frame().liveCount == 2)
        try await clients.withSession { probe in
          let opened = try await probe.open {
            $0.collection = "collections/a"
            $0.capabilities.itemKeys = true
          }
          let first = try await probe.frame()
          #expect(first.elements.upserts.map(\.itemKey) == ["A", "B"])
          #expect(first.elements.upserts.map(\.outline.state) == [.collapsed, .unspecified])
          probe.send {
            $0.eventSeq = 2
            $0.outline.expand = ["A"]
          }
          let second = try await probe.frame()
          #expect(second.dataVersion == 0)
          #expect(second.liveCount == 4)
          let rows = second.elements.upserts.filter { $0.itemKey.hasPrefix("a") }
          #expect(rows.map(\.outline.level) == [1, 1])
          let answer = try await clients.queries.getExpansions(
            .with { $0.session = opened.session }
          )
          #expect(answer.expansions.expanded == ["A"])
          try await clients.withSession { third in
            _ = try await third.open {
              $0.collection = "collections/a"
              $0.expansions = answer.expansions
            }
            #expect(try await third.frame().liveCount == 4)
          }
        }
        _ = try await clients.collections.applyUpdates(
          .with {
            $0.name = "collections/a"
            $0.batch.outline.edits = [.with { $0.remove.keys = ["B"] }]
          }
        )
        #expect(try await other.frame().liveCount == 1)
      }
    }
  }

  @Test("questions can name expansions, and hidden items are not found without them")
  func questions() async throws {
    try await withServer { clients in
      try await create(clients)
      var target = CollectionLayout_V1_LayoutTarget()
      target.collection = "collections/a"
      target.viewport.size.width = 100
      target.viewport.size.height = 100
      for base in [CollectionLayout_V1_ExpansionState.Base.contents, .expanded] {
        target.expansions.base = base
        target.expansions.expanded = base == .contents ? ["A"] : []
        let answer = try await clients.queries.queryElements(.with { $0.target = target })
        #expect(answer.elements.map(\.itemKey) == ["A", "a1", "a2", "B"])
        #expect(answer.elements.map(\.outline.level) == [0, 1, 1, 0])
        #expect(answer.contentSize.height == 40)
        let next = try await clients.queries.findNeighbor(
          .with {
            $0.target = target
            $0.request.itemKey = "A"
            $0.request.step = .down
          }
        )
        #expect(next.element.itemKey == "a1")
        #expect(next.element.outline.level == 1)
      }
      target.clearExpansions()
      let hidden = target
      let found = await problem {
        _ = try await clients.queries.computeScrollTarget(
          .with {
            $0.target = hidden
            $0.request.element.itemKey = "a1"
          }
        )
      }
      #expect(found?.reason == .elementHidden)
      let start = await problem {
        _ = try await clients.queries.findNeighbor(
          .with {
            $0.target = hidden
            $0.request.itemKey = "a1"
            $0.request.step = .down
          }
        )
      }
      #expect(start?.reason == .elementHidden)
      #expect(start?.violations.map(\.field) == ["request.item_key"])
    }
  }

  @Test("a question whose expansions take many steps has the right rows, in any layout")
  func manyRows() async throws {
    try await withServer { clients in
      let parents = 20_000
      let levels: [UInt32] = [0] + (0 ..< parents).flatMap { _ in [1, 2] as [UInt32] }
      _ = try await clients.collections.createCollection(
        .with {
          $0.collectionID = "a"
          $0.collection.defaultLayout.list.rowHeight = 10
          $0.contents.sections = [
            .with {
              $0.outline.expansion = .perViewer
              $0.blocks = [
                .with {
                  $0.count = UInt32(levels.count)
                  $0.keys = levels.indices.map { "k\($0)" }
                  $0.outline.levels = levels
                }
              ]
            }
          ]
        }
      )
      var target = CollectionLayout_V1_LayoutTarget()
      target.collection = "collections/a"
      target.viewport.size.width = 100
      target.viewport.size.height = 100
      target.expansions.expanded = ["k0"]
      for isGrid in [false, true] {
        if isGrid {
          target.layout.grid.itemSize.width = 100
          target.layout.grid.itemSize.height = 10
        }
        let question = target
        let answer = try await clients.queries.queryElements(.with { $0.target = question })
        #expect(answer.elements.prefix(3).map(\.itemKey) == ["k0", "k1", "k3"])
        if !isGrid { #expect(answer.contentSize.height == Double(10 * (1 + parents))) }
      }
    }
  }

  @Test("where expansions are shared, a viewer's change is a batch that all see, also packed")
  func shared() async throws {
    try await withServer { clients in
      try await create(clients, .shared)
      try await clients.withSession { other in
        _ = try await other.open {
          $0.collection = "collections/a"
          $0.capabilities.encodings = [.packed]
        }
        _ = try await other.frame()
        try await clients.withSession { probe in
          _ = try await probe.open()
          _ = try await probe.frame()
          probe.send {
            $0.eventSeq = 2
            $0.outline.expand = ["A"]
          }
          #expect(try await probe.result(of: 2).dataVersion == 1)
        }
        let frame = try await other.frame()
        #expect(frame.dataVersion == 1)
        #expect(frame.liveCount == 4)
        #expect(frame.packed.outline.states.contains(2))
      }
    }
  }
}
