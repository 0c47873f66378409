// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Testing

@testable import CollectionModel

@Suite("Following many items, and changes in reverse", .timeLimit(.minutes(2)))
struct ItemFollowerTests {
  private static func paths(_ contents: CollectionContents) -> [IndexPath] {
    (0 ..< contents.sectionCount).flatMap { section in
      (0 ..< contents.section(at: section).items.count).map {
        IndexPath(section: section, item: $0)
      }
    }
  }

  /// Applies random batches one after the other.
  private static func forEachChange(
    seed: UInt64,
    hasKeys: Bool,
    _ body: (ContentsChange, String) -> Void
  ) {
    var generator = BatchGenerator(seed: seed, hasKeys: hasKeys, gap: 5, length: 4)
    var contents = generator.contents(sections: 4, items: 12)
    var model = ReferenceModel(contents)
    for step in 0 ..< 8 {
      let operations = generator.batch(for: model)
      guard let next = model.applying(operations),
        let change = try? contents.applying(UpdateBatch(operations))
      else { continue }
      body(change, "seed \(seed), step \(step): \(operations)")
      (contents, model) = (change.new, next)
    }
  }

  @Test("a follower finds each item where the change says, in any order", arguments: [false, true])
  func follower(hasKeys: Bool) {
    var counts = (stayed: 0, gone: 0)
    for seed in 0 ..< 200 as Range<UInt64> {
      Self.forEachChange(seed: seed, hasKeys: hasKeys) { change, note in
        var follower = ItemFollower(change)
        let paths = Self.paths(change.old)
        for path in paths + paths.reversed() + paths.sorted(by: { ($0.item ?? 0) < ($1.item ?? 0) })
        {
          let expected = change.newIndexPath(ofOld: path)
          let found = follower.newIndexPath(ofOld: path)
          if found != expected { Issue.record("\(path) is at \(found as Any) after \(note)") }
          if found == nil { counts.gone += 1 } else { counts.stayed += 1 }
        }
      }
    }
    #expect(counts.stayed > 1000 && counts.gone > 100)
  }

  @Test(
    "a reversed change leads every item back, and twice reversed it is the change",
    arguments: [false, true]
  )
  func reversed(hasKeys: Bool) {
    for seed in 0 ..< 200 as Range<UInt64> {
      Self.forEachChange(seed: seed, hasKeys: hasKeys) { change, note in
        let back = change.reversed
        let again = back.reversed
        for path in Self.paths(change.new)
        where back.newIndexPath(ofOld: path) != change.oldIndexPath(ofNew: path) {
          Issue.record("\(path) does not go back after \(note)")
        }
        for path in Self.paths(change.old) {
          if back.oldIndexPath(ofNew: path) != change.newIndexPath(ofOld: path)
            || again.newIndexPath(ofOld: path) != change.newIndexPath(ofOld: path)
            || again.isMoved(old: path) != change.isMoved(old: path)
          {
            Issue.record("\(path) is elsewhere in reverse after \(note)")
          }
        }
        #expect(again.changedSections == change.changedSections)
        #expect(again.sectionSplices == change.sectionSplices)
      }
    }
  }
}
