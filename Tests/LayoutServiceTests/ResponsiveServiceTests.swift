// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Testing

@Suite("Responsive layouts over the wire", .serialized, .timeLimit(.minutes(2)))
struct ResponsiveServiceTests {
  /// Rows of 20 below 400 points, else rows of 30; rows of 50 for a "wall".
  private static let spec = Wire.LayoutSpec.with {
    $0.responsive.variants = [
      .with {
        $0.condition.requiredTraits = ["wall"]
        $0.layout.list.rowHeight = 50
      },
      .with {
        $0.condition.belowWidth = 400
        $0.layout.list.rowHeight = 20
      },
    ]
    $0.responsive.otherwise.list.rowHeight = 30
  }

  @Test(
    "viewers with the same variant share one preparation, with plain viewers and whatever else they state"
  )
  func sharing() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      let openings: [@Sendable (inout Wire.OpenSession) -> Void] = [
        { $0.layout = Self.spec },
        {
          $0.layout = Self.spec
          $0.viewport.traits.names = ["tv"]
          $0.viewport.traits.horizontalSizeClass = .compact
        },
        { $0.layout.list.rowHeight = 20 },
      ]
      for opening in openings {
        try await clients.withSession { probe in
          _ = try await probe.open {
            $0.collection = "collections/a"
            opening(&$0)
          }
          #expect(try await probe.frame().contentSize.height == 2000)
        }
      }
      let cache = try await clients.queries.getServerInfo(.init()).cache
      #expect(cache.misses == 1)
    }
  }

  @Test("a viewer of a responsive default layout follows its viewport")
  func defaultLayout() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      _ = try await clients.collections.updateCollection(
        .with {
          $0.collection.name = "collections/a"
          $0.collection.defaultLayout = Self.spec
        }
      )
      try await clients.withSession { probe in
        _ = try await probe.open()
        var frame = try await probe.frame()
        #expect(frame.contentSize.height == 2000)
        let version = frame.layoutVersion
        probe.send {
          $0.eventSeq = 2
          $0.viewport.size = .with {
            $0.width = 400
            $0.height = 200
          }
        }
        frame = try await probe.frame()
        #expect(frame.contentSize.height == 3000 && frame.layoutVersion > version)
        probe.send {
          $0.eventSeq = 3
          $0.viewport.traits.names = ["wall"]
        }
        #expect(try await probe.frame().contentSize.height == 5000)
      }
    }
  }

  @Test("a query is answered by the variant for its viewport")
  func queries() async throws {
    try await withServer { clients in
      try await clients.createCollection()
      func height(
        _ width: Double,
        traits: [String] = [],
        inline: Bool = false
      ) async throws
        -> Double
      {
        try await clients.queries.getContentSize(
          .with {
            if inline {
              $0.target.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
            } else {
              $0.target.collection = "collections/a"
            }
            $0.target.layout = Self.spec
            $0.target.viewport.size.width = width
            $0.target.viewport.traits.names = traits
          }
        ).contentSize.height
      }
      for inline in [false, true] {
        let found = [
          try await height(399, inline: inline), try await height(400, inline: inline),
          try await height(400, traits: ["wall"], inline: inline),
        ]
        #expect(found == [2000, 3000, 5000])
      }
    }
  }

  @Test("a check of a layout tells of all variants, and the server lists the kind")
  func validation() async throws {
    try await withServer { clients in
      var faulty = Self.spec
      faulty.responsive.variants[0].layout.list.rowHeight = -1
      faulty.responsive.otherwise.list.rowHeight = -1
      let layout = faulty
      let answer = try await clients.queries.validateLayout(.with { $0.layout = layout })
      #expect(
        answer.violations.map(\.field) == [
          "responsive.variants[0].layout.list.row_height", "responsive.otherwise.list.row_height",
        ]
      )
      let info = try await clients.queries.getServerInfo(.init())
      #expect(info.layoutKinds.contains("responsive"))
    }
  }
}
