// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CollectionModel

@Suite("KeyIndex", .timeLimit(.minutes(2)))
struct KeyIndexTests {
  private func expectAllFound(_ contents: CollectionContents, _ note: String) {
    for section in 0 ..< contents.sectionCount {
      let items = contents.section(at: section).items
      for item in 0 ..< items.count {
        let path = IndexPath(section: section, item: item)
        guard let key = items.item(at: item).key else { continue }
        guard contents.indexPath(ofItemKey: key) == path else {
          Issue.record("\(note): \(key) is at \(path)")
          return
        }
      }
    }
    #expect(contents.brokenInvariant() == nil, "\(note)")
  }

  private func keyed(_ range: Range<Int>) -> ItemBlock {
    ItemBlock(count: range.count, heights: range.map(Double.init), keys: range.map { "k\($0)" })
  }

  @Test("keys are found through thousands of inserts at one place", arguments: [0, 700, 1500])
  func insertsAtOnePlace(start: Int) throws {
    var contents = try CollectionContents(validating: [SectionBlocks(blocks: [keyed(0 ..< 1500)])])
    for round in 0 ..< 60 {
      let first = 10_000 + round * 50
      let items = (first ..< first + 50).map { keyed($0 ..< $0 + 1) }
      contents =
        try contents.applying(
          UpdateBatch([.insertItems(at: IndexPath(section: 0, item: start), items: items)])
        ).new
    }
    expectAllFound(contents, "at \(start)")
  }

  @Test("labels are spread anew when they run out")
  func relabelling() throws {
    let blocks = (0 ..< 200).map { keyed($0 * 300 ..< $0 * 300 + 300) }
    let items = ItemSequence(numbering: blocks.map { ItemChunk($0, in: 0 ..< $0.count) })
    var contents = CollectionContents(sections: [SectionContents(items: items)])
    var next = 100_000
    // Each time in the middle of the new chunks, so that the room halves.
    var place = 30_000
    for _ in 0 ..< 60 {
      contents =
        try contents.applying(
          UpdateBatch([
            .insertItems(
              at: IndexPath(section: 0, item: place),
              items: [keyed(next ..< next + 700)]
            )
          ])
        ).new
      next += 700
      place += 350
    }
    #expect(contents.brokenInvariant() == nil)
    for key in stride(from: 0, to: 60_000, by: 97) {
      #expect(
        contents.key(at: contents.indexPath(ofItemKey: "k\(key)") ?? .init(section: 0)) == "k\(key)"
      )
    }
    for key in stride(from: 100_000, to: next, by: 97) {
      #expect(
        contents.key(at: contents.indexPath(ofItemKey: "k\(key)") ?? .init(section: 0)) == "k\(key)"
      )
    }
  }

  @Test("the same key may come back again and again")
  func toggling() throws {
    var contents = try CollectionContents(
      validating: [SectionBlocks(blocks: [keyed(0 ..< 1000)])])
    for round in 0 ..< 300 {
      let item = round * 37 % 1000
      let key = contents.key(at: IndexPath(section: 0, item: item)) ?? ""
      contents =
        try contents.applying(
          UpdateBatch([.deleteItems(section: 0, items: item ..< item + 1)])
        ).new
      #expect(contents.indexPath(ofItemKey: key) == nil)
      contents =
        try contents.applying(
          UpdateBatch([
            .insertItems(
              at: IndexPath(section: 0, item: round % 999),
              items: [ItemBlock(count: 1, keys: [key])]
            )
          ])
        ).new
      #expect(contents.indexPath(ofItemKey: key) == IndexPath(section: 0, item: round % 999))
    }
    expectAllFound(contents, "after toggling")
  }

  @Test("sections keep their items' keys through moves, deletes and inserts")
  func sections() throws {
    var contents = try CollectionContents(
      validating: (0 ..< 20).map {
        SectionBlocks(key: "s\($0)", blocks: [keyed($0 * 100 ..< $0 * 100 + 100)])
      }
    )
    for round in 0 ..< 200 {
      var operations: [UpdateOperation] = [.moveSection(from: round % 20, to: round * 7 % 20)]
      if round % 20 != 3 {
        operations.append(.deleteSections(3 ..< 4))
        operations.append(
          .insertSections(
            at: round * 7 % 20 == 11 ? 12 : 11,
            [SectionContents(key: "n\(round)", blocks: [ItemBlock(count: 1, keys: ["n\(round)"])])]
          )
        )
      }
      contents = try contents.applying(UpdateBatch(operations)).new
    }
    expectAllFound(contents, "after moves")
    for i in 0 ..< 20 { #expect(contents.sectionIndex(ofKey: contents.section(at: i).key) == i) }
  }

  @Test("a version shares nothing that a later one changes")
  func persistence() throws {
    let first = try CollectionContents(validating: [SectionBlocks(blocks: [keyed(0 ..< 2000)])])
    let second = try first.applying(
      UpdateBatch([
        .deleteItems(section: 0, items: 0 ..< 1500),
        .insertItems(at: IndexPath(section: 0, item: 0), items: [keyed(5000 ..< 5100)]),
      ])
    ).new
    expectAllFound(first, "first")
    expectAllFound(second, "second")
    #expect(first.indexPath(ofItemKey: "k5000") == nil)
    #expect(second.indexPath(ofItemKey: "k7") == nil)
  }
}
