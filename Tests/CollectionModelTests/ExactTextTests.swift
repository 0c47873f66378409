// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

/// Texts that look the same but have other bytes are others, wherever items are told apart.
@Suite("Exact texts", .timeLimit(.minutes(1)))
struct ExactTextTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test("texts are equal, and hash alike, exactly if their bytes are the same")
  func equality() {
    #expect(composed == decomposed)
    #expect(ExactText(composed) != ExactText(decomposed))
    var random = SplitMix64(seed: 1)
    let letters = ["a", "b", "\u{E9}", "e\u{301}", "\u{0}", "\u{10FFFF}", "12345678"]
    let texts = (0 ..< 300).map { _ in
      (0 ..< random.below(5)).map { _ in letters[random.below(letters.count)] }.joined()
    }
    for a in texts {
      for b in texts {
        let isSame = Array(a.utf8) == Array(b.utf8)
        #expect((ExactText(a) == ExactText(b)) == isSame)
        #expect(a.hasSameBytes(as: b) == isSame)
        if isSame { #expect(ExactText(a).hashValue == ExactText(b).hashValue) }
      }
    }
    #expect(Set(texts.map { ExactText($0) }).count == Set(texts.map { Array($0.utf8) }).count)
  }

  private func contents(_ keys: [String]) -> CollectionContents {
    CollectionContents(sections: [
      SectionContents(key: "s", blocks: [ItemBlock(count: keys.count, keys: keys)])
    ])
  }

  private func keys(_ contents: CollectionContents) -> [[UInt8]] {
    let items = contents.section(at: 0).items
    return (0 ..< items.count).map {
      Array((contents.key(at: IndexPath(section: 0, item: $0)) ?? "").utf8)
    }
  }

  @Test("a snapshot tells an item from one whose key only looks the same", arguments: [0, 200])
  func snapshots(others: Int) throws {
    let rest = (0 ..< others).map { "k\($0)" }
    let old = contents(["1", decomposed, "2"] + rest)
    // Few and many items to look up are found in different ways.
    let new = contents(["0", "1", composed, "2", "3"] + rest.reversed())
    let change = try old.applying(
      UpdateBatch(change: .snapshot(SnapshotUpdate(contents: new)))
    )
    #expect(keys(change.new) == keys(new))
    #expect(change.newIndexPath(ofOld: IndexPath(section: 0, item: 1)) == nil)
    #expect(change.oldIndexPath(ofNew: IndexPath(section: 0, item: 2)) == nil)
    #expect(change.newIndexPath(ofOld: IndexPath(section: 0, item: 0))?.item == 1)
    let both = contents([composed, decomposed])
    let swapped = try both.applying(
      UpdateBatch(
        change: .snapshot(SnapshotUpdate(contents: contents(["x", decomposed, composed])))
      )
    )
    #expect(swapped.newIndexPath(ofOld: IndexPath(section: 0, item: 0))?.item == 2)
    #expect(swapped.newIndexPath(ofOld: IndexPath(section: 0, item: 1))?.item == 1)
  }

  @Test("a batch may bring both keys at once, and a reconfigured item keeps the bytes of its key")
  func batches() throws {
    let old = contents([decomposed])
    let insert = UpdateBatch([
      .insertItems(
        at: IndexPath(section: 0, item: 0),
        items: [ItemBlock(count: 2, keys: [composed, "x"])]
      )
    ])
    #expect(keys(try old.applying(insert).new).count == 3)
    let reconfigure = UpdateBatch([
      .reconfigureItems(section: 0, items: 0 ..< 1, blocks: [ItemBlock(count: 1, keys: [composed])])
    ])
    #expect(throws: Refusal.self) { try old.applying(reconfigure) }
  }

  private func sections(_ keys: [String]) throws -> CollectionContents {
    var builder = ContentsBuilder()
    for key in keys {
      try builder.addSection(key: key)
      try builder.addItems(ItemBlock(count: 1, keys: ["of \(Array(key.utf8))"]))
    }
    return try builder.finish()
  }

  private func sectionKeys(_ contents: CollectionContents) -> [[UInt8]] {
    (0 ..< contents.sectionCount).map { Array(contents.section(at: $0).key.utf8) }
  }

  @Test("sections are told from others whose keys only look the same")
  func sectionsWithAlikeKeys() throws {
    let old = try sections(["a", decomposed])
    #expect(old.sectionIndex(ofKey: decomposed) == 1)
    #expect(old.sectionIndex(ofKey: composed) == nil)
    let insert = UpdateBatch([
      .insertSections(
        at: 0,
        [SectionContents(key: composed, blocks: [ItemBlock(count: 1, keys: ["new"])])]
      )
    ])
    let both = try old.applying(insert).new
    #expect(sectionKeys(both) == [composed, "a", decomposed].map { Array($0.utf8) })
    #expect(both.sectionIndex(ofKey: composed) == 0)
    #expect(both.sectionIndex(ofKey: decomposed) == 2)
    #expect(throws: Refusal.self) { try both.applying(insert) }
    let new = try sections([composed, "a"])
    let change = try old.applying(UpdateBatch(change: .snapshot(SnapshotUpdate(contents: new))))
    #expect(sectionKeys(change.new) == sectionKeys(new))
    #expect(change.oldIndexPath(ofNew: IndexPath(section: 0)) == nil)
    #expect(change.newIndexPath(ofOld: IndexPath(section: 0)) == IndexPath(section: 1))
  }
}
