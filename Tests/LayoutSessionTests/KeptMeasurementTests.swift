// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionModel
@testable import LayoutSession

/// What was measured belongs to an item, wherever it goes and whether it is visible.
@Suite("Measured sizes of rows that are hidden or moved", .timeLimit(.minutes(2)))
struct KeptMeasurementTests {
  /// Sizes by the key of the item.
  fileprivate struct Model {
    var measured: [String: Size] = [:]
    var random: SplitMix64
    var nextKey = 0
  }

  private static func contents(_ random: inout SplitMix64) -> CollectionContents {
    var sections: [SectionContents] = []
    for (index, expansion) in [OutlineExpansion.perViewer, .shared].enumerated() {
      let count = 14
      var levels: [Int] = []
      for _ in 0 ..< count { levels.append(random.below((levels.last ?? -1) + 2)) }
      let block = ItemBlock(
        count: count,
        heights: index == 0 ? (0 ..< count).map { Double(20 + $0) } : [],
        keys: (0 ..< count).map { "\(index)-\($0)" },
        outline: OutlineColumns(
          levels: levels,
          expanded: (0 ..< count).map { _ in random.chance(60) }
        )
      )
      sections.append(SectionContents(key: "s\(index)", outline: expansion, blocks: [block]))
    }
    let plain = ItemBlock(count: 6, keys: (0 ..< 6).map { "p\($0)" })
    return CollectionContents(sections: sections + [SectionContents(key: "p", blocks: [plain])])
  }

  @Test("a row that appears again has the size that was measured before it was hidden")
  func hidden() {
    let block = ItemBlock(
      count: 4,
      keys: ["A", "a", "b", "C"],
      outline: OutlineColumns(levels: [0, 1, 1, 0], expanded: [true])
    )
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: .perViewer, blocks: [block])]
    )
    for isShared in [false, true] {
      var scene = Scene(
        contents,
        layout: ListLayout(rowHeight: 40, isSelfSizing: true),
        isShared: isShared
      )
      let before = scene.session.byteCount
      scene.measure([(1, Size(width: 320, height: 70)), (2, Size(width: 320, height: 10))])
      #expect(scene.client.frame(itemKey: "C")?.minY == 120)
      scene.send(.outline(OutlineEvent(change: ExpansionChange(collapsed: ["A"]))))
      #expect(scene.client.frame(itemKey: "C")?.minY == 40)
      // What is hidden is charged too.
      #expect(scene.session.byteCount > before + 2048)
      #expect(scene.session.contents.measured.count == 2)
      scene.send(.outline(OutlineEvent(change: ExpansionChange(expanded: ["A"]))))
      #expect(scene.client.frame(itemKey: "a")?.height == 70)
      #expect(scene.client.frame(itemKey: "C")?.minY == 120)
      scene.checkMirror()
    }
  }

  @Test("what is collapsed while it is held keeps its sizes over the drop")
  func dropped() {
    let block = ItemBlock(
      count: 4,
      keys: ["A", "a", "b", "C"],
      outline: OutlineColumns(levels: [0, 1, 1, 0], expanded: [true])
    )
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: .perViewer, blocks: [block])]
    )
    var scene = Scene(contents, layout: ListLayout(rowHeight: 40, isSelfSizing: true))
    scene.measure([(0, Size(width: 320, height: 30)), (1, Size(width: 320, height: 70))])
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 1))))
    // While A is held, C is measured where it is shown.
    scene.measure([(.cell(0, 0), Size(width: 320, height: 90))])
    #expect(scene.client.frame(itemKey: "C")?.height == 90)
    scene.send(.movement(.end))
    #expect(scene.problem == nil)
    #expect(scene.client.frame(itemKey: "C") == Rect(x: 0, y: 0, width: 320, height: 90))
    #expect(scene.client.frame(itemKey: "A") == Rect(x: 0, y: 90, width: 320, height: 30))
    #expect(scene.client.frame(itemKey: "a") == Rect(x: 0, y: 120, width: 320, height: 70))
    #expect(scene.client.frame(itemKey: "b")?.minY == 190)
    scene.checkMirror()
  }

  @Test("sizes go along with their items in any walk", arguments: 0 ..< 40 as Range<UInt64>)
  func walk(seed: UInt64) throws {
    var model = Model(random: SplitMix64(seed: seed))
    let layouts: [any CollectionLayout] = [
      ListLayout(rowHeight: 30, isSelfSizing: true),
      FlowLayout(estimatedItemSize: Size(width: 90, height: 30)),
    ]
    var scene = Scene(
      Self.contents(&model.random),
      layout: layouts[Int(seed % 2)],
      size: Size(width: 320, height: 700),
      isShared: false,
      expansions: ViewerExpansions(base: ExpansionBase.allCases[Int(seed / 2 % 3)])
    )
    for step in 0 ..< 80 {
      model.step(&scene)
      try check(scene, model, "seed \(seed), step \(step)")
    }
    scene.send(.movement(.cancel))
    try check(scene, model, "seed \(seed), at the end")
    scene.checkMirror()
  }

  /// Compares the rows with the model, item by item, and the layout with one prepared from nothing.
  private func check(_ scene: Scene, _ model: Model, _ note: String) throws {
    let contents = scene.session.contents
    let effective = contents.effective
    for section in 0 ..< effective.sectionCount {
      for row in 0 ..< effective.section(at: section).items.count {
        let path = IndexPath(section: section, item: row)
        let key = try #require(effective.key(at: path), "\(note)")
        let item = try #require(contents.whole.indexPath(ofItemKey: key), "\(note)")
        let data = try #require(contents.whole.item(at: item), "\(note)")
        let found = try #require(effective.item(at: path), "\(note)")
        let size = model.measured[key]
        #expect(found.width == size?.width ?? data.width, "\(key), \(note)")
        #expect(found.height == size?.height ?? data.height, "\(key), \(note)")
      }
    }
    let sizes = model.measured.values
    #expect(contents.measured.count == sizes.count, "\(note)")
    let mean = contents.measured.mean
    #expect((mean == nil) == sizes.isEmpty, "\(note)")
    if let mean {
      let height = sizes.reduce(0) { $0 + $1.height } / Double(sizes.count)
      #expect(abs(mean.height - height) < 1e-9, "\(note)")
    }
    let rows = contents.whole.rows(showing: contents.base.viewerExpansions)
    if scene.session.movement == nil {
      for section in 0 ..< rows.sectionCount {
        let wanted = rows.section(at: section).items
        let found = effective.section(at: section).items
        #expect(found.count == wanted.count, "\(note)")
      }
    }
    guard let prepared = scene.session.query?.prepared else { return }
    let fresh = scene.session.configuration.layout.prepare(prepared.context)
    #expect(abs(fresh.contentSize.height - prepared.contentSize.height) < 1e-6, "\(note)")
  }
}

extension KeptMeasurementTests.Model {
  fileprivate mutating func step(_ scene: inout Scene) {
    let whole = scene.session.contents.whole
    let section = random.below(whole.sectionCount)
    let key = randomKey(of: whole, section)
    switch random.below(12) {
    case 0 ... 3: measure(&scene)
    case 4 ... 6:
      let isExpanded = random.chance(50)
      let change = ExpansionChange(
        expanded: isExpanded ? [key] : [],
        collapsed: isExpanded ? [] : [key],
        includesDescendants: random.chance(20)
      )
      scene.send(.outline(OutlineEvent(change: change)))
    case 7: hold(&scene)
    case 8: edit(&scene, key, of: whole, section)
    case 9:
      // Nothing has a model for how a refused move ends, so only what is not refused counts.
      let target = randomKey(of: whole, section)
      let edit = OutlineEdit.move(key: key, to: .lastChild(of: target))
      scene.send(.update(UpdateBatch(change: .outline([edit]))))
    case 10: scene.scroll(to: Double(random.below(3) * 100))
    default:
      nextKey += 1
      let block = ItemBlock(count: 1, keys: ["n\(nextKey)"])
      scene.send(
        .update(UpdateBatch(change: .outline([.insert(at: .before(key), blocks: [block])])))
      )
    }
    let now = scene.session.contents.whole
    for key in measured.keys where now.indexPath(ofItemKey: key) == nil { measured[key] = nil }
  }

  private mutating func randomKey(of contents: CollectionContents, _ section: Int) -> String {
    let items = contents.section(at: section).items
    guard items.count > 0 else { return "nobody" }
    return items.item(at: random.below(items.count)).key ?? ""
  }

  private mutating func measure(_ scene: inout Scene) {
    var slots: [UInt32] = []
    var sizes: [Size] = []
    for (slot, element) in scene.client.slots.sorted(by: { $0.key < $1.key })
    where element.key.category == .cell && random.chance(30) {
      let size = Size(
        width: Double(random.int(10 ... 200)),
        height: Double(random.int(1 ... 90)) / 4
      )
      slots.append(slot)
      sizes.append(size)
      measured[element.itemKey] = size
    }
    let report = MeasurementReport(
      observedFrame: scene.client.lastApplied,
      slots: slots,
      sizes: sizes
    )
    scene.send(.measurements(report))
    #expect(scene.problem == nil)
  }

  /// A step of a movement by hand; many are refused.
  private mutating func hold(_ scene: inout Scene) {
    let path = IndexPath(section: random.below(3), item: random.below(5))
    switch random.below(4) {
    case 0: scene.send(.movement(.begin(path)))
    case 1: scene.send(.movement(.target(path)))
    case 2: scene.send(.movement(.position(Point(x: 20, y: Double(random.below(300))))))
    default: scene.send(.movement(.end))
    }
  }

  /// Deletes, moves, reloads or reconfigures an item.
  private mutating func edit(
    _ scene: inout Scene,
    _ key: String,
    of whole: CollectionContents,
    _ section: Int
  ) {
    guard let item = whole.indexPath(ofItemKey: key)?.item else { return }
    switch random.below(4) {
    case 0: scene.send(.update(UpdateBatch(change: .outline([.remove(keys: [key])]))))
    case 1:
      let target = random.below(whole.section(at: section).items.count)
      scene.send(.update(UpdateBatch([.move(item, to: target, section: section)])))
    case 2:
      let block = ItemBlock(count: 1, heights: [77], keys: [key])
      let reload = UpdateOperation.reloadItems(
        section: section,
        items: item ..< item + 1,
        blocks: [block]
      )
      scene.send(.update(UpdateBatch([reload])))
      if scene.problem == nil { measured[key] = nil }
    default:
      let block = ItemBlock(count: 1, heights: [66])
      let reconfiguration = UpdateOperation.reconfigureItems(
        section: section,
        items: item ..< item + 1,
        blocks: [block]
      )
      scene.send(.update(UpdateBatch([reconfiguration])))
    }
  }
}
