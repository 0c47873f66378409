// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Dispatch
import LayoutGeometry
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Drafts after edits", .timeLimit(.minutes(2)))
struct DraftServiceTests {
  /// A list that is drafted after an edit, with another content size, and placed as a whole when
  /// somebody lets it.
  private struct SlowList: CollectionLayout {
    let gate: PreparationGate
    let list = ListLayout(rowHeight: 10)

    var kindName: String { "custom:slow" }
    var hasDrafts: Bool { true }

    func prepare(_ context: LayoutContext) -> any PreparedLayout { list.prepare(context) }

    func update(
      _ prepared: any PreparedLayout,
      by change: ContentsChange,
      work: LayoutWork
    )
      throws(LayoutWork.Stop) -> any PreparedLayout
    {
      gate.pass()
      try work.throwIfStopped()
      return list.prepare(context(prepared, change))
    }

    func draft(
      _ prepared: any PreparedLayout,
      by change: ContentsChange,
      work: LayoutWork
    )
      throws(LayoutWork.Stop) -> any PreparedLayout
    {
      Draft(list: list.prepare(context(prepared, change)), gate: gate)
    }

    private func context(_ prepared: any PreparedLayout, _ change: ContentsChange) -> LayoutContext
    {
      var context = prepared.context
      context.contents = change.new
      return context
    }

    static func == (a: Self, b: Self) -> Bool { a.gate === b.gate }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(gate)) }
  }

  private struct Draft: PreparedLayout {
    let list: any PreparedLayout
    let gate: PreparationGate

    var isDraft: Bool { true }
    var context: LayoutContext { list.context }
    var contentSize: Size {
      Size(width: list.contentSize.width, height: list.contentSize.height + 1000)
    }
    var kindNames: [String] { list.kindNames }
    var scrollAxis: ScrollAxis? { list.scrollAxis }
    var byteCount: Int { list.byteCount }

    func completed(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
      gate.pass()
      try work.throwIfStopped()
      return list
    }

    func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
      list.appendElements(in: rect, viewport: viewport, to: &buffer)
    }

    func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
      list.attributes(of: key, viewport: viewport)
    }
  }

  private static let count = 40_000

  private static func create(_ clients: Clients) async throws {
    _ = try await clients.collections.createCollection(
      .with {
        $0.collectionID = "a"
        $0.contents.sections = [
          .with {
            $0.blocks = (0 ..< 4).map { block in
              .with {
                $0.count = 10_000
                $0.heights = (0 ..< 10_000).map { Double(20 + ($0 * 7 + block) % 90) }
              }
            }
          }
        ]
      }
    )
  }

  /// The next frame with another content size.
  private static func sized(_ probe: inout SessionProbe) async throws -> Wire.LayoutFrame {
    while true {
      let frame = try await probe.frame()
      if frame.hasContentSize { return frame }
    }
  }

  @Test("an edit is shown while the rest is placed, which comes as an ordinary frame")
  func oneEdit() async throws {
    let gate = PreparationGate()
    var layouts = LayoutRegistry()
    layouts.register(name: "slow") { _, _ in SlowList(gate: gate) }
    // So that a test that fails ends.
    defer { gate.open(100) }
    try await withServer(.patient, layouts: layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.collection = "collections/a"
          $0.layout.custom.name = "slow"
        }
        let first = try await Self.sized(&probe)
        let height = first.contentSize.height
        for version in 1 ... 3 {
          _ = try await clients.insert(1, at: 0)
          let draft = try await Self.sized(&probe)
          #expect(gate.passCount == 0)
          #expect(draft.contentSize.height == height + 1000 + 10 * Double(version))
          #expect(draft.baseFrameSeq > 0)
        }
        // Abandoned ones pass as well.
        gate.open(100)
        let whole = try await Self.sized(&probe)
        #expect(whole.contentSize.height == height + 30)
        #expect(whole.baseFrameSeq > 0)
      }
    }
  }

  @Test("while edits go on, the whole of an older version is finished after some time")
  func progress() async throws {
    let gate = PreparationGate()
    var layouts = LayoutRegistry()
    layouts.register(name: "slow") { _, _ in SlowList(gate: gate) }
    var configuration = ServiceConfiguration.patient
    configuration.timing.drafting = .zero
    defer { gate.open(100) }
    try await withServer(configuration, layouts: layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.collection = "collections/a"
          $0.layout.custom.name = "slow"
        }
        let height = try await Self.sized(&probe).contentSize.height
        for version in 1 ... 4 {
          _ = try await clients.insert(1, at: 0)
          let draft = try await Self.sized(&probe)
          #expect(draft.contentSize.height == height + 1000 + 10 * Double(version))
        }
        // That of the first version, and then that of the newest: none is begun in between.
        gate.open(2)
        let whole = try await Self.sized(&probe)
        #expect(whole.contentSize.height == height + 40)
        #expect(gate.passCount == 2)
      }
    }
  }

  @Test(
    "all viewers of a waterfall get the newest edit, and end with what is prepared anew",
    arguments: [Duration.zero, .seconds(1)]
  )
  func waterfall(drafting: Duration) async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.drafting = drafting
    try await withServer(configuration) { clients in
      try await Self.create(clients)
      let layout = Wire.LayoutSpec.with {
        $0.waterfall.columnCount = 3
        $0.waterfall.itemSpacing = 4
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let edits: UInt64 = 8
        for offset in [0.0, 90_000, 400_000] {
          group.addTask {
            try await clients.withSession { probe in
              _ = try await probe.open {
                $0.collection = "collections/a"
                $0.layout = layout
                $0.viewport.contentOffset.y = offset
              }
              var height = try await Self.sized(&probe).contentSize.height
              open.yield()
              var version: UInt64 = 0
              var fresh: Double?
              while fresh != height {
                let frame = try await probe.frame()
                #expect(frame.dataVersion >= version)
                version = frame.dataVersion
                if frame.hasContentSize { height = frame.contentSize.height }
                guard version == edits, fresh == nil else { continue }
                let size = try await clients.queries.getContentSize(
                  .with {
                    $0.target.collection = "collections/a"
                    $0.target.layout = layout
                    $0.target.viewport.size = .with {
                      $0.width = 100
                      $0.height = 200
                    }
                  }
                )
                fresh = size.contentSize.height
              }
            }
          }
        }
        var count = 0
        for await _ in opened {
          count += 1
          if count == 3 { break }
        }
        for edit in 0 ..< edits { _ = try await clients.insert(1, at: UInt32(edit)) }
        try await group.waitForAll()
      }
    }
  }
}
