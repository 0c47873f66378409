// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutEngine
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Layouts that take too much or too long", .timeLimit(.minutes(2)))
struct RefusedLayoutTests {
  /// A list that takes a thousand steps for each item, whatever has changed.
  private struct GreedyList: CollectionLayout {
    let list = ListLayout(rowHeight: 50)

    var kindName: String { "custom:greedy" }

    func prepare(_ context: LayoutContext) -> any PreparedLayout { list.prepare(context) }

    func prepare(
      _ context: LayoutContext,
      work: LayoutWork
    ) throws(LayoutWork.Stop) -> any PreparedLayout {
      _ = work.proceed(1000 * context.contents.itemCount)
      try work.throwIfStopped()
      return list.prepare(context)
    }

    func update(
      _ prepared: any PreparedLayout,
      by change: ContentsChange,
      work: LayoutWork
    ) throws(LayoutWork.Stop) -> any PreparedLayout {
      var context = prepared.context
      context.contents = change.new
      return try prepare(context, work: work)
    }
  }

  /// Whether a layout may be laid out.
  private final class Gate: Sendable {
    private let isOpen = Atomic(false)

    func open() { isOpen.store(true, ordering: .relaxed) }

    /// Takes steps until the gate is open. No thread is blocked: others have their turns meanwhile.
    func pass(_ work: LayoutWork) throws(LayoutWork.Stop) {
      while !isOpen.load(ordering: .relaxed) {
        _ = work.proceed(1)
        try work.throwIfStopped()
      }
    }
  }

  /// A list of rows of 50 points that is laid out once its gate is open.
  private struct GatedList: CollectionLayout {
    let gate: Gate
    let list = ListLayout(rowHeight: 50)

    var kindName: String { "custom:gated" }

    func prepare(_ context: LayoutContext) -> any PreparedLayout { list.prepare(context) }

    func prepare(
      _ context: LayoutContext,
      work: LayoutWork
    ) throws(LayoutWork.Stop) -> any PreparedLayout {
      try gate.pass(work)
      return list.prepare(context)
    }

    static func == (a: Self, b: Self) -> Bool { a.gate === b.gate }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(gate)) }
  }

  private static let name = "collections/a/layouts/wall"

  /// Layouts of at most this many items are within the limit of steps.
  private static let most = 150

  private static var configuration: ServiceConfiguration {
    var configuration = ServiceConfiguration.patient
    configuration.engine.stepLimit = 1000 * most
    return configuration
  }

  private static var layouts: LayoutRegistry {
    var layouts = LayoutRegistry()
    layouts.register(name: "greedy") { _, _ in GreedyList() }
    return layouts
  }

  /// A collection of 200 items with a named layout of rows of 20 points.
  private static func create(_ clients: Clients) async throws {
    try await clients.createCollection(items: 200)
    _ = try await clients.collections.createLayout(
      .with {
        $0.parent = "collections/a"
        $0.layoutID = "wall"
        $0.layout.layout.list.rowHeight = 20
      }
    )
  }

  private static func update(
    _ clients: Clients,
    to layout: Wire.LayoutSpec,
    animated: Bool = false
  ) async throws {
    _ = try await clients.collections.updateLayout(
      .with {
        $0.layout.name = name
        $0.layout.layout = layout
        $0.animated = animated
      }
    )
  }

  private static func custom(_ name: String) -> Wire.LayoutSpec { .with { $0.custom.name = name } }

  /// Opens a session that follows the named layout, and takes its first frame.
  private static func follow(_ probe: inout SessionProbe) async throws -> Wire.LayoutFrame {
    _ = try await probe.open {
      $0.collection = "collections/a"
      $0.layoutName = name
      $0.capabilities.animations = true
    }
    return try await probe.frame()
  }

  /// The next frame that `isMeant`.
  private static func frame(
    _ probe: inout SessionProbe,
    _ isMeant: (Wire.LayoutFrame) -> Bool
  ) async throws -> Wire.LayoutFrame {
    while true {
      let frame = try await probe.frame()
      if isMeant(frame) { return frame }
    }
  }

  @Test(
    "whoever follows a named layout keeps the one before, and is told",
    arguments: [false, true]
  )
  func following(isAnimated: Bool) async throws {
    try await withServer(Self.configuration, layouts: Self.layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        #expect(try await Self.follow(&probe).contentSize.height == 4000)
        try await Self.update(clients, to: Self.custom("greedy"), animated: isAnimated)
        let notice = try await probe.notice(.layoutUnavailable)
        #expect(notice.problem.reason == "QUOTA_STEPS")
        // It scrolls, and follows the data.
        probe.send {
          $0.eventSeq = 2
          $0.viewport.contentOffset.y = 3000
        }
        _ = try await Self.frame(&probe) { $0.appliedEventSeq == 2 && $0.liveCount > 0 }
        _ = try await clients.insert(5)
        let edited = try await Self.frame(&probe) { $0.dataVersion == 1 }
        #expect(edited.contentSize.height == 4100)
        // Another viewer of another width asks for itself, and has nothing to show.
        let other = await problem {
          _ = try await clients.withSession { probe in
            _ = try await Self.follow(&probe)
          }
        }
        #expect(other?.reason == .quota(.steps))
        try await Self.update(clients, to: .with { $0.list.rowHeight = 30 })
        let over = try await probe.notice(.layoutAvailable)
        #expect(over.problem.reason == "QUOTA_STEPS")
        _ = try await clients.insert(5)
        let good = try await Self.frame(&probe) { $0.dataVersion == 2 }
        #expect(good.contentSize.height == 6300)
      }
    }
  }

  @Test("contents that have shrunk meanwhile are laid out once the pause is over")
  func pause() async throws {
    var configuration = Self.configuration
    configuration.timing.refusedLayout = .milliseconds(100)
    try await withServer(configuration, layouts: Self.layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await Self.follow(&probe)
        try await Self.update(clients, to: Self.custom("greedy"))
        _ = try await probe.notice(.layoutUnavailable)
        _ = try await clients.collections.applyUpdates(
          .with {
            $0.name = "collections/a"
            $0.batch.operations.operations = [.with { $0.deleteItems.itemCount = 100 }]
          }
        )
        _ = try await probe.notice(.layoutAvailable)
        let frame = try await Self.frame(&probe) { $0.hasContentSize }
        #expect(frame.contentSize.height == 5000)
      }
    }
  }

  @Test("a session with contents of its own keeps its layout as well")
  func privateContents() async throws {
    try await withServer(Self.configuration, layouts: Self.layouts) { clients in
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 200 }] }]
          $0.layout.list.rowHeight = 20
        }
        #expect(try await probe.frame().contentSize.height == 4000)
        probe.send {
          $0.eventSeq = 2
          $0.layout.layout = Self.custom("greedy")
        }
        let notice = try await probe.notice(.layoutUnavailable)
        #expect(notice.problem.reason == "QUOTA_STEPS")
        probe.send {
          $0.eventSeq = 3
          $0.layout.layout.list.rowHeight = 30
        }
        _ = try await probe.notice(.layoutAvailable)
      }
    }
  }

  @Test("a transition that is given up leaves the session's own layout, whatever comes later")
  func givenUp() async throws {
    let gate = Gate()
    // So that a test that fails ends.
    defer { gate.open() }
    var layouts = Self.layouts
    layouts.register(name: "gated") { _, _ in GatedList(gate: gate) }
    var configuration = ServiceConfiguration.patient
    configuration.engine.stepLimit = .max
    configuration.timing.standIn = .zero
    try await withServer(configuration, layouts: layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await Self.follow(&probe)
        probe.send {
          $0.eventSeq = 2
          $0.transition.begin = Self.custom("gated")
        }
        #expect(try await probe.result(of: 2).hasProblem == false)
        probe.send {
          $0.eventSeq = 3
          $0.transition.cancel = true
        }
        #expect(try await probe.result(of: 3).hasProblem == false)
        gate.open()
        probe.send {
          $0.eventSeq = 4
          $0.sync = .init()
        }
        #expect(try await probe.result(of: 4).hasProblem == false)
        _ = try await clients.insert(5)
        let frame = try await Self.frame(&probe) { $0.dataVersion == 1 }
        #expect(frame.contentSize.height == 4100)
      }
    }
  }

  @Test("a transition does not end the waiting for the session's own layout")
  func waiting() async throws {
    try await withServer(Self.configuration, layouts: Self.layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await Self.follow(&probe)
        try await Self.update(clients, to: Self.custom("greedy"))
        _ = try await probe.notice(.layoutUnavailable)
        probe.send {
          $0.eventSeq = 2
          $0.transition.begin.list.rowHeight = 40
        }
        probe.send {
          $0.eventSeq = 3
          $0.transition.progress = 0.5
        }
        _ = try await Self.frame(&probe) { $0.appliedEventSeq == 3 }
        probe.send {
          $0.eventSeq = 4
          $0.transition.cancel = true
        }
        probe.send {
          $0.eventSeq = 5
          $0.sync = .init()
        }
        var notices = 0
        while let response = try await probe.next() {
          if case .notice(let notice) = response.message, notice.type == .layoutAvailable {
            notices += 1
          }
          if case .frame(let frame) = response.message {
            probe.send { $0.ack.frameSeq = frame.frameSeq }
          }
          if case .eventResult(let result) = response.message, result.eventSeq == 5 { break }
        }
        #expect(notices == 0)
        try await Self.update(clients, to: .with { $0.list.rowHeight = 30 })
        _ = try await probe.notice(.layoutAvailable)
      }
    }
  }

  @Test("a layout that takes long does not stop the frames of the one before")
  func slow() async throws {
    let gate = Gate()
    // So that a test that fails ends.
    defer { gate.open() }
    var layouts = LayoutRegistry()
    layouts.register(name: "gated") { _, _ in GatedList(gate: gate) }
    var configuration = ServiceConfiguration.patient
    configuration.engine.stepLimit = .max
    configuration.timing.standIn = .zero
    try await withServer(configuration, layouts: layouts) { clients in
      try await Self.create(clients)
      try await clients.withSession { probe in
        _ = try await Self.follow(&probe)
        try await Self.update(clients, to: Self.custom("gated"))
        _ = try await clients.insert(5)
        let before = try await Self.frame(&probe) { $0.dataVersion == 1 }
        #expect(before.contentSize.height == 4100)
        probe.send {
          $0.eventSeq = 2
          $0.viewport.contentOffset.y = 3000
        }
        _ = try await Self.frame(&probe) { $0.appliedEventSeq == 2 }
        gate.open()
        let after = try await Self.frame(&probe) { $0.hasContentSize }
        #expect(after.contentSize.height == 205 * 50)
      }
    }
  }
}
