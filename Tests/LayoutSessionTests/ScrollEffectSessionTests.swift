// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Scroll effects in sessions", .timeLimit(.minutes(2)))
struct ScrollEffectSessionTests {
  private static let fades = [
    ScrollEffect(
      leading: .init(.init(alpha: 0, scale: 0.5)),
      trailing: .init(.init(alpha: 0, translation: Point(x: 0, y: 100)))
    )
  ]

  private static let applying = ClientCapabilities(
    checksums: true,
    itemKeys: true,
    scrollEffects: true
  )

  private func scene(
    _ effects: [ScrollEffect] = Self.fades,
    _ capabilities: ClientCapabilities = .init(checksums: true, itemKeys: true),
    layout: any CollectionLayout = ListLayout(),
    offsets: [Int: Double] = [:]
  ) -> Scene {
    Scene(
      .keyed(100, 100),
      layout: layout,
      scrollEffects: effects,
      capabilities: capabilities,
      openOffsets: offsets
    )
  }

  // MARK: - The server applies them

  @Test("a scroll step sends only what looks different")
  func steps() throws {
    var scene = scene()
    let frame = try #require(scene.frames.first)
    #expect(frame.scrollSensitivity == .everyScroll)
    #expect(frame.scrollEffects == nil)
    #expect(scene.client.element(.cell(0, 11))?.attributes.alpha == 0)
    scene.scroll(to: 6)
    scene.checkMirror()
    // Row 0 begins to leave, row 10 is seen whole, row 11 begins to be seen.
    #expect(scene.frames.count == 1)
    let keys = scene.frames.flatMap { frame in frame.upserts.map { frame.key(of: $0) } }
    #expect(keys == [.cell(0, 0), .cell(0, 10), .cell(0, 11)])
    scene.scroll(to: 6)
    #expect(scene.frames.isEmpty, "nothing has moved")
  }

  @Test("elements stay right at every offset, with or without pinning", arguments: [false, true])
  func randomWalk(isPinning: Bool) {
    var random = SplitMix64(seed: 41)
    let turns = ScrollEffect(
      identity: .init(translation: Point(x: 20, y: -30)),
      isDiscrete: true
    )
    let headers = ScrollEffect(category: .supplementary, leading: .init(.init(alpha: 0.5)))
    var scene = scene(
      Self.fades + [turns, headers],
      .init(pinning: isPinning, checksums: true, itemKeys: true),
      layout: Self.pinned
    )
    for _ in 0 ..< 60 {
      scene.scroll(to: random.double(-100 ... 9000).rounded())
      if !isPinning { scene.checkMirror() }
    }
  }

  // MARK: - The renderer applies them

  @Test("a renderer that applies effects gets them once, and no frames while it scrolls")
  func capable() throws {
    var scene = scene(Self.fades, Self.applying)
    let frame = try #require(scene.frames.first)
    #expect(frame.scrollSensitivity == .coverage)
    #expect(frame.scrollEffects == ScrollEffects(Self.fades, axis: .vertical))
    scene.checkMirror()
    #expect(scene.client.slots.values.allSatisfy { $0.attributes.alpha == 1 })
    for y in stride(from: 1.0, through: 200, by: 9) {
      scene.scroll(to: y)
      #expect(scene.frames.isEmpty, "at \(y)")
    }
    scene.scroll(to: 900)
    #expect(scene.frames.count == 1)
    #expect(scene.frames.allSatisfy { $0.scrollEffects == nil })
    scene.checkMirror()
    scene.send(.resync)
    #expect(scene.frames.last?.scrollEffects == scene.client.scrollEffects)
    #expect(!scene.client.scrollEffects.isEmpty)
  }

  @Test("a layout with other effects is the same layout")
  func changedEffects() {
    var scene = scene(Self.fades, Self.applying)
    func change(_ effects: [ScrollEffect]) -> SessionEvent {
      let layout = LayoutConfiguration(ListLayout(), scrollEffects: effects)
      return .layout(LayoutChange(layout: layout, isAnimated: false))
    }
    let others = [ScrollEffect(axis: .horizontal, identity: .init(alpha: 0.5))]
    scene.send(change(others))
    #expect(scene.client.scrollEffects == ScrollEffects(others, axis: .vertical))
    #expect(scene.preparedCount == 1)
    scene.send(change([]))
    #expect(scene.client.scrollEffects.isEmpty)
    #expect(scene.frames.last?.scrollEffects == ScrollEffects.none)
    scene.checkMirror()
    scene.send(change(Self.fades))
    #expect(!scene.client.scrollEffects.isEmpty)
    scene.checkMirror()
  }

  @Test("both kinds of renderers show the same at every offset", arguments: [false, true])
  func sameForBoth(isOrthogonal: Bool) {
    var random = SplitMix64(seed: 42)
    for _ in 0 ..< 8 {
      let layout = isOrthogonal ? Self.orthogonal : Self.pinned
      let effects = random.effects
      let offsets = isOrthogonal ? [0: 150.0, 1: 90.5] : [:]
      var server = scene(effects, layout: layout, offsets: offsets)
      var renderer = scene(effects, Self.applying, layout: layout, offsets: offsets)
      for _ in 0 ..< 8 {
        let y = random.double(-50 ... 600).rounded()
        server.scroll(to: y)
        renderer.scroll(to: y)
        renderer.checkMirror()
        guard let viewport = renderer.session.query?.viewport else { continue }
        let seen = renderer.client.seen(in: viewport)
        #expect(server.client.scrollEffects.isEmpty)
        #expect(seen == server.client.seen(in: viewport), "at \(y): \(effects)")
      }
    }
  }

  private static let pinned: any CollectionLayout = ListLayout(
    headerHeight: 30,
    headersPinToVisibleBounds: true
  )

  private static let orthogonal: any CollectionLayout = {
    let size = LayoutSize(width: .absolute(100), height: .absolute(80))
    var section = CompositionalSection(
      group: LayoutGroup(axis: .horizontal, size: size, subitems: [.item(.init(size: size))])
    )
    section.orthogonalScrolling = .continuous
    return CompositionalLayout(sections: [section])
  }()

  @Test("elements of orthogonal sections say so while some effect depends on it")
  func scrollingAcross() {
    let across = scene(Self.fades, Self.applying, layout: Self.orthogonal)
    #expect(across.client.slots.values.allSatisfy { $0.scrollsAcross })
    let vertical = [ScrollEffect(axis: .vertical, leading: .init(.init(alpha: 0)))]
    let along = scene(vertical, Self.applying, layout: Self.orthogonal)
    #expect(along.client.slots.values.allSatisfy { !$0.scrollsAcross })
    let server = scene(Self.fades, layout: Self.orthogonal)
    #expect(server.client.slots.values.allSatisfy { !$0.scrollsAcross })
  }

  @Test("what has moved into the coverage is there")
  func reach() {
    let effects = [ScrollEffect(identity: .init(translation: Point(x: 0, y: -1500)))]
    let renderer = scene(effects, Self.applying)
    let server = scene(effects)
    guard let viewport = renderer.session.query?.viewport else { return }
    #expect(renderer.client.seen(in: viewport) == server.client.seen(in: viewport))
    #expect(renderer.client.seen(in: viewport).count > 10)
    #expect(renderer.client.coverage == server.client.coverage)
  }

  // MARK: - Other events

  @Test("during a transition the server applies the effects of both layouts")
  func transitions() {
    var renderer = scene(Self.fades, Self.applying)
    var server = scene(Self.fades)
    let other = LayoutConfiguration(
      ListLayout(rowHeight: 60),
      scrollEffects: [ScrollEffect(identity: .init(alpha: 0.5))]
    )
    for event in [
      SessionEvent.transition(.begin(other)), .transition(.progress(0.25)),
      .transition(.progress(0.75)),
    ] {
      renderer.send(event)
      server.send(event)
      #expect(renderer.client.scrollEffects.isEmpty)
      #expect(renderer.frames.allSatisfy { $0.scrollSensitivity == .everyScroll })
      renderer.checkMirror()
      server.checkMirror()
      guard let viewport = renderer.session.query?.viewport else { return }
      #expect(renderer.client.seen(in: viewport) == server.client.seen(in: viewport))
    }
    renderer.send(.transition(.finish))
    #expect(renderer.client.scrollEffects.effects.count == 1)
    #expect(renderer.frames.last?.scrollSensitivity == .coverage)
    renderer.checkMirror()
  }

  @Test("an item that is moved by hand has the effects of where it is held")
  func movement() throws {
    var renderer = scene(Self.fades, Self.applying)
    var server = scene(Self.fades)
    for event in [
      SessionEvent.movement(.begin(IndexPath(section: 0, item: 3))),
      .movement(.position(Point(x: 160, y: 470))),
    ] {
      renderer.send(event)
      server.send(event)
    }
    let viewport = try #require(renderer.session.query?.viewport)
    let seen = renderer.client.seen(in: viewport)
    #expect(seen == server.client.seen(in: viewport))
    #expect(seen.values.contains { $0.frame.midY == 470 && $0.alpha < 1 && $0.alpha > 0 })
  }

  @Test("effects change neither anchors nor scroll targets")
  func anchors() {
    let effects = [ScrollEffect(identity: .init(translation: Point(x: 0, y: 200)))]
    var plain = Scene(.keyed(100), layout: ListLayout(), options: .init())
    var moved = Scene(.keyed(100), layout: ListLayout(), scrollEffects: effects, options: .init())
    for y in [500.0, 900] {
      plain.scroll(to: y)
      moved.scroll(to: y)
      plain.update([.insert("new\(y)", "newer\(y)", at: 0)])
      moved.update([.insert("new\(y)", "newer\(y)", at: 0)])
      #expect(plain.adjustment == moved.adjustment)
      #expect(plain.client.contentSize == moved.client.contentSize)
    }
    let question = SessionEvent.scrollTarget(.element(.cell(0, 60), at: .start))
    plain.send(question)
    moved.send(question)
    func targets(_ scene: Scene) -> [Point] {
      scene.messages.compactMap {
        if case .scrollTarget(_, let target) = $0 { target.offset } else { nil }
      }
    }
    #expect(targets(plain) == targets(moved))
    #expect(targets(plain).count == 1)
  }

  @Test("a client that resumes and no longer applies effects gets a keyframe")
  func resuming() throws {
    var scene = scene(Self.fades, Self.applying)
    let resume = SessionResume(
      lastFrame: scene.client.lastApplied,
      liveCount: scene.client.slots.count,
      capabilities: .init(checksums: true, itemKeys: true)
    )
    let outcome = try scene.session.resume(resume, at: .zero)
    #expect(outcome == .resumedWithKeyframe)
    scene.settle()
    #expect(scene.client.scrollEffects.isEmpty)
    #expect(scene.frames.last?.scrollSensitivity == .everyScroll)
    scene.checkMirror()
  }
}

extension SplitMix64 {
  fileprivate var effects: [ScrollEffect] {
    mutating get {
      (0 ..< int(1 ... 3)).map { _ in
        ScrollEffect(
          category: chance(80) ? .cell : .supplementary,
          axis: chance(50) ? nil : ScrollAxis.allCases[below(2)],
          leading: chance(70) ? .init(values) : nil,
          trailing: chance(70) ? .init(values, identity: .init(visible: 1, centered: 0.3)) : nil,
          identity: chance(60) ? .init() : values,
          isDiscrete: chance(20)
        )
      }
    }
  }

  private var values: ScrollEffect.Values {
    mutating get {
      ScrollEffect.Values(
        alpha: double(0 ... 1),
        scale: double(0 ... 2),
        translation: Point(x: double(-100 ... 100), y: double(-300 ... 300)),
        rotation: chance(50) ? 0 : double(-2 ... 2),
        zIndex: int(-5 ... 5),
        isHidden: chance(20)
      )
    }
  }
}
