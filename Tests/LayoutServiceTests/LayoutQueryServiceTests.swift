// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutEngine
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("LayoutQueryService", .serialized, .timeLimit(.minutes(2)))
struct LayoutQueryServiceTests {
  private static func target(_ items: Int) -> Wire.LayoutTarget {
    .with {
      $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = UInt32(items) }] }]
      $0.layout.list.rowHeight = 10
      $0.viewport.size = .with {
        $0.width = 100
        $0.height = 50
      }
    }
  }

  @Test("contents that come with the question are laid out and asked")
  func inline() async throws {
    try await withServer { clients in
      let target = Self.target(20)
      let size = try await clients.queries.getContentSize(.with { $0.target = target })
      #expect(size.contentSize.width == 100)
      #expect(size.contentSize.height == 200)
      let hit = try await clients.queries.hitTest(
        .with {
          $0.target = target
          $0.point.y = 35
        }
      )
      #expect(hit.element.key.indexPath.item == 3)
      let attributes = try await clients.queries.batchGetAttributes(
        .with {
          $0.target = target
          $0.keys = [UInt32(2), 99].map { item in
            .with {
              $0.category = .cell
              $0.indexPath.item = item
            }
          }
        }
      )
      #expect(attributes.elements.map(\.hasAttributes) == [true, false])
      #expect(attributes.elements[0].attributes.frame.y == 20)
      let scroll = try await clients.queries.computeScrollTarget(
        .with {
          $0.target = target
          $0.request.element.key.category = .cell
          $0.request.element.key.indexPath.item = 10
          $0.request.element.position = .start
        }
      )
      #expect(scroll.contentOffset.y == 100)
    }
  }

  @Test("a question about an element that is not there names the field that was set")
  func missingElements() async throws {
    try await withServer { clients in
      let step = await problem {
        _ = try await clients.queries.findNeighbor(
          .with {
            $0.target = Self.target(20)
            $0.request.key.category = .cell
            $0.request.key.indexPath.item = 99
            $0.request.step = .next
          }
        )
      }
      #expect(step?.violations.map(\.field) == ["request.key"])
      let text = try #require(step?.violations.first?.description)
      #expect(text.hasPrefix("cell at (0, 99) found; the layout places no"), "\(text)")
      let unknown = await problem {
        _ = try await clients.queries.computeScrollTarget(
          .with {
            $0.target = Self.target(20)
            $0.request.element.itemKey = "zzz"
          }
        )
      }
      #expect(unknown?.violations.map(\.field) == ["request.element.item_key"])
      #expect(unknown?.violations.first?.description == "\"zzz\" found; no item has this key")
    }
  }

  @Test("a step leads to an item and tells how to show it; one without a start is refused")
  func neighbors() async throws {
    try await withServer { clients in
      func neighbor(
        _ step: CollectionLayout_V1_NeighborStep,
        _ make: (inout CollectionLayout_V1_NeighborRequest) -> Void = { _ in }
      ) async throws -> CollectionLayout_V1_FindNeighborResponse {
        var request = CollectionLayout_V1_FindNeighborRequest()
        request.target = Self.target(20)
        request.request.step = step
        make(&request.request)
        return try await clients.queries.findNeighbor(request)
      }
      let last = try await neighbor(.last)
      #expect(last.element.key.indexPath.item == 19)
      #expect(last.element.attributes.frame.y == 190)
      #expect(last.contentOffset.y == 150)
      #expect(!last.hasSectionOffset)
      let page = try await neighbor(.pageDown) {
        $0.point.y = 5
        $0.position = .start
      }
      #expect(page.element.key.indexPath.item == 4)
      #expect(page.contentOffset.y == 40)
      let nowhere = try await neighbor(.previous) {
        $0.key.category = .cell
        $0.key.indexPath.item = 0
      }
      #expect(!nowhere.hasElement)
      #expect(nowhere.contentOffset.y == 0)

      let wrong:
        [(
          field: String, CollectionLayout_V1_NeighborStep,
          (inout CollectionLayout_V1_NeighborRequest) -> Void
        )] = [
          ("request.start", .up, { _ in }),
          ("request.step", .unspecified, { $0.itemKey = "k" }),
          ("request.step", .UNRECOGNIZED(77), { $0.itemKey = "k" }),
          ("request.point.x", .up, { $0.point.x = .nan }),
          ("request.position", .first, { $0.position = .UNRECOGNIZED(9) }),
          ("request.item_key", .up, { $0.itemKey = "nobody" }),
          (
            "request.key", .up,
            {
              $0.key.category = .cell
              $0.key.indexPath.item = 20
            }
          ),
        ]
      for (field, step, make) in wrong {
        let found = await problem { _ = try await neighbor(step, make) }
        #expect(found?.violations.map(\.field) == [field])
      }
    }
  }

  @Test("pages of elements follow on, and a token belongs to its question")
  func paging() async throws {
    try await withServer { clients in
      var request = CollectionLayout_V1_QueryElementsRequest()
      request.target = Self.target(25)
      request.pageSize = 10
      var items: [UInt32] = []
      var tokens: [String] = []
      repeat {
        let page = try await clients.queries.queryElements(request)
        items += page.elements.filter { $0.key.category == .cell }.map { $0.key.indexPath.item }
        tokens.append(page.nextPageToken)
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      #expect(items == Array(0 ..< 25))
      request.pageToken = tokens[0]
      request.rect.width = 7
      let other = request
      let wrong = await problem { _ = try await clients.queries.queryElements(other) }
      #expect(wrong?.reason == .pageTokenInvalid)
    }
  }

  @Test("a rect with more elements than one answer gathers is refused, wherever they are")
  func crowd() async throws {
    var configuration = ServiceConfiguration()
    configuration.limits.elementsPerQuery = 20
    try await withServer(configuration) { clients in
      var request = CollectionLayout_V1_QueryElementsRequest()
      request.target = Self.target(100)
      request.rect.width = 100
      request.rect.height = 150
      let answer = try await clients.queries.queryElements(request)
      #expect(answer.elements.count == 15)
      // All items in one corner of the content, which one item far away makes large.
      request.target = .with {
        $0.inlineContents.sections = [
          .with {
            $0.blocks = [
              .with {
                $0.count = 100
                $0.xs = (0 ..< 100).map { $0 == 0 ? 10_000 : 50 }
                $0.ys = (0 ..< 100).map { $0 == 0 ? 10_000 : 50 }
              }
            ]
          }
        ]
        $0.layout.spatial = .init()
      }
      let crowded = request
      let refused = await problem { _ = try await clients.queries.queryElements(crowded) }
      #expect(refused?.reason == .quota(.elements))
    }
  }

  @Test("questions about a place take the caller's turn where they take long, and only there")
  func turns() async throws {
    var configuration = ServiceConfiguration.patient
    // Layouts are prepared where they are asked for, and nothing of a connection may wait: so what
    // goes to the engine's threads is refused.
    configuration.engine.largeItemCount = 1_000_000
    configuration.engine.waitingPerConnection = 0
    try await withServer(configuration) { clients in
      let spread = Self.target(60_000)
      var crowded = spread
      crowded.inlineContents.sections[0].blocks[0] = .with {
        $0.count = 60_000
        $0.widths = [10]
        $0.heights = [10]
        $0.xs = [0]
        $0.ys = [0]
      }
      crowded.layout.spatial = .init()
      let hit = try await clients.queries.hitTest(
        .with {
          $0.target = spread
          $0.point.y = 400_005
        }
      )
      #expect(hit.element.key.indexPath.item == 40_000)
      let crowd = crowded
      let refused = await problem {
        _ = try await clients.queries.hitTest(
          .with {
            $0.target = crowd
            $0.point.x = 5
            $0.point.y = 5
          }
        )
      }
      #expect(refused?.metadata["scope"] == "connection")

      // All of them in one line, so that each item's place follows from those of all before it.
      var line = spread
      line.inlineContents.sections[0].blocks[0] = .with {
        $0.count = 60_000
        $0.widths = (0 ..< 60_000).map { $0 % 2 == 0 ? 0.0001 : 0.0002 }
        $0.heights = [10]
      }
      line.layout.flow = .init()
      func attributes(of keys: [UInt32], in target: Wire.LayoutTarget) async throws {
        _ = try await clients.queries.batchGetAttributes(
          .with {
            $0.target = target
            $0.keys = keys.map { item in
              .with {
                $0.category = .cell
                $0.indexPath.item = item
              }
            }
          }
        )
      }
      try await attributes(of: Array(0 ..< 500), in: spread)
      let far = await problem { [line] in try await attributes(of: [59_000], in: line) }
      #expect(far?.metadata["scope"] == "connection")
    }
  }

  @Test("a collection answers by its default layout, and waits for a version as long as is allowed")
  func collection() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.longestWait = .milliseconds(200)
    try await withServer(configuration) { clients in
      try await clients.createCollection(items: 10)
      var request = CollectionLayout_V1_GetContentSizeRequest()
      request.target.collection = "collections/a"
      #expect(try await clients.queries.getContentSize(request).contentSize.height == 100)
      request.target.minDataVersion = 1
      let waiting = request
      let late = await problem { _ = try await clients.queries.getContentSize(waiting) }
      #expect(late?.reason == .dataVersionNotReached)
    }
  }

  @Test("a question about a version to come is answered when it is there")
  func laterVersion() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 10)
      var request = CollectionLayout_V1_GetContentSizeRequest()
      request.target.collection = "collections/a"
      request.target.minDataVersion = 1
      async let answer = clients.queries.getContentSize(request)
      _ = try await clients.insert(5)
      #expect(try await answer.contentSize.height == 150)
    }
  }

  @Test("what is missing or wrong is refused with its reason")
  func refusals() async throws {
    try await withServer { clients in
      func reason(_ fill: (inout Wire.LayoutTarget) -> Void) async -> LayoutProblem.Reason? {
        let target = Wire.LayoutTarget.with(fill)
        return await problem {
          _ = try await clients.queries.getContentSize(.with { $0.target = target })
        }?.reason
      }
      #expect(await reason { _ in } == .fieldInvalid)
      #expect(await reason { $0.collection = "collections/none" } == .collectionNotFound)
      #expect(await reason { $0.session = "sessions/none" } == .sessionExpired)
      #expect(await reason { $0.inlineContents = .init() } == .layoutKindUnknown)
      #expect(
        await reason {
          $0.inlineContents = .init()
          $0.layout.custom.name = "none"
        } == .layoutKindUnknown
      )
      #expect(
        await reason {
          $0 = Self.target(1)
          $0.viewport.size.width = -.infinity
        } == .fieldInvalid
      )
    }
  }

  @Test("tells the server's limits, layouts and cache")
  func serverInfo() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      for _ in 0 ..< 3 {
        _ = try await clients.queries.getContentSize(
          .with { $0.target.collection = "collections/a" }
        )
      }
      let info = try await clients.queries.getServerInfo(.init())
      #expect(info.layoutKinds.contains("waterfall"))
      #expect(info.limits.maxSessions == 10_000)
      #expect(info.cache.misses == 1 && info.cache.hits == 2)
    }
  }

  @Test("validates a layout without data")
  func validation() async throws {
    try await withServer { clients in
      let fine = try await clients.queries.validateLayout(.with { $0.layout.list.rowHeight = 10 })
      #expect(fine.violations.isEmpty)
      let bad = try await clients.queries.validateLayout(.with { $0.layout.list.rowHeight = -10 })
      #expect(bad.violations.map(\.field) == ["list.row_height"])
    }
  }
}
