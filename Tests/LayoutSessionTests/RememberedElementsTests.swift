// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Elements that are told once", .timeLimit(.minutes(1)))
struct RememberedElementsTests {
  private typealias Entry = RememberedElements.Entry

  /// The rule in plain words: a list of the latest ones, all of which are looked at.
  private struct Scan {
    var entries: [Entry] = []

    mutating func insert(_ entry: Entry) {
      entries.append(entry)
      if entries.count > RememberedElements.limit { entries.removeFirst() }
    }

    mutating func follow(_ change: ContentsChange) {
      entries = entries.compactMap { entry in
        change.newIndexPath(ofOld: entry.path)
          .map { Entry(path: $0, classRank: entry.classRank, rule: entry.rule) }
      }
    }
  }

  private struct Walk {
    var random: SplitMix64
    var found = RememberedElements()
    var scan = Scan()
    var contents = CollectionContents.keyed(400, 400, 400)

    var entry: Entry {
      mutating get {
        let section = Int.random(in: 0 ..< contents.sectionCount, using: &random)
        let count = max(1, contents.section(at: section).items.count)
        return Entry(
          path: IndexPath(section: section, item: Int.random(in: 0 ..< count, using: &random)),
          classRank: UInt32.random(in: 0 ..< 2, using: &random),
          rule: Int.random(in: 0 ..< 3, using: &random)
        )
      }
    }

    mutating func remember() {
      for _ in 0 ..< Int.random(in: 1 ... 500, using: &random) {
        let entry = entry
        // What is remembered is not told again; that it may be is no reason to lose count.
        if scan.entries.contains(entry), random.chance(95) { continue }
        found.insert(entry)
        scan.insert(entry)
      }
    }

    mutating func change() throws {
      let section = Int.random(in: 0 ..< contents.sectionCount, using: &random)
      let count = contents.section(at: section).items.count
      guard count > 20 else { return }
      let item = Int.random(in: 0 ..< count - 10, using: &random)
      let operation: UpdateOperation =
        switch Int.random(in: 0 ..< 4, using: &random) {
        case 0: .deleteItems(section: section, items: item ..< item + 10)
        case 1:
          .insertItems(at: IndexPath(section: section, item: item), items: [ItemBlock(count: 7)])
        case 2:
          .moveItem(from: IndexPath(section: section, item: item), to: .init(section: 0, item: 0))
        default: .moveSection(from: section, to: 0)
        }
      let change = try contents.applying(UpdateBatch([operation]))
      contents = change.new
      found.follow(change)
      scan.follow(change)
    }

    mutating func check() {
      #expect(found.inOrder == scan.entries)
      for _ in 0 ..< 300 {
        let entry = entry
        #expect(found.contains(entry) == scan.entries.contains(entry))
      }
      #expect(scan.entries.allSatisfy(found.contains))
    }
  }

  @Test(
    "finds what a scan of the latest ones finds, through edits",
    arguments: 0 ..< 16 as Range<UInt64>
  )
  func walk(seed: UInt64) throws {
    var walk = Walk(random: SplitMix64(seed: seed))
    for _ in 0 ..< 20 {
      walk.remember()
      walk.check()
      try walk.change()
      walk.check()
    }
    walk.found.forgetAll()
    #expect(walk.found.inOrder.isEmpty)
  }
}
