// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

/// Transfers against lists of items.
@Suite("Transfers between contents", .timeLimit(.minutes(3)))
struct ItemTransferTests {
  private struct Item: Equatable {
    var key: String
    var kind: String
    var width: Double?
  }

  private func contents(_ sections: [[Item]], kinds: [String]) throws -> CollectionContents {
    try CollectionContents(
      validating: sections.enumerated().map { index, items in
        SectionBlocks(
          key: "s\(index)",
          blocks: items.map { item in
            ItemBlock(
              count: 1,
              widths: item.width.map { [$0] } ?? [],
              cellKinds: [kinds.firstIndex(of: item.kind) ?? 0],
              keys: [item.key]
            )
          }
        )
      },
      cellKindNames: kinds,
      limits: .standard
    )
  }

  private func items(_ contents: CollectionContents) -> [[Item]] {
    (0 ..< contents.sectionCount).map { section in
      (0 ..< contents.section(at: section).items.count).compactMap { item in
        contents.item(at: IndexPath(section: section, item: item)).map {
          Item(key: $0.key ?? "", kind: contents.cellKindNames[$0.cellKind], width: $0.width)
        }
      }
    }
  }

  @Test("keys, sizes and kinds by name arrive in order, and what was not named stays")
  func values() throws {
    for seed in 0 ..< 200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      func make(_ prefix: String, _ kinds: [String]) -> [[Item]] {
        (0 ..< 1 + random.below(3)).map { section in
          (0 ..< random.below(12)).map { item in
            Item(
              key: "\(prefix)\(section).\(item)",
              kind: kinds[random.below(kinds.count)],
              width: random.chance(50) ? Double(random.below(5)) : nil
            )
          }
        }
      }
      let kinds = (["a", "b", "c"], ["x", "b"])
      var (left, right) = (make("l", kinds.0), make("r", kinds.1))
      let all = left.flatMap(\.self)
      guard !all.isEmpty else { continue }
      let (source, destination) = (
        try contents(left, kinds: kinds.0), try contents(right, kinds: kinds.1)
      )
      let taken = all.shuffled(using: &random).prefix(1 + random.below(all.count))
      let section = random.below(right.count)
      let item = random.below(right[section].count + 1)
      let batches = try TransferBatches(
        ItemTransfer(
          .keys(taken.map(\.key) + [taken[0].key]),
          to: .path(IndexPath(section: section, item: item))
        ),
        from: source,
        to: destination
      )
      left = left.map { $0.filter { !taken.contains($0) } }
      right[section].insert(contentsOf: taken, at: item)
      #expect(items(batches.sourceChange.new) == left, "seed \(seed)")
      #expect(items(batches.destinationChange.new) == right, "seed \(seed)")
      for change in [batches.sourceChange, batches.destinationChange] {
        #expect(change.new.brokenInvariant() == nil, "seed \(seed)")
      }
      // What watchers do with the batches is the same.
      #expect(items(try source.applying(batches.removal).new) == left)
      #expect(items(try destination.applying(batches.insertion).new) == right)
    }
  }

  /// a with a1 and a2 below it, and b.
  private func outline(_ prefix: String, levels: [Int]) throws -> CollectionContents {
    try CollectionContents(
      validating: [
        SectionBlocks(
          key: "\(prefix) outline",
          blocks: [
            ItemBlock(
              count: levels.count,
              keys: levels.indices.map { "\(prefix)\($0)" },
              outline: OutlineColumns(levels: levels, expanded: levels.map { $0 == 0 })
            )
          ],
          outline: .perViewer
        ),
        SectionBlocks(key: "\(prefix) flat", blocks: [ItemBlock(count: 1, keys: ["\(prefix)f"])]),
      ]
    )
  }

  private func tree(_ contents: CollectionContents) -> [String] {
    let items = contents.section(at: 0).items
    return (0 ..< items.count).map {
      "\(items.item(at: $0).key ?? "")@\(items.outlineItem(at: $0).level)"
    }
  }

  private func batches(
    _ keys: [String],
    to place: OutlinePlace
  ) throws(Refusal) -> TransferBatches {
    do {
      return try TransferBatches(
        ItemTransfer(.keys(keys), to: .relative(place)),
        from: outline("l", levels: [0, 1, 2, 1, 0]),
        to: outline("r", levels: [0, 1, 0])
      )
    } catch let refusal as Refusal { throw refusal } catch {
      throw Refusal(.wrongState, "\(error)")
    }
  }

  @Test("in outlines trees go along, to the level of the place")
  func trees() throws {
    let below = try batches(["l1", "l2", "l4"], to: .lastChild(of: "r0"))
    #expect(tree(below.sourceChange.new) == ["l0@0", "l3@1"])
    #expect(tree(below.destinationChange.new) == ["r0@0", "r1@1", "l1@1", "l2@2", "l4@1", "r2@0"])
    let behind = try batches(["l0"], to: .after("r0"))
    #expect(tree(behind.sourceChange.new) == ["l4@0"])
    #expect(
      tree(behind.destinationChange.new)
        == ["r0@0", "r1@1", "l0@0", "l1@1", "l2@2", "l3@1", "r2@0"]
    )
    #expect(behind.destinationChange.new.section(at: 0).items.outlineItem(at: 2).isExpanded)
    let end = try batches(["l2"], to: .lastRoot(ofSection: "r outline"))
    #expect(tree(end.destinationChange.new).last == "l2@0")
    let flat = try batches(["l4", "l2"], to: .after("rf"))
    #expect(flat.destinationChange.new.section(at: 1).items.count == 3)
    let nested = try batches(["lf"], to: .before("r1"))
    #expect(tree(nested.destinationChange.new) == ["r0@0", "lf@1", "r1@1", "r2@0"])
  }

  @Test("what cannot be is refused with the field at fault")
  func refusals() throws {
    func refusal(_ keys: [String], _ place: OutlinePlace) -> (Refusal.Reason, String)? {
      do throws(Refusal) { _ = try batches(keys, to: place) } catch {
        return (error.reason, error.violations.first?.field ?? "")
      }
      return nil
    }
    let cases: [([String], OutlinePlace, Refusal.Reason, String)] = [
      ([], .after("r0"), .fieldInvalid, "source.keys"),
      (["l0", "no"], .after("r0"), .keyUnknown, "source.keys[1]"),
      (["l0"], .after("no"), .keyUnknown, "destination.relative_to.after"),
      (["l0"], .after("rf"), .batchInconsistent, "destination"),
      (["l4"], .lastChild(of: "rf"), .batchInconsistent, "destination.relative_to.last_child_of"),
      (["l0"], .lastRoot(ofSection: "no"), .keyUnknown, "destination.relative_to.last_root_of"),
    ]
    for (keys, place, reason, field) in cases {
      let found = try #require(refusal(keys, place), "\(keys) \(place)")
      #expect(found == (reason, field))
    }
    let source = try outline("l", levels: [0, 1])
    let taken = #expect(throws: Refusal.self) {
      try TransferBatches(
        ItemTransfer(.keys(["lf"]), to: .path(IndexPath(section: 1))),
        from: source,
        to: outline("l", levels: [0])
      )
    }
    #expect(taken?.reason == .keyTaken && taken?.metadata["keys"] == "lf")
    let many = #expect(throws: Refusal.self) {
      try TransferBatches(
        ItemTransfer(.keys(["l0"]), to: .relative(.after("r0"))),
        from: source,
        to: outline("r", levels: [0]),
        limits: ContentsLimits(outlineSteps: 1)
      )
    }
    #expect(many?.reason == .quotaSteps)
  }

  @Test("items without keys go by their places, from chunks of equal items too")
  func places() throws {
    let source = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 5000, widths: [7])])]
    )
    let destination = CollectionContents(sections: [SectionContents()])
    let batches = try TransferBatches(
      ItemTransfer(
        .paths([4999, 0, 1, 2000].map { IndexPath(section: 0, item: $0) }),
        to: .path(IndexPath(section: 0))
      ),
      from: source,
      to: destination
    )
    #expect(batches.sourceChange.new.itemCount == 4996)
    #expect(batches.destinationChange.new.itemCount == 4)
    #expect(batches.destinationChange.new.item(at: IndexPath(section: 0, item: 3))?.width == 7)
    guard case .operations(let operations) = batches.removal.change else { return }
    #expect(operations.count == 3)
  }

  @Test("a batch can bring cell kinds, which follow those that there are")
  func newKinds() throws {
    let contents = try contents([[Item(key: "a", kind: "x")]], kinds: ["x"])
    let block = ItemBlock(count: 2, cellKinds: [1, 0], keys: ["b", "c"])
    let batch = UpdateBatch(
      change: .operations([.insertItems(at: IndexPath(section: 0, item: 1), items: [block])]),
      newCellKinds: ["x", "y"]
    )
    let change = try contents.applying(batch)
    #expect(change.old.cellKindNames == ["x"] && change.new.cellKindNames == ["x", "y"])
    #expect(items(change.new)[0].map(\.kind) == ["x", "y", "x"])
    #expect(throws: Refusal.self) {
      try contents.applying(batch, limits: ContentsLimits(cellKinds: 1))
    }
  }
}
