// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("What is held while others commit", .timeLimit(.minutes(2)))
struct HeldFollowingTests {
  private func scene(holding count: Int) -> Scene {
    var scene = Scene(.keyed(2000), layout: ListLayout(rowHeight: 40), isShared: true)
    scene.send(.movement(.beginItems(.keys((0 ..< count).map { "a\($0 * 2)" }))))
    #expect(scene.problem == nil)
    return scene
  }

  @Test("the more is held, the longer commits may be left alone; few items do not matter")
  func pauses() {
    for (count, holdsMuch) in [(1, false), (100, false), (400, true), (900, true)] {
      let scene = scene(holding: count)
      #expect(scene.session.holdsMuch == holdsMuch)
      let pause = SessionCosts.pausePerHeldItem * count
      #expect(scene.session.followingPause == (holdsMuch ? pause : .zero))
    }
  }

  @Test("frames that show much that is held are made in turns")
  func frames() {
    for (count, needsTurn) in [(20, false), (900, true)] {
      var scene = scene(holding: count)
      _ = scene.session.nextFrame(at: scene.now)
      scene.session.isViewportDirty = true
      scene.session.needsKeyframe = true
      var scratch = SessionScratch()
      let now = scene.now + .seconds(1)
      let frame = scene.session.nextFrame(at: now, scratch: &scratch, effort: .small)
      #expect((frame == nil) == needsTurn)
      #expect(scene.session.needsTurn == needsTurn)
    }
  }

  @Test("a layout for which much that is held waits to be placed takes long to take over")
  func places() {
    for (count, takesLong) in [(20, false), (900, true)] {
      var scene = scene(holding: count)
      scene.session.movement?.isPlacePending = true
      #expect(scene.session.takesLongToSupply == takesLong)
    }
  }

  /// The rows that a viewer sees, by key.
  private func keys(_ scene: Scene) -> [String] {
    let contents = scene.session.contents.effective
    return (0 ..< contents.section(at: 0).items.count).map {
      contents.key(at: IndexPath(section: 0, item: $0)) ?? ""
    }
  }

  @Test(
    "what is held follows any batches, and lies where a new movement would lie",
    arguments: 0 ..< 30 as Range<UInt64>
  )
  func batches(seed: UInt64) throws {
    var random = SplitMix64(seed: 73_000 + seed)
    var contents = CollectionContents.keyed(40)
    let size = Size(width: 320, height: 2000)
    var scene = Scene(contents, layout: ListLayout(rowHeight: 40), size: size, isShared: true)
    var held = Array((0 ..< 40).shuffled(using: &random).prefix(random.int(1 ... 12))).map {
      "a\($0)"
    }
    var target = random.int(0 ... 28)
    scene.send(.movement(.beginItems(.keys(held))))
    scene.send(.movement(.target(IndexPath(section: 0, item: target))))
    var version: UInt64 = 0
    var newKeys = 0
    for _ in 0 ..< 20 {
      let count = contents.section(at: 0).items.count
      let item = random.int(0 ... max(0, count - 1))
      newKeys += 1
      let operation: UpdateOperation =
        switch random.int(0 ... 3) {
        case 0 where count > 30: .delete(item ..< item + 1, section: 0)
        case 1: .move(item, to: random.int(0 ... count - 1), section: 0)
        case 2:
          .reloadItems(
            section: 0,
            items: item ..< item + 1,
            blocks: [ItemBlock(count: 1, keys: ["r\(newKeys)"])]
          )
        default: .insert("n\(newKeys)", at: item, section: 0)
        }
      let change = try contents.applying(UpdateBatch([operation]))
      contents = change.new
      version += 1
      scene.session.collectionChanged(change, toVersion: version)
      scene.settle()
      var keys = (0 ..< contents.section(at: 0).items.count).map {
        contents.key(at: IndexPath(section: 0, item: $0)) ?? ""
      }
      held = held.filter { keys.contains($0) }
      guard !held.isEmpty else {
        #expect(scene.session.movement == nil)
        #expect(self.keys(scene) == keys)
        return
      }
      keys.removeAll { held.contains($0) }
      target = min(target, keys.count)
      keys.insert(contentsOf: held, at: target)
      #expect(self.keys(scene) == keys)
    }
    scene.send(.movement(.cancel))
    scene.checkMirror()
  }
}
