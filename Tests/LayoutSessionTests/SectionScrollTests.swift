// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// Every other section scrolls by itself, and has items 100 points wide with keys.
@Suite("Sections that renderers are told of, or scroll", .timeLimit(.minutes(1)))
struct SectionScrollTests {
  private static func section(
    _ scrolling: OrthogonalScrolling,
    effects: [VisibleItemEffect] = []
  ) -> CompositionalSection {
    let size = LayoutSize(width: .absolute(100), height: .absolute(50))
    return CompositionalSection(
      group: LayoutGroup(axis: .horizontal, size: size, subitems: [.item(LayoutItem(size: size))]),
      contentInsets: EdgeInsets(top: 4, leading: 10, bottom: 0, trailing: 20),
      orthogonalScrolling: scrolling,
      visibleItemEffects: effects
    )
  }

  private static let told = ClientCapabilities(
    animations: true,
    itemKeys: true,
    sectionScrolls: true
  )
  private static let own = ClientCapabilities(
    animations: true,
    checksums: true,
    itemKeys: true,
    sectionScrolls: true,
    sectionScrolling: true
  )

  private func scene(
    _ capabilities: ClientCapabilities,
    isRightToLeft: Bool = false,
    effects: [VisibleItemEffect] = []
  ) -> Scene {
    Scene(
      .keyed(40, 2, 40, 2),
      layout: CompositionalLayout(
        sections: [Self.section(.continuous, effects: effects), Self.section(.none)]
      ),
      traits: ViewportChange.Traits(isRightToLeft: isRightToLeft),
      capabilities: capabilities
    )
  }

  private func scroll(_ section: Int, to offset: Double) -> SessionEvent {
    .viewport(ViewportChange(sectionOffsets: [section: offset]))
  }

  @Test("where they are, how long they are, and their offset within its range")
  func toldStates() throws {
    var scene = scene(Self.told)
    let states = scene.client.sectionScrolls
    #expect(states.map(\.section) == [0, 2])
    let first = try #require(states.first)
    #expect(first.scroll.frame == Rect(x: 0, y: 4, width: 320, height: 50))
    #expect(first.scroll.contentLength == 4030)
    #expect(first.scroll.maximumOffset == 4030 - 320)
    #expect(first.scroll.offset == 0)
    #expect(first.scroll.direction == Point(x: -1, y: 0))
    #expect(first.completeOffsets == nil)
    scene.send(scroll(0, to: 1e9))
    #expect(scene.client.sectionScrolls.first?.scroll.offset == 3710)
    scene.send(scroll(0, to: -50))
    #expect(scene.client.sectionScrolls.first?.scroll.offset == 0)
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout()))))
    #expect(scene.client.sectionScrolls.isEmpty)
  }

  @Test("a client that did not ask is not told")
  func notAsked() {
    var scene = scene(ClientCapabilities())
    scene.send(scroll(0, to: 50))
    #expect(scene.frames.allSatisfy { $0.sectionScrolls == nil })
    #expect(scene.client.slots.values.allSatisfy { !$0.scrollsAcross })
  }

  @Test("steps within a section that the renderer scrolls need no frame")
  func steps() {
    var scene = scene(Self.own)
    var frames = 0
    for step in 1 ... 160 {
      scene.send(scroll(0, to: Double(step)))
      frames += scene.frames.count
    }
    #expect(frames == 0)
    #expect(scene.client.element(.cell(0, 3))?.attributes.frame.x == 310)
    scene.send(scroll(0, to: 161))
    #expect(scene.frames.count == 1)
    // Nothing that was there is sent again.
    #expect(scene.client.element(.cell(0, 3))?.attributes.frame.x == 310)
    #expect(scene.upsertCount < 4)
  }

  @Test(
    "all that is seen is there, and where it is seen",
    arguments: [false, true],
    0 ..< 4 as Range<UInt64>
  )
  func walk(isRightToLeft: Bool, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var scene = scene(Self.own, isRightToLeft: isRightToLeft)
    var offsets = [0: 0.0, 2: 0.0]
    for _ in 0 ..< 60 {
      let section = 2 * random.int(0 ... 1)
      let reach = random.int(0 ... 5) == 0 ? 2000.0 : 60
      let step = Double.random(in: -reach ... reach, using: &random)
      let offset = min(max(0, (offsets[section] ?? 0) + step), 3710)
      offsets[section] = offset
      scene.send(scroll(section, to: offset))
      check(scene, offsets)
    }
  }

  /// Compares what the client sees with a query at the same offsets.
  private func check(
    _ scene: Scene,
    _ offsets: [Int: Double],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let query = scene.session.query else { return }
    var viewport = query.viewport
    viewport.sectionOffsets = offsets
    var buffer = ElementBuffer()
    query.prepared.appendElements(in: viewport.rect, viewport: viewport, to: &buffer)
    for element in buffer.elements {
      let path = element.indexPath
      guard let held = scene.client.element(.cell(path.section, path.item ?? 0)) else {
        Issue.record("\(element.indexPath) is missing", sourceLocation: sourceLocation)
        continue
      }
      let seen = scene.client.seenFrame(held, sectionOffset: offsets[path.section])
      #expect(
        abs(seen.x - element.frame.x) < 1e-6 && seen.y == element.frame.y,
        sourceLocation: sourceLocation
      )
    }
    for state in scene.client.sectionScrolls {
      let offset = offsets[state.section] ?? 0
      #expect(
        state.completeOffsets?.contains(offset) == true,
        "section \(state.section) at \(offset)",
        sourceLocation: sourceLocation
      )
    }
  }

  @Test("an animated insertion is told in the section's own place")
  func transitions() {
    var scene = scene(Self.own)
    scene.send(scroll(0, to: 400))
    scene.update([.insert("new", at: 5)], animated: true)
    // Item 4 was at 410 + 100 before; the new one appears where it will be.
    #expect(scene.appearing[.cell(0, 5)]?.frame.x == 510)
    #expect(scene.frames.last?.transition?.appearing.first?.element.scrollsAcross == true)
    scene.update([.delete(5 ..< 6)], animated: true)
    // What goes is told where it is seen.
    #expect(scene.disappearing[.cell(0, 5)]?.frame.x == 110)
    #expect(scene.frames.last?.transition?.disappearing.first?.element.scrollsAcross == false)
  }

  @Test("while an item is held, and where items change with the offset, the server scrolls")
  func exceptions() {
    var scene = scene(Self.own)
    scene.send(scroll(0, to: 30))
    scene.send(.movement(.begin(IndexPath(section: 0, item: 1))))
    #expect(scene.client.sectionScrolls.allSatisfy { $0.completeOffsets == nil })
    #expect(scene.client.element(.cell(0, 2))?.attributes.frame.x == 180)
    scene.send(.movement(.cancel))
    #expect(scene.client.sectionScrolls.allSatisfy { $0.completeOffsets != nil })
    #expect(scene.client.element(.cell(0, 2))?.attributes.frame.x == 210)
    let fading = VisibleItemEffect(
      attribute: .alpha,
      activeDistance: 100,
      atCenter: 1,
      atDistance: 0.5
    )
    let changing = self.scene(Self.own, effects: [fading])
    #expect(changing.client.sectionScrolls.first?.completeOffsets == nil)
    #expect(changing.client.element(.cell(0, 0))?.scrollsAcross == false)
  }

  @Test("the server scrolls as soon as items from elsewhere are held")
  func foreignItems() {
    var scene = scene(Self.own)
    scene.send(scroll(0, to: 30))
    let items = DraggedItems([ItemBlock(count: 1, keys: ["new"])], cellKindNames: ["cell"])
    scene.send(.movement(.beginForeign(.new(items))))
    #expect(scene.problem == nil)
    #expect(scene.client.sectionScrolls.allSatisfy { $0.completeOffsets == nil })
    #expect(scene.client.element(.cell(0, 2))?.attributes.frame.x == 180)
    scene.send(.movement(.cancel))
    #expect(scene.client.sectionScrolls.allSatisfy { $0.completeOffsets != nil })
  }

  @Test("what is seen, and what is about to be, is found where the renderer draws it")
  func attention() throws {
    var scene = scene(Self.own)
    scene.send(
      .options(
        SessionOptions(
          anchorMode: .none,
          visibility: VisibilityOptions(rules: [VisibilityRule(threshold: 1)])
        )
      )
    )
    _ = scene.session.nextVisibility(at: .zero)
    scene.send(scroll(0, to: 100))
    let told = scene.session.nextVisibility(at: .zero)
    let change = try #require(told)
    #expect(change.began.map(\.key) == [.cell(0, 3)])
    #expect(change.ended.count == 1)
  }

  // MARK: - What is promised

  @Test(
    "all that meets the coverage is there at both ends of the complete offsets",
    arguments: [false, true],
    [0, 100]
  )
  func completeness(isRightToLeft: Bool, trailing: Double) throws {
    var scene = Scene(
      .keyed(40, 2, 40, 2),
      layout: CompositionalLayout(sections: [Self.section(.continuous), Self.section(.none)]),
      insets: EdgeInsets(top: 0, leading: 0, bottom: 0, trailing: trailing),
      traits: ViewportChange.Traits(isRightToLeft: isRightToLeft),
      capabilities: Self.own
    )
    for start in [0, 1000] {
      scene.send(scroll(0, to: Double(start)))
      let coverage = try #require(scene.session.sent?.coverage)
      let states = scene.client.sectionScrolls
      let complete = try #require(states.first?.completeOffsets)
      for offset in [complete.lowerBound, complete.upperBound] where offset >= 0 {
        let query = try #require(scene.session.query)
        var viewport = query.viewport
        viewport.sectionOffsets = [0: offset]
        var buffer = ElementBuffer()
        query.prepared.appendElements(in: coverage, viewport: viewport, to: &buffer)
        for element in buffer.elements where element.indexPath.section == 0 {
          let item = element.indexPath.item ?? 0
          #expect(scene.client.element(.cell(0, item)) != nil, "item \(item) at \(offset)")
        }
      }
    }
  }

  // MARK: - Sections that the server moves

  /// The offsets of a client that scrolls sections, by the contract's rules.
  private struct OwnOffsets {
    var offsets: [Int: Double] = [:]

    mutating func take(_ frames: [SessionFrame]) {
      for state in frames.compactMap(\.sectionScrolls).joined() {
        let scroll = state.scroll
        let own = state.isReset ? nil : offsets[state.section]
        offsets[state.section] = min(
          max(own ?? scroll.offset, scroll.minimumOffset),
          scroll.maximumOffset
        )
      }
    }
  }

  private func resets(_ scene: Scene) -> [Int] {
    scene.frames.compactMap(\.sectionScrolls).joined().filter(\.isReset).map(\.section)
  }

  @Test("a client is told once when another section is at an index, and not of its own steps")
  func replaced() {
    var scene = scene(Self.own)
    scene.send(scroll(0, to: 400))
    #expect(resets(scene) == [])
    scene.update([.delete(5 ..< 40)])
    #expect(resets(scene) == [])
    scene.update([.deleteSections(0 ..< 1), .insertSections(at: 0, [new(30, 1)])])
    #expect(resets(scene) == [0])
    scene.update([.insert("x", at: 3)])
    #expect(scene.client.sectionScrolls.allSatisfy { !$0.isReset })
    scene.send(scroll(0, to: 250))
    scene.update([.insertSections(at: 0, [new(30, 2), new(2, 3)])])
    #expect(resets(scene) == [0, 2])
  }

  @Test("a client that did not apply the frame is told again")
  func rejectedReset() throws {
    var scene = scene(Self.own)
    scene.send(scroll(0, to: 400))
    scene.post(
      .update(UpdateBatch([.deleteSections(0 ..< 1), .insertSections(at: 0, [new(30, 1)])]))
    )
    scene.prepare()
    let frame = try scene.take()
    #expect(frame.sectionScrolls?.first?.isReset == true)
    try scene.session.acknowledge(
      FrameAck(sequence: frame.sequence, isRejected: true),
      at: scene.now
    )
    let mend = try scene.take()
    #expect(mend.isKeyframe && mend.sectionScrolls?.first?.isReset == true)
    try scene.session.acknowledge(FrameAck(sequence: mend.sequence), at: scene.now)
    scene.post(.resync)
    let later = try scene.take()
    #expect(later.isKeyframe && later.sectionScrolls?.first?.isReset == false)
  }

  @Test("sections that start elsewhere in another container are told")
  func newStarts() {
    var scene = Scene(
      .keyed(40, 2),
      layout: CompositionalLayout(
        sections: [Self.section(.groupPagingCentered), Self.section(.none)]
      ),
      capabilities: Self.own
    )
    var own = OwnOffsets()
    own.take(scene.frames)
    let before = own.offsets[0]
    scene.send(.viewport(ViewportChange(size: Size(width: 500, height: 480))))
    own.take(scene.frames)
    #expect(resets(scene) == [0])
    #expect(own.offsets[0] != before)
    #expect(own.offsets[0] == scene.client.sectionScrolls.first?.scroll.offset)
  }

  @Test(
    "a client that follows the rules has each section where the server has it",
    arguments: 0 ..< 12 as Range<UInt64>
  )
  func agreement(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let scrolling: OrthogonalScrolling = seed % 3 == 0 ? .groupPagingCentered : .continuous
    var scene = Scene(
      .keyed(40, 2, 40, 2, 40, 20, 30),
      layout: CompositionalLayout(sections: [Self.section(scrolling), Self.section(.none)]),
      size: Size(width: 320, height: 150),
      capabilities: Self.own
    )
    var own = OwnOffsets()
    own.take(scene.frames)
    for step in 0 ..< 80 {
      let count = scene.session.contents.effective.sectionCount
      let section = random.int(0 ... count - 1)
      let items = itemCount(scene, section)
      switch random.int(0 ... 8) {
      case 0: scene.update([.insertSections(at: section, [new(30, step)])])
      case 1 where count > 4: scene.update([.deleteSections(section ..< section + 1)])
      case 2: scene.update([.reloadSection(section, new(random.int(1 ... 40), step))])
      case 3: scene.update([.delete(items / 3 ..< items, section: section)])
      case 4: scene.scroll(to: random.double(0 ... 300))
      case 5:
        let size = Size(width: Double(random.int(100 ... 900)), height: 150)
        scene.send(.viewport(ViewportChange(size: size)))
      case 6:
        scene.update([
          .deleteSections(section ..< section + 1), .insertSections(at: section, [new(9, step)]),
        ])
      default:
        guard let state = scene.client.sectionScrolls.randomElement(using: &random) else {
          continue
        }
        let range =
          state.scroll.minimumOffset ... max(state.scroll.minimumOffset, state.scroll.maximumOffset)
        own.offsets[state.section] = Double.random(in: range, using: &random)
        scene.send(scroll(state.section, to: own.offsets[state.section] ?? 0))
      }
      own.take(scene.frames)
      for state in scene.client.sectionScrolls {
        let scroll = scene.session.query.flatMap {
          $0.prepared.sectionScroll(state.section, viewport: $0.viewport)
        }
        #expect(own.offsets[state.section] == scroll?.offset, "step \(step)")
      }
    }
  }

  private func itemCount(_ scene: Scene, _ section: Int) -> Int {
    let contents = scene.session.contents.effective
    return contents.itemCount(before: section + 1) - contents.itemCount(before: section)
  }

  /// A section with keys that no other has.
  private func new(_ count: Int, _ step: Int) -> SectionContents {
    let keys = (0 ..< count).map { "n\(step)-\($0)" }
    return SectionContents(key: "n\(step)", blocks: [ItemBlock(count: count, keys: keys)])
  }
}
