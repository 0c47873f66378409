// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport
import Testing

@testable import CollectionModel

@Suite("Snapshots", .timeLimit(.minutes(2)))
struct SnapshotTests {
  /// The model of a snapshot: identities by key.
  private func expected(
    _ old: ReferenceModel,
    _ contents: CollectionContents,
    _ reloaded: [String],
    _ reconfigured: [String]
  ) -> ReferenceModel {
    var items: [String: ReferenceModel.Item] = [:]
    var sections: [String: Int] = [:]
    for section in old.sections {
      sections[section.key] = section.identity
      for item in section.items { items[item.values.key ?? ""] = item }
    }
    var model = old
    model.sections = []
    for i in 0 ..< contents.sectionCount {
      var section = model.section(contents.section(at: i))
      section.identity = sections[section.key] ?? section.identity
      for j in section.items.indices {
        let key = section.items[j].values.key ?? ""
        guard let before = items[key] else { continue }
        if reloaded.contains(key) {
          section.items[j].replaced = before.identity
        } else {
          section.items[j].identity = before.identity
          section.items[j].isReconfigured =
            reconfigured.contains(key) || before.values != section.items[j].values
        }
      }
      model.sections.append(section)
    }
    return model
  }

  @Test("identities follow keys, and every value arrives")
  func random() throws {
    for seed in 0 ..< 300 as Range<UInt64> {
      var generator = BatchGenerator(seed: seed, hasKeys: true)
      var contents = CollectionContents(
        sections: (0 ..< 4).map { _ in
          SectionContents(
            key: generator.key("s"),
            items: ItemSequence([generator.block(generator.random.below(9), keyed: true)])
          )
        },
        cellKindNames: ["a", "b"]
      )
      var model = ReferenceModel(contents)
      for step in 0 ..< 4 {
        let next = generator.wanted(after: model, changes: generator.random.below(12))
        let target = expected(model, next.contents, next.reloaded, next.reconfigured)
        let change = try contents.applying(
          UpdateBatch(
            change: .snapshot(
              SnapshotUpdate(
                contents: next.contents,
                reloadedItemKeys: next.reloaded,
                reconfiguredItemKeys: next.reconfigured
              )
            )
          )
        )
        if let fault = fault(in: change, from: model, to: target) {
          Issue.record("seed \(seed), step \(step): \(fault)")
          return
        }
        contents = change.new
        model = target
      }
    }
  }

  private func contents(
    _ sections: [(String, [String])],
    names: [String] = []
  ) throws
    -> CollectionContents
  {
    try CollectionContents(
      validating: sections.map { key, items in
        SectionBlocks(key: key, blocks: [ItemBlock(count: items.count, keys: items)])
      },
      cellKindNames: names
    )
  }

  private func change(
    _ old: CollectionContents,
    _ new: CollectionContents,
    reloaded: [String] = [],
    reconfigured: [String] = []
  ) throws(Refusal) -> ContentsChange {
    try old.applying(
      UpdateBatch(
        change: .snapshot(
          SnapshotUpdate(
            contents: new,
            reloadedItemKeys: reloaded,
            reconfiguredItemKeys: reconfigured
          )
        )
      )
    )
  }

  @Test("moving one item to the end moves only that one")
  func fewMoves() throws {
    let change = try change(
      try contents([("s", ["a", "b", "c", "d"])]),
      try contents([("s", ["b", "c", "d", "a"])])
    )
    #expect(
      change.changedSections.first?.itemSplices == [
        Splice(old: 0 ..< 1, new: 0 ..< 0), Splice(old: 4 ..< 4, new: 3 ..< 4),
      ]
    )
    #expect(change.sectionSplices.isEmpty)
  }

  @Test(
    "a few items that stay, move and come do not cost as much as all that go",
    .timeLimit(.minutes(1))
  )
  func few() throws {
    let count = 50_000
    let old = try contents([
      ("gone", (0 ..< count).map { "g\($0)" }), ("s", (0 ..< count).map { "i\($0)" }),
    ])
    // A dictionary of all old items each time would take minutes.
    for turn in 1 ... 1500 {
      let wanted = ["i0", "new", "i\(3 * turn)", "g\(turn)", "i\(turn)", "i\(count - 1)"]
      let change = try change(old, try contents([("s", wanted)]))
      try #require(change.new.section(at: 0).items.count == wanted.count)
      func target(_ section: Int, _ item: Int) -> Int? {
        change.newIndexPath(ofOld: IndexPath(section: section, item: item))?.item
      }
      try #require(target(1, 0) == 0 && target(1, 3 * turn) == 2 && target(0, turn) == 3)
      try #require(target(1, turn) == 4 && target(1, count - 1) == 5)
      try #require(target(1, count - 2) == nil && target(0, turn + 1) == nil)
    }
  }

  @Test("few and many items are found alike among the old ones")
  func fewAndMany() throws {
    var random = SplitMix64(seed: 16)
    for _ in 0 ..< 60 {
      let keys = (0 ..< 200).map { "k\($0)" }
      let old = try contents([("a", Array(keys[..<90])), ("b", Array(keys[90...]))])
      let wanted = Array(keys.shuffled(using: &random).prefix(1 + random.below(120)))
      let change = try change(old, try contents([("b", wanted + ["new"])]))
      for (item, key) in wanted.enumerated() {
        let before = try #require(old.indexPath(ofItemKey: key))
        #expect(change.newIndexPath(ofOld: before) == IndexPath(section: 0, item: item))
      }
      let kept = keys.filter { key in
        old.indexPath(ofItemKey: key).map { change.newIndexPath(ofOld: $0) != nil } ?? false
      }
      #expect(Set(kept) == Set(wanted))
    }
  }

  @Test("equal contents change nothing")
  func nothing() throws {
    let same = [("s", ["a", "b"]), ("t", ["c"])]
    #expect(try change(try contents(same), try contents(same)).isEmpty)
  }

  @Test("an item leaves a section that goes, and is the same elsewhere")
  func rescue() throws {
    let change = try change(
      try contents([("s", ["a", "b"]), ("t", ["c"])]),
      try contents([("t", ["b", "c"])])
    )
    #expect(
      change.newIndexPath(ofOld: IndexPath(section: 0, item: 1)) == IndexPath(section: 0, item: 0)
    )
    #expect(change.newIndexPath(ofOld: IndexPath(section: 0, item: 0)) == nil)
  }

  @Test("cell kinds keep their numbers, and new names come at the end")
  func kinds() throws {
    func one(_ kind: Int, _ names: [String]) throws -> CollectionContents {
      try CollectionContents(
        validating: [
          SectionBlocks(
            key: "s",
            blocks: [ItemBlock(count: 2, cellKinds: [kind, 0], keys: ["a", "b"])]
          )
        ],
        cellKindNames: names
      )
    }
    let change = try change(try one(1, ["x", "y"]), try one(1, ["y", "z"]))
    #expect(change.new.cellKindNames == ["x", "y", "z"])
    #expect(change.new.item(at: IndexPath(section: 0, item: 0))?.cellKind == 2)
    #expect(change.new.item(at: IndexPath(section: 0, item: 1))?.cellKind == 1)
    #expect(change.new.indexPath(ofItemKey: "b") == IndexPath(section: 0, item: 1))
  }

  @Test("what cannot be compared by key is refused")
  func refusals() throws {
    let old = try contents([("s", ["a"])])
    let twice = CollectionContents(
      sections: ["s", "t"].map {
        SectionContents(key: $0, blocks: [ItemBlock(count: 1, keys: ["x"])])
      }
    )
    let keyless = CollectionContents(
      sections: [SectionContents(key: "s", blocks: [ItemBlock(count: 1)])])
    let unnamed = CollectionContents(sections: [SectionContents()])
    for (snapshot, field) in [
      (twice, "snapshot.contents.sections[1].blocks"),
      (keyless, "snapshot.contents.sections[0].blocks"),
      (unnamed, "snapshot.contents.sections[0].key"),
    ] {
      let error = #expect(throws: Refusal.self) { try change(old, snapshot) }
      #expect(error?.reason == .fieldInvalid && error?.violations.first?.field == field)
    }
    let absent = #expect(throws: Refusal.self) { try change(old, old, reloaded: ["b"]) }
    #expect(absent?.violations.first?.field == "snapshot.reloaded_item_keys[0]")
    let both = #expect(throws: Refusal.self) {
      try change(old, old, reloaded: ["a"], reconfigured: ["a"])
    }
    #expect(both?.reason == .batchInconsistent)
  }

  @Test("the first item without a key is named, and the operation that would bring it")
  func keylessItems() throws {
    let blocks = [ItemBlock(count: 2, keys: ["a", "b"]), ItemBlock(count: 3)]
    let mixed = CollectionContents(sections: [SectionContents(key: "s", blocks: blocks)])
    let snapshot = #expect(throws: Refusal.self) { try change(mixed, mixed) }
    #expect(
      snapshot?.violations.first?.description
        == "3 items without a key, the first is item 2; every item of a snapshot carries one"
    )
    var builder = ContentsBuilder()
    try builder.addSection(key: "s", outline: .shared)
    try builder.addItems(ItemBlock(count: 2, keys: ["a", "b"]))
    let batch = UpdateBatch([
      .insertItems(
        at: IndexPath(section: 0, item: 0),
        items: [ItemBlock(count: 1, keys: ["new"])]
      ),
      .insertItems(at: IndexPath(section: 0, item: 2), items: [ItemBlock(count: 1)]),
    ])
    let outline = try builder.finish()
    let refusal = #expect(throws: Refusal.self) { try outline.applying(batch) }
    #expect(refusal?.violations.first?.field.hasPrefix("operations[1].") == true)
    #expect(
      refusal?.violations.first?.description
        == "section 0: would have item 2 without a key; every item of an outline has one"
    )
  }
}
