// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CollectionModel

/// Batches whose cost must grow with their size, not with the product of their parts: a time limit
/// is enough to tell the difference.
@Suite("Cost of batches", .timeLimit(.minutes(3)))
struct BatchCostTests {
  @Test("few bytes that name many items cost as much as these")
  func fewBytes() {
    let block = ItemBlock(count: 1_000_000, widths: [10])
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    func cost(_ operations: UpdateOperation...) -> Int {
      UpdateBatch(operations).cost(in: contents)
    }
    let all = 0 ..< 1_000_000
    #expect(cost(.reconfigureItems(section: 0, items: all, blocks: [block])) >= 1_000_000)
    #expect(cost(.reloadItems(section: 0, items: all, blocks: [block])) >= 1_000_000)
    #expect(cost(.insertItems(at: IndexPath(section: 0, item: 0), items: [block])) >= 1_000_000)
    #expect(cost(.deleteSections(0 ..< 1)) >= 1_000_000)
    #expect(cost(.deleteItems(section: 0, items: 0 ..< .max)) >= 1_000_000)
    #expect(cost(.deleteSections(0 ..< .max)) >= 1_000_000)
    // More than an integer holds, and what one viewer does.
    let most = UpdateOperation.insertItems(
      at: IndexPath(section: 0, item: 0),
      items: [ItemBlock(count: .max - 4)]
    )
    #expect(cost(most, most) == .max)
    #expect(cost(.deleteItems(section: 0, items: 0 ..< 1)) < 10)
  }

  @Test("edits of an outline cost its items each, and transfers what they do at both ends")
  func outlines() {
    let columns = OutlineColumns(levels: [0, 1, 1, 1], expanded: [true])
    let tree = ItemBlock(count: 4, keys: ["a", "b", "c", "d"], outline: columns)
    let contents = CollectionContents(
      sections: [SectionContents(outline: .perViewer, blocks: [tree])]
    )
    let edits = (0 ..< 150).map { _ in OutlineEdit.move(key: "b", to: .lastChild(of: "a")) }
    #expect(UpdateBatch(change: .outline(edits)).cost(in: contents) == 600)
    let million = ItemBlock(count: 1_000_000)
    let keys = Array(repeating: "b", count: 1_000_000)
    for edit in [
      OutlineEdit.remove(keys: keys), .expansion(ExpansionChange(collapsed: keys)),
      .insert(at: .lastChild(of: "a"), blocks: [million]),
      .replaceChildren(parent: "a", blocks: [million]),
    ] {
      #expect(UpdateBatch(change: .outline([edit])).cost(in: contents) > 1_000_000)
    }
    let empty = CollectionContents(sections: (0 ..< 5000).map { _ in SectionContents(blocks: []) })
    #expect(UpdateBatch([.deleteSections(0 ..< 5000)]).cost(in: empty) >= 5000)
    let plain = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 50)])])
    let transfer = ItemTransfer(
      .keys(["b", "c", "d"]),
      to: .path(IndexPath(section: 0, item: 0))
    )
    #expect(transfer.cost(between: [contents, plain]) == 62 + 2)
  }

  @Test("many blocks of a reload beside many inserts")
  func reload() throws {
    let count = 200_000
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: count, widths: [10])])]
    )
    let blocks = (0 ..< count).map { ItemBlock(count: 1, widths: [Double($0 % 7)]) }
    var operations: [UpdateOperation] = [
      .reloadItems(section: 0, items: 0 ..< count, blocks: blocks)
    ]
    for index in 0 ..< 9_000 {
      operations.append(
        .insertItems(at: IndexPath(section: 0, item: index * 20), items: [ItemBlock(count: 1)])
      )
    }
    let change = try contents.applying(UpdateBatch(operations))
    #expect(change.new.itemCount == count + 9000)
    #expect(change.new.item(at: IndexPath(section: 0, item: 0))?.width == nil)
    #expect(change.new.item(at: IndexPath(section: 0, item: 1))?.width == 0)
    #expect(change.new.item(at: IndexPath(section: 0, item: 22))?.width == 6)
    #expect(change.new.brokenInvariant() == nil)
  }

  @Test("keys that a reload brings, in many blocks")
  func keys() throws {
    let count = 60_000
    let keys = (0 ..< count).map { "k\($0)" }
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: count, keys: keys)])]
    )
    // Every key goes to the next item.
    let blocks = (0 ..< count).map { ItemBlock(count: 1, keys: [keys[($0 + 1) % count]]) }
    let change = try contents.applying(
      UpdateBatch([.reloadItems(section: 0, items: 0 ..< count, blocks: blocks)])
    )
    #expect(change.new.indexPath(ofItemKey: "k0") == IndexPath(section: 0, item: count - 1))
  }

  @Test("keys of items that leave a section which is deleted")
  func rescued() throws {
    let count = 40_000
    let keys = (0 ..< count).map { "k\($0)" }
    let contents = CollectionContents(
      sections: [
        SectionContents(blocks: [ItemBlock(count: count, keys: keys)]), SectionContents(),
      ]
    )
    var operations: [UpdateOperation] = [.deleteSections(0 ..< 1)]
    for index in 0 ..< 9000 {
      operations.append(
        .moveItem(
          from: IndexPath(section: 0, item: index),
          to: IndexPath(section: 0, item: index)
        )
      )
    }
    let rest = Array(keys[9000...])
    operations.append(
      .insertItems(
        at: IndexPath(section: 0, item: 9000),
        items: [ItemBlock(count: rest.count, keys: rest)]
      )
    )
    let change = try contents.applying(UpdateBatch(operations))
    #expect(change.new.itemCount == count)
    operations.append(
      .insertItems(
        at: IndexPath(section: 0, item: count),
        items: [ItemBlock(count: 1, keys: ["k7"])]
      )
    )
    #expect(throws: Refusal.self) { try contents.applying(UpdateBatch(operations)) }
  }

  @Test("one key for all items")
  func duplicates() {
    #expect {
      _ = try CollectionContents(validating: [
        SectionBlocks(
          blocks: [ItemBlock(count: 200_000, keys: Array(repeating: "a", count: 200_000))]
        )
      ])
    } throws: { error in
      (error as? Refusal).map { $0.violations.count <= 16 } ?? false
    }
  }

  @Test("kinds and sections count where their names are compared")
  func kindsAndSections() throws {
    let names = (0 ..< 30_000).map { "kind \($0)" }
    let contents = CollectionContents(
      sections: [
        SectionContents(key: "s", blocks: [ItemBlock(count: 1, cellKinds: [7], keys: ["a"])])
      ],
      cellKindNames: names
    )
    let plain = UpdateBatch([.deleteItems(section: 0, items: 0 ..< 1)])
    #expect(plain.cost(in: contents) < 10)
    var naming = plain
    naming.newCellKinds = [names[29_999], "new", "new", "e\u{301}", "\u{E9}"]
    #expect(naming.cost(in: contents) > 30_000)
    let named = try contents.applying(naming).new.cellKindNames
    #expect(named.count == 30_003 && named[30_000] == "new")
    let empty = CollectionContents(sections: (0 ..< 500).map { SectionContents(key: "s\($0)") })
    let snapshot = UpdateBatch(change: .snapshot(SnapshotUpdate(contents: empty)))
    #expect(snapshot.cost(in: .empty) >= 2000)
    #expect(snapshot.cost(in: contents) > 32_000)
  }

  @Test("kinds have the numbers of the contents, however many are asked for")
  func kindNames() {
    let known = (0 ..< 100).map { "kind \($0)" } + ["\u{E9}"]
    for asked in [1, 3, 60] {
      var kinds = KindNumbering(known)
      for index in 0 ..< asked {
        #expect(kinds.number(of: "kind \(99 - index)") == 99 - index)
        #expect(kinds.number(of: "kind \(index)", expected: index) == index)
        #expect(kinds.number(of: "kind \(index)", expected: index + 1) == index)
        #expect(kinds.number(of: "new \(index)") == 101 + index)
        #expect(kinds.number(of: "new \(index)") == 101 + index)
      }
      #expect(kinds.number(of: "\u{E9}") == 100)
      #expect(kinds.number(of: "e\u{301}") == 101 + asked)
      #expect(kinds.new.count == asked + 1)
    }
  }

  @Test("snapshots do not bring new cell kinds without end")
  func kinds() throws {
    let limits = ContentsLimits(cellKinds: 3)
    var contents = CollectionContents(sections: [], cellKindNames: ["a"])
    func snapshot(_ names: [String]) -> UpdateBatch {
      UpdateBatch(
        change: .snapshot(
          SnapshotUpdate(contents: CollectionContents(sections: [], cellKindNames: names))
        )
      )
    }
    contents = try contents.applying(snapshot(["b", "c"]), limits: limits).new
    #expect(contents.cellKindNames == ["a", "b", "c"])
    #expect {
      try contents.applying(snapshot(["d"]), limits: limits)
    } throws: { error in
      (error as? Refusal)?.violations.first?.field == "snapshot.contents.cell_kind_names"
    }
  }
}
