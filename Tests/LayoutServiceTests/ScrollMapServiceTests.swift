// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutEngine
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Scroll maps by calls", .serialized, .timeLimit(.minutes(2)))
struct ScrollMapServiceTests {
  /// Three sections of a list: 10, 0 and 20 rows of 10 points.
  private static func target() -> Wire.LayoutTarget {
    .with {
      $0.inlineContents.sections = [
        .with {
          $0.key = "a"
          $0.blocks = [
            .with {
              $0.count = 10
              $0.keys = (0 ..< 10).map { "a\($0)" }
            }
          ]
        },
        .with { $0.key = "b" },
        .with {
          $0.key = "c"
          $0.blocks = [.with { $0.count = 20 }]
        },
      ]
      $0.layout.list.rowHeight = 10
      $0.viewport.size = .with {
        $0.width = 100
        $0.height = 50
      }
    }
  }

  @Test("tell what is where, how many items lie there, and where sections start")
  func answers() async throws {
    try await withServer { clients in
      let map = try await clients.queries.getScrollMap(
        .with {
          $0.target = Self.target()
          $0.fractions = [0, 0.25, 1]
          $0.bucketCount = 6
          $0.sections = [2]
          $0.sectionKeys = ["b", "a"]
        }
      )
      #expect(map.axis == .vertical)
      #expect(map.inOrder)
      #expect(map.contentSize.height == 300)
      #expect(map.places.map(\.contentOffset.y) == [0, 62.5, 250])
      #expect(map.places.map(\.fraction) == [0, 0.25, 1])
      #expect(map.places.map(\.position) == [0, 62.5, 250])
      #expect(map.places.map(\.itemKey) == ["a0", "a6", ""])
      #expect(map.places.map(\.item.item) == [0, 6, 15])
      #expect(map.places.map(\.sectionKey) == ["a", "a", "c"])
      #expect(map.sections.map(\.section) == [2, 1, 0])
      #expect(map.sections.map(\.sectionKey) == ["c", "b", "a"])
      #expect(map.sections.map(\.contentOffset.y) == [100, 100, 0])
      #expect(map.sections.map(\.fraction) == [0.4, 0.4, 0])
      #expect(map.sections.map(\.hasItem) == [true, false, true])
      #expect(map.buckets.map(\.itemCount) == [5, 5, 5, 5, 5, 5])
      #expect(map.buckets.map(\.sectionKey) == ["a", "", "b", "", "", ""])
      #expect(map.buckets.map(\.hasSection) == [true, false, true, false, false, false])
    }
  }

  @Test("of a session are those of its viewer")
  func sessions() async throws {
    try await withServer { clients in
      try await clients.withSession { probe in
        let opened = try await probe.open {
          $0.inlineContents = Self.target().inlineContents
          $0.layout = Self.target().layout
          $0.viewport.size = Self.target().viewport.size
          $0.viewport.contentOffset.y = 40
        }
        _ = try await probe.frame()
        let map = try await clients.queries.getScrollMap(
          .with {
            $0.target.session = opened.session
            $0.fractions = [0.5]
            $0.bucketCount = 2
          }
        )
        #expect(map.places.map(\.contentOffset.y) == [125])
        #expect(map.buckets.map(\.itemCount) == [15, 15])
      }
    }
  }

  @Test("are refused with the field that is wrong")
  func refusals() async throws {
    try await withServer { clients in
      typealias Change = @Sendable (inout CollectionLayout_V1_GetScrollMapRequest) -> Void
      let wrong: [(field: String, Change)] = [
        ("fractions[1]", { $0.fractions = [0, 1.5] }),
        ("fractions[0]", { $0.fractions = [.nan] }),
        ("axis", { $0.axis = .UNRECOGNIZED(7) }),
        ("bucket_count", { $0.bucketCount = 4097 }),
        ("fractions", { $0.fractions = Array(repeating: 0, count: 4097) }),
        ("sections", { $0.sections = Array(repeating: 0, count: 4097) }),
        ("section_keys", { $0.sectionKeys = Array(repeating: "a", count: 4097) }),
        ("sections[0]", { $0.sections = [3] }),
        ("section_keys[1]", { $0.sectionKeys = ["a", "z"] }),
        ("target.source", { $0.target = .init() }),
      ]
      for (field, change) in wrong {
        let found = await problem {
          _ = try await clients.queries.getScrollMap(
            .with {
              $0.target = Self.target()
              change(&$0)
            }
          )
        }
        #expect(found?.violations.map(\.field) == [field])
      }
      let info = try await clients.queries.getServerInfo(.init())
      #expect(info.limits.maxScrollMapPlaces == 4096)
    }
  }

  @Test("are not worked out beyond the steps of one computation, however few items there are")
  func limited() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.engine.stepLimit = 40_000
    try await withServer(configuration) { clients in
      let target = Wire.LayoutTarget.with {
        $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 4000 }] }]
        $0.layout.table.columns = (0 ..< 1000).map { index in
          .with { ($0.id, $0.width) = ("\(index)", 0.01) }
        }
        ($0.layout.table.rowHeight, $0.layout.table.headerHeight) = (0.001, 0)
        $0.viewport.size = .with { ($0.width, $0.height) = (100, 1) }
      }
      let map = await problem {
        _ = try await clients.queries.getScrollMap(
          // The first of them look at a thousand rows each, which are less than a point high
          // together.
          .with { ($0.target, $0.fractions) = (target, (0 ..< 4000).map { Double($0) / 4000 }) }
        )
      }
      #expect(map?.reason == .quota(.steps))
    }
  }
}
