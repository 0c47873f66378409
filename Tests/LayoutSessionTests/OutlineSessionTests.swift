// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import Testing

@testable import CollectionModel
@testable import LayoutSession

@Suite("Outlines in sessions", .timeLimit(.minutes(1)))
struct OutlineSessionTests {
  /// A, a1, a2 (with a2x), B, b1, C: nothing is expanded.
  private static func contents(
    _ expansion: OutlineExpansion = .perViewer,
    expanded: Set<String> = []
  ) -> CollectionContents {
    let nodes = [("A", 0), ("a1", 1), ("a2", 1), ("a2x", 2), ("B", 0), ("b1", 1), ("C", 0)]
    return outline(nodes, expansion, expanded: expanded)
  }

  private static func outline(
    _ nodes: [(key: String, level: Int)],
    _ expansion: OutlineExpansion,
    expanded: Set<String>
  ) -> CollectionContents {
    let block = ItemBlock(
      count: nodes.count,
      keys: nodes.map(\.key),
      outline: OutlineColumns(
        levels: nodes.map(\.level),
        expanded: nodes.map { expanded.contains($0.key) }
      )
    )
    return CollectionContents(
      sections: [SectionContents(key: "s", outline: expansion, blocks: [block])]
    )
  }

  private func rows(_ scene: Scene) -> [String] {
    scene.client.slots.values.filter { $0.key.category == .cell }
      .sorted { $0.key.indexPath < $1.key.indexPath }.map(\.itemKey)
  }

  private func outline(
    expand: [String] = [],
    collapse: [String] = [],
    slots: [UInt32] = [],
    descendants: Bool = false
  ) -> SessionEvent {
    .outline(
      OutlineEvent(
        change: ExpansionChange(
          expanded: expand,
          collapsed: collapse,
          includesDescendants: descendants
        ),
        toggledSlots: slots
      )
    )
  }

  @Test("each change shows in one frame, with no data version, and hidden items keep theirs")
  func expanding() {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    #expect(rows(scene) == ["A", "B", "C"])
    scene.send(outline(expand: ["a2", "nobody"]))
    #expect(rows(scene) == ["A", "B", "C"])
    scene.send(outline(expand: ["A"]))
    #expect(rows(scene) == ["A", "a1", "a2", "a2x", "B", "C"])
    #expect(scene.frames.count == 1)
    #expect(scene.frames[0].dataVersion == 0)
    scene.checkMirror()
    scene.send(outline(collapse: ["A"]))
    #expect(rows(scene) == ["A", "B", "C"])
    scene.send(outline(expand: ["A"]))
    #expect(rows(scene) == ["A", "a1", "a2", "a2x", "B", "C"])
    scene.send(outline(collapse: ["A"], descendants: true))
    scene.send(outline(expand: ["A"]))
    #expect(rows(scene) == ["A", "a1", "a2", "B", "C"])
    scene.checkMirror()
  }

  @Test("rows tell their place, and are sent again when it changes")
  func places() {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    func mark(_ key: String) -> OutlineMark? {
      for frame in scene.frames {
        for (upsert, itemKey) in zip(frame.upserts, frame.keys) where itemKey == key {
          return upsert.element.outline
        }
      }
      return nil
    }
    #expect(mark("A") == OutlineMark(level: 0, isExpanded: false))
    #expect(mark("C") == OutlineMark(level: 0, isExpanded: nil))
    scene.send(outline(expand: ["A"]))
    #expect(mark("A") == OutlineMark(level: 0, isExpanded: true))
    #expect(mark("a1") == OutlineMark(level: 1, isExpanded: nil))
    #expect(mark("a2") == OutlineMark(level: 1, isExpanded: false))
    scene.send(.update(UpdateBatch(change: .outline([.remove(keys: ["a1", "a2"])]))))
    #expect(mark("A") == OutlineMark(level: 0, isExpanded: nil))
  }

  @Test("slots toggle, for renderers without keys")
  func slots() throws {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    let slot = try #require(scene.client.slot(itemKey: "B"))
    scene.send(outline(slots: [slot, 999]))
    #expect(rows(scene) == ["A", "B", "b1", "C"])
    scene.send(outline(slots: [slot]))
    #expect(rows(scene) == ["A", "B", "C"])
  }

  @Test("a viewer that has measured rows follows edits of hidden ones")
  func hiddenEditsAfterMeasuring() throws {
    for isMeasured in [false, true] {
      var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50, isSelfSizing: true))
      scene.send(outline(expand: ["A"]))
      if isMeasured {
        let slot = try #require(scene.client.slot(itemKey: "a1"))
        scene.send(
          .measurements(
            MeasurementReport(
              observedFrame: 2,
              slots: [slot],
              sizes: [Size(width: 1, height: 25)]
            )
          )
        )
      }
      scene.send(outline(collapse: ["A"]))
      scene.send(.update(UpdateBatch(change: .outline([.remove(keys: ["a1"])]))))
      #expect(scene.problem == nil)
      #expect(rows(scene) == ["A", "B", "C"])
      scene.send(.update(UpdateBatch(change: .outline([.remove(keys: ["b1"])]))))
      scene.send(outline(expand: ["A", "B"]))
      #expect(rows(scene) == ["A", "a2", "B", "C"])
    }
  }

  @Test("a key on both sides is refused, and so are too many exceptions")
  func refusals() {
    var scene = Scene(
      Self.contents(),
      layout: ListLayout(rowHeight: 50),
      maxExpansionExceptions: 1
    )
    scene.send(outline(expand: ["A"], collapse: ["A"]))
    #expect(scene.problem?.reason == .fieldInvalid)
    scene.send(outline(expand: ["A", "B"]))
    #expect(scene.problem?.reason == .quotaExpansions)
    #expect(rows(scene) == ["A", "B", "C"])
    scene.send(outline(expand: ["A"]))
    #expect(scene.problem == nil)
    scene.send(outline(expand: ["A"], descendants: true))
    #expect(scene.problem?.reason == .quotaExpansions)
    #expect(rows(scene) == ["A", "a1", "a2", "B", "C"])
  }

  @Test("naming a tree too often with all below it is refused, and changes nothing")
  func descendants() {
    let nodes = [("A", 0)] + (0 ..< 2000).map { ("a\($0)", 1) }
    var scene = Scene(
      Self.outline(nodes, .perViewer, expanded: []),
      layout: ListLayout(rowHeight: 50)
    )
    scene.send(outline(expand: Array(repeating: "A", count: 200), descendants: true))
    #expect(scene.problem?.reason == .quotaSteps)
    #expect(rows(scene) == ["A"])
    scene.send(outline(expand: ["A"], descendants: true))
    #expect(rows(scene).count > 1)
  }

  @Test("where expansions are shared, the change becomes a batch")
  func shared() {
    var scene = Scene(Self.contents(.shared), layout: ListLayout(rowHeight: 50))
    scene.send(outline(expand: ["B"]))
    #expect(rows(scene) == ["A", "B", "b1", "C"])
    #expect(scene.results.first?.dataVersion == 1)
    #expect(scene.session.dataVersion == 1)
  }

  @Test("where expansions are shared, an item is not toggled and named to become the opposite")
  func sharedOpposites() throws {
    var scene = Scene(Self.contents(.shared), layout: ListLayout(rowHeight: 50))
    let slot = try #require(scene.client.slot(itemKey: "B"))
    scene.send(outline(collapse: ["B"], slots: [slot]))
    #expect(scene.problem?.violations.map(\.field) == ["toggled_slots"])
    #expect(scene.session.dataVersion == 0)
    scene.send(outline(expand: ["B"], slots: [slot]))
    #expect(rows(scene) == ["A", "B", "b1", "C"])
  }

  @Test("a viewer's rows follow batches, which count all items")
  func batches() throws {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    scene.send(outline(expand: ["A"]))
    let slot = try #require(scene.client.slot(itemKey: "a2"))
    scene.send(
      .update(
        UpdateBatch(
          change: .outline([
            .insert(at: .before("a1"), blocks: [ItemBlock(count: 1, keys: ["a0"])]),
            .move(key: "B", to: .lastChild(of: "A")),
          ])
        )
      )
    )
    #expect(rows(scene) == ["A", "a0", "a1", "a2", "B", "C"])
    #expect(scene.client.slot(itemKey: "a2") == slot)
    scene.update([.deleteItems(section: 0, items: 0 ..< 1)])
    #expect(rows(scene) == ["C"])
    #expect(scene.session.contents.base.expansionExceptionCount == 0)
    scene.checkMirror()
  }

  @Test("measured rows keep their sizes while others are hidden and shown")
  func measured() {
    var scene = Scene(
      Self.contents(),
      layout: ListLayout(rowHeight: 50, isSelfSizing: true)
    )
    scene.measure([(0, Size(width: 320, height: 80))])
    scene.send(outline(expand: ["A"]))
    #expect(rows(scene) == ["A", "a1", "a2", "B", "C"])
    #expect(scene.client.frame(itemKey: "A")?.height == 80)
    #expect(scene.client.frame(itemKey: "B")?.minY == 180)
    scene.send(outline(collapse: ["A"]))
    #expect(scene.client.frame(itemKey: "B")?.minY == 80)
    scene.checkMirror()
  }

  @Test("a hidden anchor gives its part to its nearest visible ancestor")
  func anchoring() {
    var nodes: [(key: String, level: Int)] = []
    for root in 0 ..< 4 {
      nodes.append(("r\(root)", 0))
      nodes += (0 ..< 40).map { ("c\(root).\($0)", 1) }
    }
    let all = Set((0 ..< 4).map { "r\($0)" })
    var scene = Scene(
      Self.outline(nodes, .perViewer, expanded: all),
      layout: ListLayout(rowHeight: 50),
      options: SessionOptions(anchorMode: .firstVisible)
    )
    // The first row in sight is c1.19, at 61 · 50.
    scene.scroll(to: 3050)
    #expect(scene.client.frame(itemKey: "c1.19")?.minY == 3050)
    scene.send(outline(collapse: ["r1"]))
    let frame = scene.client.frame(itemKey: "r1")
    #expect(frame.map { $0.minY - scene.client.offset.y } == 0)
    scene.checkMirror()
  }

  @Test("a session opens with the expansions that another one had")
  func restoring() {
    var scene = Scene(Self.contents(expanded: ["B"]), layout: ListLayout(rowHeight: 50))
    scene.send(outline(expand: ["A"], collapse: ["B"]))
    let saved = scene.session.contents.base.viewerExpansions
    #expect(saved == ViewerExpansions(expanded: ["A"], collapsed: ["B"]))
    for isShared in [false, true] {
      let again = Scene(
        Self.contents(expanded: ["B"]),
        layout: ListLayout(rowHeight: 50),
        isShared: isShared,
        expansions: saved
      )
      #expect(rows(again) == ["A", "a1", "a2", "B", "C"])
    }
    let all = Scene(
      Self.contents(),
      layout: ListLayout(rowHeight: 50),
      expansions: ViewerExpansions(base: .expanded, collapsed: ["A"])
    )
    #expect(rows(all) == ["A", "B", "b1", "C"])
  }

  @Test("a viewer at the base shares its layout, and shares it again after going back")
  func sharing() throws {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50), isShared: true)
    #expect(!scene.session.contents.isDerived)
    scene.send(outline(expand: ["A"]))
    #expect(scene.session.contents.isDerived)
    let bytes = scene.session.privateByteCount
    #expect(bytes < 200 << 10)
    scene.post(outline(collapse: ["A"]))
    let request = try #require(scene.session.wantedLayout)
    #expect(request.isShareable)
    scene.settle()
    #expect(rows(scene) == ["A", "B", "C"])
  }

  @Test("viewers who begin with one base share a layout, and go off from it and back to it")
  func sharingBases() throws {
    for base in ExpansionBase.allCases {
      var scene = Scene(
        Self.contents(expanded: ["B"]),
        layout: ListLayout(rowHeight: 50),
        isShared: true,
        expansions: ViewerExpansions(base: base)
      )
      let isOpen = base == .expanded
      let all = ["A", "a1", "a2", "a2x", "B", "b1", "C"]
      let some = base == .contents ? ["A", "B", "b1", "C"] : ["A", "B", "C"]
      #expect(rows(scene) == (isOpen ? all : some))
      #expect(!scene.session.contents.isDerived && scene.preparedCount == 1)
      #expect(scene.session.contents.byteCount == 0)
      let toggle = outline(expand: isOpen ? [] : ["A"], collapse: isOpen ? ["A"] : [])
      let back = outline(expand: isOpen ? ["A"] : [], collapse: isOpen ? [] : ["A"])
      scene.post(toggle)
      #expect(try #require(scene.session.wantedLayout).isShareable == false)
      scene.settle()
      // Its own layout is derived from the shared one.
      #expect(scene.preparedCount == 1)
      scene.post(back)
      #expect(try #require(scene.session.wantedLayout).isShareable)
      scene.settle()
      #expect(rows(scene) == (isOpen ? all : some))
      #expect(scene.session.contents.byteCount == 0)
      scene.checkMirror()
    }
  }

  @Test("a viewer with another base and expansions derives its layout from that of the base")
  func derivingFromBase() throws {
    let scene = Scene(
      Self.contents(),
      layout: ListLayout(rowHeight: 50),
      isShared: true,
      expansions: ViewerExpansions(base: .expanded, collapsed: ["A"])
    )
    #expect(rows(scene) == ["A", "B", "b1", "C"])
    #expect(scene.preparedCount == 1 && scene.derivedCount == 1)
  }

  @Test("what a viewer does before its expansions have been applied comes after them")
  func eventsBeforeExpansions() throws {
    for isRemoved in [false, true] {
      var session = ViewportSession(
        open: SessionParameters(
          contents: Self.contents(),
          isShared: true,
          layout: LayoutConfiguration(ListLayout(rowHeight: 50)),
          viewport: ViewportChange(size: Size(width: 320, height: 480)),
          expansions: ViewerExpansions(expanded: ["A", "B"])
        )
      )
      if isRemoved {
        // B goes, and comes back as a new item.
        let new = ItemBlock(
          count: 2,
          keys: ["B", "b1"],
          outline: OutlineColumns(levels: [0, 1])
        )
        let batches: [[OutlineEdit]] = [
          [.remove(keys: ["B"])], [.insert(at: .after("A"), blocks: [new])],
        ]
        for (version, edits) in batches.enumerated() {
          let batch = UpdateBatch(change: .outline(edits))
          let change = try session.contents.whole.applying(batch)
          session.collectionChanged(change, toVersion: UInt64(version + 1))
        }
      } else {
        _ = try session.receive(outline(collapse: ["B"]), seq: session.lastEvent + 1, at: .zero)
      }
      while let request = session.wantedLayout {
        _ = session.supply(request.prepare(), for: request)
      }
      let rows = session.contents.effective.section(at: 0).items
      #expect((0 ..< rows.count).map { rows.item(at: $0).key } == ["A", "a1", "a2", "B", "C"])
    }
  }

  @Test("scrolling to a hidden item expands what hides it, if asked to")
  func revealing() {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    scene.send(.scrollTarget(.item(key: "a2x", at: .start)))
    #expect(scene.problem?.reason == .elementHidden)
    scene.send(.scrollTarget(.item(key: "a2x", at: .start, reveals: true)))
    #expect(rows(scene) == ["A", "a1", "a2", "a2x", "B", "C"])
    #expect(scene.problem == nil)
    let targets = scene.messages.compactMap {
      if case .scrollTarget(_, let target) = $0 { target.element } else { nil }
    }
    #expect(targets == [.cell(0, 3)])
  }

  @Test("steps lead from row to row, and not from an item that is hidden")
  func neighbors() {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    func neighbor(_ key: String, _ step: NeighborStep) -> Neighbor? {
      scene.send(.scrollTarget(.neighbor(of: .item(key: key), step: step, at: .nearest)))
      for case .scrollTarget(_, let target) in scene.messages { return target.neighbor }
      return nil
    }
    #expect(neighbor("A", .down)?.itemKey == "B")
    #expect(neighbor("A", .next)?.outline == OutlineMark(level: 0, isExpanded: false))
    #expect(neighbor("C", .next) == nil)
    #expect(scene.problem == nil)
    #expect(neighbor("a2x", .up) == nil)
    #expect(scene.problem?.reason == .elementHidden)
    #expect(scene.problem?.violations.first?.field == "neighbor.item_key")
    #expect(scene.problem?.message.contains("reveal") == false)
    scene.send(outline(expand: ["A", "a2"]))
    #expect(neighbor("A", .down)?.itemKey == "a1")
    #expect(neighbor("a2x", .up)?.itemKey == "a2")
    #expect(neighbor("B", .previous)?.outline == OutlineMark(level: 2, isExpanded: nil))
    // Index paths count rows.
    let row = ScrollRequest.Origin.element(.cell(0, 4))
    scene.send(.scrollTarget(.neighbor(of: row, step: .up, at: .nearest)))
    #expect(
      scene.messages.contains {
        if case .scrollTarget(_, let target) = $0 {
          target.neighbor?.itemKey == "a2x"
        } else {
          false
        }
      }
    )
  }

  @Test("a row that is moved by hand takes its tree along, and is committed by its item")
  func movement() {
    var scene = Scene(Self.contents(), layout: ListLayout(rowHeight: 50))
    scene.send(.movement(.begin(IndexPath(section: 0, item: 2))))
    scene.send(.movement(.position(Point(x: 100, y: 25))))
    #expect(rows(scene) == ["C", "A", "B"])
    scene.send(.movement(.end))
    #expect(scene.problem == nil)
    #expect(rows(scene) == ["C", "A", "B"])
    let keys = scene.session.contents.whole.section(at: 0).items
    #expect((0 ..< 7).map { keys.item(at: $0).key } == ["C", "A", "a1", "a2", "a2x", "B", "b1"])
    scene.checkMirror()
  }
}
