// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import CollectionModel
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutService
import LayoutSession
import Testing

@Suite("A calendar week over gRPC", .serialized, .timeLimit(.minutes(2)))
struct CalendarServerTests {
  private static let contents = CollectionContents(
    days: [[Hours(8, 9.5), Hours(9, 10)], [Hours(13, 14)], []]
  )
  private static let viewport = ViewportChange(
    offset: Point(x: 0, y: 480),
    size: Size(width: 456, height: 300)
  )

  private func withClient(
    _ body: @Sendable @escaping (LayoutClient) async throws -> Void
  ) async throws {
    var layouts = LayoutRegistry()
    layouts.register(CalendarWeekLayout.self)
    let server = LayoutServer(layouts: layouts)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let address = try #require(ServerAddress(try await server.listeningAddress))
      try await LayoutClient.connect(to: address, body)
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }

  @Test("a query answers with the layout's elements")
  func query() async throws {
    try await withClient { client in
      let layout = CalendarWeekLayout(workingHours: .init(from: 9, to: 17))
      let rect = Rect(x: 0, y: 500, width: 300, height: 200)
      let found = try await client.elements(
        in: rect,
        of: .contents(Self.contents),
        layout: LayoutConfiguration(layout),
        viewport: Self.viewport
      )
      let viewport = Viewport(
        offset: Point(x: 0, y: 480),
        size: Size(width: 456, height: 300)
      )
      let expected = layout.prepared(Self.contents).elements(in: rect, viewport)
      #expect(!expected.isEmpty)
      #expect(
        found.map { PlacedElement(key: $0.key, attributes: $0.attributes) } == expected
      )
    }
  }

  @Test("a stream shows the week, pins its headers and follows what is inserted")
  func stream() async throws {
    try await withClient { client in
      let configuration = ViewerConfiguration(
        source: .contents(Self.contents),
        layout: LayoutConfiguration(CalendarWeekLayout()),
        viewport: Self.viewport,
        capabilities: ClientCapabilities(animations: true, checksums: true)
      )
      try await client.view(configuration) { viewer in
        let header = ElementKey.supplementary(CalendarWeekLayout.Kind.day, section: 2)
        var mirror = await viewer.mirror
        #expect(mirror.element(header)?.attributes.frame.y == 480)
        #expect(mirror.element(.cell(0, 1))?.attributes.frame.y == 584)

        await viewer.scroll(to: Point(x: 0, y: 600))
        try await viewer.settle()
        mirror = await viewer.mirror
        #expect(mirror.element(header)?.attributes.frame.y == 600)

        let operation = UpdateOperation.insertItems(
          at: IndexPath(section: 2, item: 0),
          items: [ItemBlock([Hours(12, 13)])]
        )
        let batch = UpdateBatch(change: .operations([operation]), isAnimated: true)
        await viewer.send(.update(batch))
        let appearing = try await viewer.settle().flatMap { arrival -> [MirroredElement] in
          if case .frame(let change) = arrival { change.appearing } else { [] }
        }
        let inserted = ElementKey.cell(2, 0)
        let initial = try #require(appearing.first { $0.key == inserted })
        #expect(initial.attributes.alpha == 0)
        mirror = await viewer.mirror
        #expect(mirror.element(inserted)?.attributes.frame.y == 764)
      }
    }
  }

  @Test("wrong parameters are refused by the path of their field")
  func refusals() async throws {
    try await withClient { client in
      func fields(_ layout: any CollectionLayout) async -> [String] {
        do {
          _ = try await client.elements(
            of: .contents(Self.contents),
            layout: LayoutConfiguration(layout),
            viewport: Self.viewport
          )
          return []
        } catch let problem as LayoutProblem {
          #expect(problem.reason == .fieldInvalid)
          return problem.violations.map(\.field)
        } catch {
          Issue.record("\(error)")
          return []
        }
      }
      #expect(
        await fields(CalendarWeekLayout(hourHeight: -1, workingHours: .init(from: 9, to: 8)))
          == ["hour_height", "working_hours.to"].map { "target.layout.custom.parameters.\($0)" }
      )
      #expect(
        await fields(MisspeltWeek()) == ["target.layout.custom.parameters.hour_hieght"]
      )
    }
  }
}

extension ElementMirror {
  fileprivate func element(_ key: ElementKey) -> MirroredElement? {
    slot(of: key).flatMap { elements[$0] }
  }
}

/// What a client may send that does not know the layout well.
private struct MisspeltWeek: CustomCollectionLayout {
  static let name = CalendarWeekLayout.name

  var parameters: [String: CustomValue] { ["hour_hieght": .number(40)] }

  init() {}

  init?(parameters: [String: CustomValue], findings: inout LayoutFindings) {}

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    CalendarWeekLayout().prepare(context)
  }
}
