// SPDX-License-Identifier: Apache-2.0

import CAllocator
import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("The memory of what is held", .timeLimit(.minutes(1)))
struct HeldMemoryTests {
  private static let count = 60_000

  /// Items with keys and sizes of their own, whose index of keys has been built.
  private static func contents() -> CollectionContents {
    let block = ItemBlock(
      count: count,
      widths: (0 ..< count).map { [20, 77, 55.5][$0 * 7919 % 3] },
      heights: (0 ..< count).map { [20, 30, 41.5][$0 * 104_729 % 3] },
      keys: (0 ..< count).map { "b\($0)" }
    )
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    _ = contents.indexPath(ofItemKey: "b0")
    return contents
  }

  /// A viewer who holds items from all parts of the contents.
  private static func scene(holding held: Int) -> Scene {
    var scene = Scene(contents(), layout: FlowLayout(), isShared: true)
    let distance = count / held
    let paths = (0 ..< held).map { IndexPath(section: 0, item: $0 * distance) }
    scene.send(.movement(.beginItems(.paths(paths))))
    #expect(scene.problem == nil)
    return scene
  }

  /// Moves what is held to other places, and shows nothing of it.
  private static func move(_ scene: inout Scene, _ steps: Range<Int>) {
    for step in steps {
      let item = (step * 7919 + 1000) % (count - 2000)
      scene.post(.movement(.target(IndexPath(section: 0, item: item))))
    }
    #expect(scene.problem == nil)
  }

  // Alone in a process, so that nobody else allocates meanwhile.
  @Test("at least half of what the session of a movement takes is charged, shown or not")
  func charge() async {
    await #expect(processExitsWith: .success) {
      guard layout_allocator_bytes_in_use() > 0 else { return }
      var scene = Self.scene(holding: 400)
      Self.move(&scene, 0 ..< 16)
      let charged = scene.session.byteCount
      let before = layout_allocator_bytes_in_use()
      // What others have as well stays: the contents of the collection.
      let base = scene.session.contents.base
      scene = Scene(base, layout: FlowLayout(), isShared: true)
      let freed = Int(before) - Int(layout_allocator_bytes_in_use())
      #expect(charged * 2 > freed, "\(charged) bytes are charged, \(freed) were freed")
    }
  }

  @Test("steps that no frame showed take no more memory, however many they are")
  func unshownSteps() async {
    await #expect(processExitsWith: .success) {
      var scene = Self.scene(holding: 400)
      Self.move(&scene, 0 ..< 16)
      let few = layout_allocator_bytes_in_use()
      let charged = scene.session.byteCount
      Self.move(&scene, 16 ..< 80)
      let growth = Int(layout_allocator_bytes_in_use()) - Int(few)
      #expect(growth < 1 << 20, "\(growth) bytes more")
      #expect(scene.session.byteCount - charged < 1 << 18)
    }
  }

  @Test("a step moves no part of the index of keys, and is one move in what the session keeps")
  func steps() throws {
    var scene = Self.scene(holding: 400)
    let before = scene.session.contents.byteCount
    Self.move(&scene, 0 ..< 1)
    let change = try #require(
      scene.session.contents.changes(since: scene.session.contents.epoch - 1)
    )
    #expect(change.first?.listByteCount ?? .max < 1 << 10)
    #expect(scene.session.contents.effective.builtIndexByteCount == 0)
    #expect(scene.session.contents.byteCount - before < 64 << 10)
  }

  @Test("an index of keys that somebody needs of a preview is charged")
  func searched() {
    var scene = Self.scene(holding: 4)
    let before = scene.session.byteCount
    #expect(scene.session.contents.effective.indexPath(ofItemKey: "b15000")?.item == 1)
    let index = Self.contents().builtIndexByteCount
    #expect(index > 1 << 20)
    #expect(scene.session.byteCount - before >= index * 9 / 10)
    // Also while it is only that of a step before.
    Self.move(&scene, 0 ..< 1)
    #expect(scene.session.contents.effective.builtIndexByteCount == 0)
    scene.settle()
    #expect(scene.session.byteCount < before + index / 2)
  }

  @Test("a viewer who measured items finds them by key after a movement without another index")
  func measured() {
    var scene = Scene(
      .keyed(3000),
      layout: ListLayout(rowHeight: 40, isSelfSizing: true),
      isShared: true
    )
    scene.measure([(item: 5, size: Size(width: 320, height: 99))])
    scene.send(.movement(.beginItems(.keys(["a5", "a2000"]))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 900))))
    scene.send(.movement(.cancel))
    #expect(scene.problem == nil)
    let contents = scene.session.contents
    #expect(contents.hasMeasuredItems)
    #expect(contents.effective.indexPath(ofItemKey: "a2000")?.item == 2000)
    #expect(contents.effective.builtIndexByteCount == 0)
  }
}
