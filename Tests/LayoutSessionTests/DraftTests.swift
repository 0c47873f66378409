// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// What a session shows after edits whose layout takes long.
@Suite("Drafts in sessions", .timeLimit(.minutes(5)))
struct DraftTests {
  private static let layout = WaterfallLayout(columns: .count(3), columnSpacing: 5, itemSpacing: 4)
  private static let count = 40_000

  private static func block(_ name: String, _ count: Int, _ random: inout SplitMix64) -> ItemBlock {
    ItemBlock(
      count: count,
      heights: (0 ..< count).map { _ in Double(random.int(40 ... 180)) / 2 },
      keys: (0 ..< count).map { "\(name)\($0)" }
    )
  }

  private static func scene(_ random: inout SplitMix64, at y: Double) -> Scene {
    Scene(
      CollectionContents(sections: [SectionContents(key: "s", blocks: [block("i", count, &random)])]
      ),
      layout: layout,
      offset: Point(x: 0, y: y),
      options: SessionOptions(anchorMode: .firstVisible)
    )
  }

  /// Where the cells in sight are on screen, by their keys.
  private static func seen(_ scene: Scene) -> [String: Double] {
    var seen: [String: Double] = [:]
    for element in scene.client.slots.values where element.key.category == .cell {
      let y = element.attributes.frame.y - scene.client.offset.y
      if y < 480, y + element.attributes.frame.height > 0 { seen[element.itemKey] = y }
    }
    return seen
  }

  /// No column has a gap in sight.
  private static func checkColumns(_ scene: Scene) {
    var columns: [Double: [Rect]] = [:]
    for element in scene.client.slots.values where element.key.category == .cell {
      columns[element.attributes.frame.x, default: []].append(element.attributes.frame)
    }
    #expect(columns.count == 3)
    for frames in columns.values.map({ $0.sorted { $0.y < $1.y } }) {
      for (before, after) in zip(frames, frames.dropFirst()) {
        #expect(abs(after.y - before.maxY - 4) < 0.1, "a gap at \(after)")
      }
    }
  }

  @Test(
    "show each edit, keep what is in sight in place, and end where the whole is",
    arguments: 0 ..< 10
  )
  func edits(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    // Near the start, where the first draft ends, far behind it, and at the end.
    let places = [2000.0, 79_000, 80_500, 400_000, 780_000]
    var scene = Self.scene(&random, at: places[seed % places.count])
    scene.showsDrafts = true
    var drafts = 0
    for round in 0 ..< 12 {
      let count = try #require(scene.session.baseContents).itemCount
      let item = [0, 3, 60, count / 2, random.below(count - 9)][random.below(5)]
      let operation: UpdateOperation =
        random.chance(50)
        ? .insertItems(
          at: IndexPath(section: 0, item: item),
          items: [Self.block("n\(round).", random.int(1 ... 4), &random)]
        ) : .deleteItems(section: 0, items: item ..< item + random.int(1 ... 4))
      let before = Self.seen(scene)
      let version = scene.client.dataVersion
      scene.send(.update(UpdateBatch([operation])))
      #expect(scene.client.dataVersion == version + 1)
      Self.checkSight(scene, before)
      guard scene.session.isDraft else { continue }
      drafts += 1
      // Somewhere else, while the whole is being prepared.
      if random.chance(30) {
        scene.scroll(to: places[random.below(places.count)])
        Self.checkColumns(scene)
        scene.checkMirror()
      }
      guard random.chance(30) else { continue }
      let shown = Self.seen(scene)
      Self.complete(&scene)
      Self.checkSight(scene, shown)
    }
    #expect(drafts > 3)
    if scene.session.isDraft { Self.complete(&scene) }
    let query = try #require(scene.session.query)
    let fresh = Self.layout.prepare(query.prepared.context)
    #expect(query.prepared.contentSize == fresh.contentSize)
    let viewport = Viewport(offset: .zero, size: Size(width: 320, height: 480))
    var (all, expected) = (ElementBuffer(), ElementBuffer())
    query.prepared.appendElements(in: scene.client.coverage, viewport: viewport, to: &all)
    fresh.appendElements(in: scene.client.coverage, viewport: viewport, to: &expected)
    all.sort()
    expected.sort()
    #expect(all.elements.map(\.indexPath) == expected.elements.map(\.indexPath))
    #expect(all.elements.map(\.frame) == expected.elements.map(\.frame))
  }

  /// The client has what is shown, without gaps, and something in sight is where it was.
  private static func checkSight(_ scene: Scene, _ before: [String: Double]) {
    scene.checkMirror()
    checkColumns(scene)
    let after = seen(scene)
    let kept = before.filter { key, y in after[key].map { abs($0 - y) <= 1.0 / 32 } ?? false }
    #expect(!kept.isEmpty || before.keys.allSatisfy { after[$0] == nil })
  }

  /// Supplies the whole.
  private static func complete(_ scene: inout Scene) {
    scene.showsDrafts = false
    let version = scene.client.layoutVersion
    _ = scene.session.wantLayoutAnew()
    scene.settle()
    scene.showsDrafts = true
    #expect(!scene.session.isDraft)
    #expect(scene.frames.count == 1)
    #expect(scene.frames.allSatisfy { !$0.isKeyframe && $0.layoutVersion > version })
  }

  @Test("leave everything in sight where it is, far behind an edit")
  func farBehind() {
    var random = SplitMix64(seed: 77)
    var scene = Self.scene(&random, at: 500_000)
    scene.showsDrafts = true
    let before = Self.seen(scene)
    scene.send(
      .update(
        UpdateBatch([
          .insertItems(
            at: IndexPath(section: 0, item: 2),
            items: [Self.block("n", 5, &random)]
          )
        ])
      )
    )
    #expect(scene.session.isDraft)
    let after = Self.seen(scene)
    #expect(after.keys == before.keys)
    for (key, y) in before { #expect(abs((after[key] ?? .infinity) - y) <= 1.0 / 32) }
  }

  @Test("are for large contents of layouts that have them, and for nothing but edits")
  func rules() throws {
    var random = SplitMix64(seed: 3)
    func mayBeDraft(_ layout: any CollectionLayout, _ count: Int) throws -> Bool {
      var scene = Scene(
        CollectionContents(sections: [SectionContents(blocks: [Self.block("i", count, &random)])]),
        layout: layout
      )
      scene.post(.update(UpdateBatch([.delete(3 ..< 4)])))
      return try #require(scene.session.wantedLayout).mayBeDraft
    }
    #expect(try mayBeDraft(Self.layout, 33_000))
    #expect(try !mayBeDraft(Self.layout, 32_000))
    #expect(try !mayBeDraft(ListLayout(), 33_000))
    var scene = Self.scene(&random, at: 0)
    scene.post(.viewport(ViewportChange(size: Size(width: 200, height: 480))))
    #expect(try !#require(scene.session.wantedLayout).mayBeDraft)
  }
}
