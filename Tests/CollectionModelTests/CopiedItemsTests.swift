// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

/// What changes copy, against lists of marks and against the chunks that are shared in fact.
@Suite("Copied items", .timeLimit(.minutes(1)))
struct CopiedItemsTests {
  /// Random splices of so many items: sorted and disjoint.
  private static func splices(
    of count: Int,
    most: Int,
    _ random: inout SplitMix64
  ) -> [Splice] {
    var (old, new) = (0, 0)
    var splices: [Splice] = []
    for _ in 0 ..< random.below(most + 1) {
      let kept = 1 + random.below(max(1, count / 2))
      let (gone, appear) = (random.below(count / 3 + 1), random.below(count / 3 + 1))
      guard old + kept + gone <= count else { break }
      (old, new) = (old + kept, new + kept)
      splices.append(Splice(old: old ..< old + gone, new: new ..< new + appear))
      (old, new) = (old + gone, new + appear)
    }
    return splices
  }

  @Test("stretches are where the marked items are")
  func stretches() {
    for seed in 0 ..< 300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var marks = Array(repeating: false, count: 1 + random.below(200))
      var stretches = ItemStretches()
      for step in 0 ..< 12 {
        let splices = Self.splices(of: marks.count, most: 4, &random)
        var moved: [Bool] = []
        var from = 0
        for splice in splices {
          moved += marks[from ..< splice.old.lowerBound]
          moved += Array(repeating: false, count: splice.new.count)
          from = splice.old.upperBound
        }
        marks = moved + marks[from...]
        stretches.move(by: splices)
        // Inside of what replaces a marked item, a mark may be kept: those who move stretches add
        // it anyway.
        var added = splices.map { ItemStretches.Stretch(items: $0.new) }
        let start = random.below(marks.count + 1)
        added.append(.init(items: start ..< min(marks.count, start + random.below(9))))
        added.sort { $0.items.lowerBound < $1.items.lowerBound }
        added.removeAll { $0.items.isEmpty }
        stretches.join(with: added)
        for stretch in added { for item in stretch.items { marks[item] = true } }
        var found = Array(repeating: false, count: marks.count)
        for stretch in stretches.stretches { for item in stretch.items { found[item] = true } }
        #expect(found == marks, "seed \(seed), step \(step)")
      }
    }
  }

  @Test("there are never many stretches, and none loses items")
  func manyStretches() {
    var stretches = ItemStretches()
    let items = stride(from: 0, to: 100_000, by: 100).map { $0 ..< $0 + 1 + $0 % 90 }
    for items in items.shuffledDeterministically() {
      stretches.join(with: [.init(items: items, spread: 1)])
      #expect(stretches.stretches.count <= ItemStretches.limit)
    }
    #expect(stretches.spread == items.count)
    for items in items {
      #expect(stretches.stretches.contains { $0.items.contains(items.lowerBound) })
    }
    stretches.move(by: [Splice(old: 0 ..< 200_000, new: 0 ..< 5)])
    #expect(stretches.itemCount == 0)
  }

  // MARK: - Real chunks

  private static func outline(_ count: Int) -> CollectionContents {
    let block = ItemBlock(
      count: count,
      heights: (0 ..< count).map { Double($0 % 7) + 20 },
      keys: (0 ..< count).map { "k\($0)" },
      outline: OutlineColumns(
        levels: (0 ..< count).map { $0 % 40 == 0 ? 0 : $0 % 40 % 20 == 1 ? 1 : 2 },
        expanded: Array(repeating: true, count: count)
      )
    )
    return CollectionContents(sections: [SectionContents(outline: .perViewer, blocks: [block])])
  }

  private static func chunks(_ contents: CollectionContents) -> [(ObjectIdentifier, ItemChunk)] {
    var result: [(ObjectIdentifier, ItemChunk)] = []
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      section.items.forEachChunk(in: 0 ..< section.items.count) { chunk, _ in
        result.append((ObjectIdentifier(chunk), chunk))
        return true
      }
      return true
    }
    return result
  }

  /// How many items of rows are in chunks that neither all viewers' rows nor all items have.
  private static func ownCount(_ rows: CollectionContents, beside shared: CollectionContents) -> Int
  {
    let known = Set((chunks(shared) + chunks(shared.whole)).map(\.0))
    return chunks(rows).reduce(0) { known.contains($1.0) ? $0 : $0 + $1.1.count }
  }

  @Test(
    "rows of a viewer own at most what is counted, and not much less",
    arguments: 0 ..< 6 as Range<UInt64>
  )
  func realRows(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var whole = Self.outline(40_000)
    var (shared, own) = (whole.rows, whole.rows)
    var copies = CopiedItems()
    for step in 0 ..< 40 {
      if step % 4 == 0 {
        let path = IndexPath(section: 0, item: random.below(whole.itemCount))
        let change = own.expanding([ItemExpansion(path, isExpanded: random.chance(40))])
        copies.follow(expansion: change)
        own = change.new
      } else {
        let place = random.chance(70) ? 39_000 : random.below(whole.itemCount - 10)
        let batch =
          random.chance(50)
          ? UpdateBatch([.deleteItems(section: 0, items: place ..< place + 1 + random.below(3))])
          : UpdateBatch([
            .reconfigureItems(
              section: 0,
              items: place ..< place + 1,
              blocks: [ItemBlock(count: 1, heights: [Double(random.below(90))])]
            )
          ])
        guard let change = try? whole.applying(batch) else { continue }
        let seen = change.rows(on: own)
        copies.follow(seen)
        (whole, own) = (change.new, seen.new)
        shared = whole.rows
      }
      let real = Self.ownCount(own, beside: shared)
      let counted = copies.copied.itemCount + copies.changed.spread
      #expect(real <= counted, "step \(step): \(real) > \(counted)")
      #expect(counted <= own.itemCount * 2)
    }
  }

  @Test("a batch at the same place again and again is counted once")
  func samePlace() throws {
    var contents = Self.outline(20_000)
    var copies = CopiedItems()
    var bytes: [Int] = []
    for _ in 0 ..< 50 {
      let change = try contents.applying(
        UpdateBatch([.deleteItems(section: 0, items: 10_000 ..< 10_001)])
      )
      copies.follow(change)
      contents = change.new
      bytes.append(copies.byteCount(in: contents))
    }
    #expect(bytes[0] > 0)
    #expect(try #require(bytes.last) <= bytes[0] + 50)
  }

  @Test("what was expanded and is collapsed again does not count")
  func collapsing() {
    let count = 100_000
    let block = ItemBlock(
      count: count,
      heights: (0 ..< count).map { Double($0 % 7) + 20 },
      outline: OutlineColumns(levels: (0 ..< count).map { $0 % 50_000 == 0 ? 0 : 1 })
    )
    var rows = CollectionContents(sections: [SectionContents(outline: .perViewer, blocks: [block])])
      .rows
    var copies = CopiedItems()
    let path = IndexPath(section: 0, item: 50_000)
    var shares: [Double] = []
    for step in 0 ..< 20 {
      let change = rows.expanding([ItemExpansion(path, isExpanded: step % 2 == 0)])
      copies.follow(expansion: change)
      rows = change.new
      shares.append(copies.changedShare(of: rows))
      if step % 2 == 0 { #expect(shares[step] > 0.9) }
    }
    #expect(copies.changed.itemCount <= rows.itemCount)
    #expect(copies.changed.spread == 0)
  }
}

extension Array {
  fileprivate func shuffledDeterministically() -> [Element] {
    var random = SplitMix64(seed: 1)
    return indices.map { ($0, random.below(1 << 20)) }.sorted { $0.1 < $1.1 }.map { self[$0.0] }
  }
}
