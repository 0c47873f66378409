// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Movements over several versions", .timeLimit(.minutes(2)))
struct MovementPauseTests {
  private static func outline(_ count: Int, _ random: inout SplitMix64) -> SectionContents {
    var levels = [0]
    while levels.count < count {
      levels.append(Int.random(in: 0 ... levels[levels.count - 1] + 1, using: &random))
    }
    let block = ItemBlock(
      count: count,
      keys: (0 ..< count).map { "o\($0)" },
      outline: OutlineColumns(
        levels: levels,
        expanded: levels.map { _ in random.chance(70) }
      )
    )
    return SectionContents(key: "o", outline: .perViewer, blocks: [block])
  }

  /// A viewer who follows one version after the other, and one who follows all of them at once.
  private struct Pair {
    var random: SplitMix64
    var single: Scene
    var several: Scene
    var contents: CollectionContents
    var version: UInt64 = 0
    var newKeys = 0
    var heldRounds = 0

    init(seed: UInt64, hasOutline: Bool) {
      var random = SplitMix64(seed: seed)
      var sections = (0 ..< 3).map { section in
        let keys = (0 ..< Int.random(in: 2 ... 8, using: &random)).map { "\(section).\($0)" }
        return SectionContents(
          key: "\(section)",
          blocks: [ItemBlock(count: keys.count, keys: keys)]
        )
      }
      if hasOutline { sections.insert(MovementPauseTests.outline(12, &random), at: 1) }
      contents = CollectionContents(sections: sections)
      let size = Size(width: 320, height: 2000)
      let layout = ListLayout(rowHeight: 30, headerHeight: 20)
      single = Scene(contents, layout: layout, size: size, isShared: true)
      several = Scene(contents, layout: layout, size: size, isShared: true)
      self.random = random
    }

    mutating func both(_ event: SessionEvent) {
      single.send(event)
      several.send(event)
      #expect(single.problem?.reason == several.problem?.reason)
    }

    /// The keys of all items of one kind of section.
    mutating func someKeys() -> [String] {
      let section = Int.random(in: 0 ..< contents.sectionCount, using: &random)
      let isOutline = contents.section(at: section).outline != nil
      let keys = (0 ..< contents.sectionCount).filter {
        (contents.section(at: $0).outline != nil) == isOutline
      }.flatMap { section in
        (0 ..< contents.section(at: section).items.count).compactMap {
          contents.key(at: IndexPath(section: section, item: $0))
        }
      }
      return Array(keys.shuffled(using: &random).prefix(Int.random(in: 1 ... 5, using: &random)))
    }

    mutating func pickUp() {
      if random.chance(30) {
        let targets = (0 ..< contents.sectionCount).filter { _ in random.chance(70) }.map {
          MovementRules.Target(.index($0), mostItems: random.chance(40) ? 8 : nil)
        }
        both(.movement(.rules(MovementRules(targets: targets))))
      }
      if random.chance(35) {
        let block = ItemBlock(count: 2, keys: ["f\(newKeys)", "g\(newKeys)"])
        both(.movement(.beginForeign(.new(DraggedItems([block], cellKindNames: [])))))
      } else {
        both(.movement(.beginItems(.keys(someKeys()))))
      }
      let point = Point(x: 100.25, y: Double(Int.random(in: 0 ..< 500, using: &random)) + 0.25)
      if random.chance(60) { both(.movement(.position(point))) }
      if random.chance(50) {
        let section = Int.random(in: 0 ..< contents.sectionCount, using: &random)
        let count = contents.section(at: section).items.count
        let item = max(0, count - Int.random(in: 0 ... 4, using: &random))
        both(.movement(.target(IndexPath(section: section, item: item))))
      }
    }

    mutating func operation() -> UpdateOperation {
      let section = Int.random(in: 0 ..< contents.sectionCount, using: &random)
      let count = contents.section(at: section).items.count
      let isOutline = contents.section(at: section).outline != nil
      newKeys += 1
      if random.chance(8), contents.sectionCount > 2 {
        return .deleteSections(section ..< section + 1)
      }
      if random.chance(15) {
        return .moveSection(
          from: section,
          to: Int.random(in: 0 ..< contents.sectionCount, using: &random)
        )
      }
      guard count > 1, !isOutline else {
        return .setSectionMetrics(section, SectionMetrics())
      }
      let item = Int.random(in: 0 ..< count, using: &random)
      switch Int.random(in: 0 ..< 3, using: &random) {
      case 0: return .delete(item ..< item + 1, section: section)
      case 1: return .move(item, to: Int.random(in: 0 ..< count, using: &random), section: section)
      default: return .insert("n\(newKeys)", at: item, section: section)
      }
    }

    mutating func batch() -> UpdateBatch {
      let outline = (0 ..< contents.sectionCount).first { contents.section(at: $0).outline != nil }
      guard let outline, random.chance(50) else { return UpdateBatch([operation()]) }
      let count = contents.section(at: outline).items.count
      let keys = (0 ..< count).shuffled(using: &random).prefix(2).compactMap {
        contents.key(at: IndexPath(section: outline, item: $0))
      }
      guard keys.count == 2, count > 3 else { return UpdateBatch([operation()]) }
      return UpdateBatch(
        change: .outline([
          random.chance(40)
            ? .remove(keys: [keys[0]]) : .move(key: keys[0], to: .lastChild(of: keys[1]))
        ])
      )
    }

    /// Others change the collection several times.
    mutating func follow() {
      var changes: [(change: ContentsChange, version: UInt64)] = []
      while changes.count < Int.random(in: 2 ... 6, using: &random) {
        // What would put an item below itself is refused.
        guard let change = try? contents.applying(batch()) else { continue }
        contents = change.new
        version += 1
        changes.append((change, version))
      }
      if single.session.movement != nil { heldRounds += 1 }
      for (change, version) in changes {
        single.session.collectionChanged(change, toVersion: version)
      }
      several.session.collectionChanged(changes)
      checkState()
      single.settle()
      several.settle()
      checkState()
      check()
    }

    func checkState() {
      let (a, b) = (single.session.movement, several.session.movement)
      #expect(a?.items.map(\.item) == b?.items.map(\.item))
      #expect(a?.items.map(\.row) == b?.items.map(\.row))
      #expect(a?.items.map(\.isCollapsed) == b?.items.map(\.isCollapsed))
      #expect(a?.path == b?.path)
      #expect(a?.place == b?.place)
      #expect(a?.level == b?.level)
      #expect(a?.target == b?.target)
      #expect(a?.position == b?.position)
      #expect(a?.wish == b?.wish)
      #expect(a?.isShown == b?.isShown)
      #expect(a?.isPlacePending == b?.isPlacePending)
      #expect(single.session.eventsSinceFrame == several.session.eventsSinceFrame)
    }

    func check() {
      #expect(single.client.slots == several.client.slots)
      #expect(single.client.contentSize == several.client.contentSize)
    }

    mutating func end() {
      both(.movement(.cancel))
      checkState()
      check()
      several.checkMirror()
    }
  }

  @Test(
    "who follows several versions at once ends like who follows them one by one",
    arguments: 0 ..< 60 as Range<UInt64>
  )
  func pairs(seed: UInt64) throws {
    var pair = Pair(seed: seed, hasOutline: seed % 2 == 1)
    for _ in 0 ..< 8 {
      pair.pickUp()
      for _ in 0 ..< 2 { pair.follow() }
      pair.end()
    }
    #expect(pair.heldRounds > 0)
  }

  @Test(
    "a target that was at the end of its section for one version, or refused, stays what that made of it",
    arguments: [nil, 5]
  )
  func passedTargets(mostItems: Int?) throws {
    var contents = CollectionContents.keyed(3, 4)
    let layout = ListLayout(rowHeight: 40)
    var single = Scene(contents, layout: layout, isShared: true)
    let target = MovementRules.Target(.index(1), mostItems: mostItems)
    single.send(.movement(.rules(MovementRules(targets: [.init(.index(0)), target]))))
    single.send(.movement(.beginItems(.keys(["a0"]))))
    single.send(.movement(.target(IndexPath(section: 1, item: 4))))
    #expect(single.problem == nil)
    var several = single
    var changes: [(change: ContentsChange, version: UInt64)] = []
    let fewer: [UpdateOperation] = [
      .delete(0 ..< 2, section: 1), .insert("b8", "b9", at: 0, section: 1),
    ]
    let more: [UpdateOperation] = [
      .insert("b8", "b9", at: 0, section: 1), .delete(0 ..< 2, section: 1),
    ]
    for operation in mostItems == nil ? fewer : more {
      let change = try contents.applying(UpdateBatch([operation]))
      contents = change.new
      changes.append((change, UInt64(changes.count + 1)))
    }
    for (change, version) in changes {
      single.session.collectionChanged(change, toVersion: version)
    }
    several.session.collectionChanged(changes)
    let wanted = mostItems == nil ? IndexPath(section: 1, item: 2) : nil
    #expect(single.session.movement?.target == wanted)
    #expect(several.session.movement?.target == wanted)
    #expect(several.session.movement?.path == single.session.movement?.path)
  }

  @Test(
    "items from elsewhere are hidden and shown again once, also in an outline",
    arguments: [false, true]
  )
  func foreignOnce(isOutline: Bool) throws {
    let count = 50
    let block = ItemBlock(
      count: count,
      keys: (0 ..< count).map { "a\($0)" },
      outline: isOutline ? OutlineColumns(levels: Array(repeating: 0, count: count)) : .init()
    )
    var contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: isOutline ? .perViewer : nil, blocks: [block])]
    )
    var single = Scene(contents, layout: ListLayout(rowHeight: 40), isShared: true)
    let items = ItemBlock(count: 3, keys: ["x", "y", "z"])
    single.send(.movement(.beginForeign(.new(DraggedItems([items], cellKindNames: [])))))
    single.send(.movement(.target(IndexPath(section: 0, item: 4))))
    #expect(single.problem == nil)
    var several = single
    var changes: [(change: ContentsChange, version: UInt64)] = []
    for version in 1 ... 9 {
      let change = try contents.applying(
        isOutline
          ? UpdateBatch(change: .outline([.remove(keys: ["a\(version)"])]))
          : UpdateBatch([.delete(1 ..< 2)])
      )
      contents = change.new
      changes.append((change, UInt64(version)))
    }
    let epoch = several.session.contents.epoch
    several.session.collectionChanged(changes)
    #expect(several.session.contents.epoch - epoch == 9 + 2)
    for (change, version) in changes {
      single.session.collectionChanged(change, toVersion: version)
    }
    #expect(several.session.movement?.isShown == true)
    #expect(several.session.movement?.path == single.session.movement?.path)
    #expect(several.session.movement?.place == single.session.movement?.place)
    single.settle()
    several.settle()
    #expect(several.client.slots == single.client.slots)
  }

  @Test(
    "items from elsewhere are gone as soon as one version has one of their keys, even if not for long"
  )
  func takenKey() throws {
    var contents = CollectionContents.keyed(5)
    var scene = Scene(contents, layout: ListLayout(rowHeight: 40), isShared: true)
    let items = ItemBlock(count: 2, keys: ["x", "y"])
    scene.send(.movement(.beginForeign(.new(DraggedItems([items], cellKindNames: [])))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 1))))
    var changes: [(change: ContentsChange, version: UInt64)] = []
    for operation in [UpdateOperation.insert("y", at: 0), .delete(0 ..< 1)] {
      let change = try contents.applying(UpdateBatch([operation]))
      contents = change.new
      changes.append((change, UInt64(changes.count + 1)))
    }
    scene.session.collectionChanged(changes)
    #expect(scene.session.movement == nil)
  }

  @Test("what is held is put back and shown again once, however many versions are followed")
  func once() throws {
    var contents = CollectionContents.keyed(50)
    var scene = Scene(contents, layout: ListLayout(rowHeight: 40), isShared: true)
    scene.send(.movement(.beginItems(.keys(["a9", "a3", "a20"]))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 30))))
    #expect(scene.problem == nil)
    var changes: [(change: ContentsChange, version: UInt64)] = []
    for version in 1 ... 9 {
      let change = try contents.applying(UpdateBatch([.delete(0 ..< 1)]))
      contents = change.new
      changes.append((change, UInt64(version)))
    }
    let epoch = scene.session.contents.epoch
    scene.session.collectionChanged(changes)
    // The preview is taken back, and shown at the target: a change each, beside those that are
    // followed.
    #expect(scene.session.contents.epoch - epoch == 9 + 2)
    scene.settle()
    scene.send(.movement(.cancel))
    scene.checkMirror()
  }

  @Test("shared sizes and batches are followed at once as one by one")
  func shared() throws {
    let list = ListLayout(rowHeight: 40, isSelfSizing: true)
    var viewers = SharedScenes(3, of: .keyed(12), layout: list)
    for index in 0 ..< 2 {
      viewers.scenes[index].send(.movement(.beginItems(.keys(["a9", "a1", "a4"]))))
      viewers.scenes[index].send(.movement(.target(IndexPath(section: 0, item: 2))))
    }
    for round in 1 ... 4 {
      viewers.measure([("a\(round)", Size(width: 320, height: Double(50 + round)))], by: 2)
      try viewers.commit([.move(0, to: 7), .delete(10 ..< 11), .insert("n\(round)", at: 3)])
    }
    let missed = viewers.shared.changes(since: viewers.scenes[0].session.sharedVersion)
    let changes = try #require(missed)
    #expect(changes.count == 8)
    for change in changes { _ = viewers.scenes[0].session.sharedChanged(change) }
    _ = viewers.scenes[1].session.sharedChanged(changes)
    for index in 0 ..< 2 { viewers.scenes[index].settle() }
    #expect(viewers.scenes[0].client.slots == viewers.scenes[1].client.slots)
    #expect(viewers.scenes[0].session.sharedVersion == viewers.scenes[1].session.sharedVersion)
    // What is held lies elsewhere than the layout says.
    viewers.scenes[1].send(.movement(.cancel))
    viewers.scenes[1].checkMirror()
  }

  @Test("sizes of an outline that are measured under a movement are offered for the items")
  func sharedOutline() {
    let block = ItemBlock(
      count: 6,
      keys: ["p", "p0", "p1", "q", "r", "s"],
      outline: OutlineColumns(
        levels: [0, 1, 1, 0, 0, 0],
        expanded: [false, false, false, false, false, false]
      )
    )
    let section = SectionContents(key: "o", outline: .perViewer, blocks: [block])
    var viewers = SharedScenes(
      1,
      of: CollectionContents(sections: [section]),
      layout: ListLayout(rowHeight: 40, isSelfSizing: true)
    )
    viewers.scenes[0].send(.movement(.beginItems(.keys(["s"]))))
    viewers.scenes[0].send(.movement(.target(IndexPath(section: 0, item: 1))))
    #expect(viewers.scenes[0].problem == nil)
    viewers.measure(
      [("q", Size(width: 320, height: 70)), ("s", Size(width: 320, height: 80))],
      by: 0
    )
    #expect(viewers.sizes["q"] == Size(width: 320, height: 70))
    #expect(viewers.sizes["s"] == Size(width: 320, height: 80))
    #expect(viewers.sizes["p0"] == nil)
  }
}
