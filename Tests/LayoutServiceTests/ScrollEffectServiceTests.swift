// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import Testing

@Suite("Scroll effects over the wire", .timeLimit(.minutes(2)))
struct ScrollEffectServiceTests {
  private static let size = Size(width: 300, height: 400)
  private static let insets = EdgeInsets(top: 40, leading: 0, bottom: 10, trailing: 0)

  private static let layout = LayoutConfiguration(
    FlowLayout(
      itemSize: Size(width: 90, height: 70),
      headerReferenceSize: Size(width: 0, height: 30)
    ),
    scrollEffects: [
      ScrollEffect(
        leading: .init(.init(alpha: 0.25, scale: 0.5, rotation: 0.5)),
        trailing: .init(.init(translation: Point(x: 40, y: 90), zIndex: -2)),
        identity: .init(scale: 1.1)
      ),
      ScrollEffect(category: .supplementary, kinds: ["header"], identity: .init(alpha: 0.5)),
    ]
  )

  private static let contents = CollectionContents(
    sections: (0 ..< 4).map { _ in SectionContents(blocks: [ItemBlock(count: 50)]) }
  )

  private func withClient(
    _ body: @Sendable @escaping (LayoutClient) async throws -> Void
  ) async throws {
    try await withServer { clients in
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: clients.port)) {
        try await body($0)
      }
    }
  }

  private func viewport(at y: Double) -> ViewportChange {
    ViewportChange(offset: Point(x: 0, y: y), size: Self.size, insets: Self.insets)
  }

  @Test(
    "a viewer that applies effects shows what the server would show",
    arguments: ElementEncoding.allCases
  )
  func viewers(encoding: ElementEncoding) async throws {
    try await withClient { client in
      let configuration = ViewerConfiguration(
        source: .contents(Self.contents),
        layout: Self.layout,
        viewport: viewport(at: 0),
        capabilities: ClientCapabilities(
          encoding: encoding,
          checksums: true,
          scrollEffects: true
        )
      )
      try await client.view(configuration) { viewer in
        try await viewer.settle()
        #expect(await viewer.mirror.scrollSensitivity == .coverage)
        #expect(await viewer.mirror.scrollEffects.effects == Self.layout.scrollEffects)
        for y in [0, 35, 100.5, 700] {
          await viewer.scroll(to: Point(x: 0, y: y))
          try await viewer.settle()
          let expected = try await client.elements(
            in: Rect(x: 0, y: y, width: 300, height: 400),
            of: .contents(Self.contents),
            layout: Self.layout,
            viewport: viewport(at: y)
          )
          #expect(expected.count > 10)
          let seen = await viewer.attributes()
          let mirror = await viewer.mirror
          for element in expected {
            let slot = try #require(mirror.slot(of: element.key))
            let found = try #require(seen[slot])
            let (a, b) = (found.boundingBox, element.attributes.boundingBox)
            // Half a unit of the packed encoding, magnified.
            #expect(abs(a.minX - b.minX) < 0.05 && abs(a.maxY - b.maxY) < 0.05, "\(element.key)")
            #expect(abs(found.alpha - element.attributes.alpha) < 1e-3, "\(element.key)")
            #expect(abs(found.zIndex - element.attributes.zIndex) <= 1, "\(element.key)")
          }
        }
      }
    }
  }

  @Test("questions are answered with effects at the viewport's offset")
  func questions() async throws {
    try await withClient { client in
      let gone = LayoutConfiguration(
        ListLayout(rowHeight: 100),
        scrollEffects: [ScrollEffect(leading: .init(.init(translation: Point(x: 0, y: 300))))]
      )
      let source = ViewerConfiguration.Source.contents(Self.contents)
      // The visible rect starts at 1000; row 7 has moved from 700 to 1000.
      let hit = try await client.hitTest(
        Point(x: 5, y: 1050),
        in: source,
        layout: gone,
        viewport: viewport(at: 960)
      )
      #expect(hit?.key == .cell(0, 10))
      let moved = try await client.hitTest(
        Point(x: 5, y: 950),
        in: source,
        layout: gone,
        viewport: viewport(at: 960)
      )
      #expect(moved?.key == .cell(0, 6))
      let rows = try await client.attributes(
        of: [.cell(0, 6)],
        in: source,
        layout: gone,
        viewport: viewport(at: 960)
      )
      #expect(rows.first??.attributes.transform == .translation(x: 0, y: 300))
    }
  }

  @Test("effects that are not allowed are named by ValidateLayout")
  func validation() async throws {
    try await withClient { client in
      var effect = ScrollEffect(identity: .init(alpha: 2))
      effect.trailing = .init(.init(rotation: 1000))
      let verdict = try await client.validate(
        LayoutConfiguration(ListLayout(), scrollEffects: [ScrollEffect(), effect])
      )
      #expect(
        verdict.violations.map(\.field) == [
          "scroll_effects[1].trailing.values.rotation", "scroll_effects[1].identity.alpha",
        ]
      )
    }
  }
}
