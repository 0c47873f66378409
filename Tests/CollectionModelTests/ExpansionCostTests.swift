// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CollectionModel

/// Expanding and collapsing must cost what appears and disappears, and not its square: a time limit
/// is enough to tell the difference.
@Suite("Cost of expanding", .timeLimit(.minutes(1)))
struct ExpansionCostTests {
  /// A root "r" with so many collapsed children, each with one child of its own.
  private static func parents(_ count: Int, isExpanded: Bool = false) -> CollectionContents {
    var levels: [Int] = [0]
    var keys = ["r"]
    for number in 0 ..< count {
      levels += [1, 2]
      keys += ["p\(number)", "c\(number)"]
    }
    let block = ItemBlock(
      count: levels.count,
      keys: keys,
      outline: OutlineColumns(
        levels: levels,
        expanded: [isExpanded] + Array(repeating: false, count: 2 * count)
      )
    )
    return CollectionContents(sections: [SectionContents(outline: .perViewer, blocks: [block])])
  }

  private static let root = ItemExpansion(IndexPath(section: 0, item: 0), isExpanded: true)

  private static func copied(by expansion: ContentsChange) -> Int {
    var copies = CopiedItems()
    copies.follow(expansion: expansion)
    return copies.byteCount(in: expansion.new)
  }

  @Test("many collapsed parents appear at once")
  func many() {
    let rows = Self.parents(200_000).rows
    let change = rows.expanding([Self.root])
    #expect(change.new.itemCount == 200_001)
    #expect(change.insertedItemCount == 200_000)
    // Children are hidden between all of them, so that no chunk is shared.
    #expect(Self.copied(by: change) > change.new.approximateByteCount / 2)
    let back = change.new.expanding([ItemExpansion(Self.root.path, isExpanded: false)])
    #expect(back.new.itemCount == 1)
  }

  @Test("many parents that are expanded against the base lie between collapsed ones")
  func exceptions() {
    let rows = Self.parents(50_000, isExpanded: true).rows
    let odd = stride(from: 1, to: 50_000, by: 2).map {
      ItemExpansion(IndexPath(section: 0, item: 1 + 2 * $0), isExpanded: true)
    }
    let some = rows.expanding(odd).new
    #expect(some.itemCount == 1 + 50_000 + 25_000)
    let all = some.expanding([ItemExpansion(Self.root.path, isExpanded: false)]).new
    #expect(all.expanding([Self.root]).new.itemCount == some.itemCount)
  }

  @Test("it can be stopped, and says before whether it takes long")
  func stopping() {
    let rows = Self.parents(10_000).rows
    var count = 0
    _ = rows.expanding([Self.root]) {
      count += 1
      return count < 100
    }
    #expect(count == 100)
    #expect(rows.takesLong(toExpand: [Self.root], most: 9999))
    #expect(!rows.takesLong(toExpand: [Self.root], most: 10_000))
    let parent = ItemExpansion(IndexPath(section: 0, item: 1), isExpanded: true)
    #expect(!rows.takesLong(toExpand: [parent], most: 0))
    let nowhere = ItemExpansion(IndexPath(section: 3, item: 1), isExpanded: true)
    #expect(!rows.takesLong(toExpand: [nowhere], most: 0))
  }

  @Test("rows that appear in one piece are shared with the contents")
  func shared() {
    let count = 300_000
    let block = ItemBlock(
      count: count + 1,
      heights: (0 ... count).map { Double($0 % 7) + 20 },
      outline: OutlineColumns(levels: [0] + Array(repeating: 1, count: count))
    )
    let contents = CollectionContents(sections: [
      SectionContents(outline: .perViewer, blocks: [block])
    ])
    let change = contents.rows.expanding([Self.root])
    #expect(change.insertedItemCount == count)
    #expect(Self.copied(by: change) < change.new.approximateByteCount / 2)
  }

  @Test("a batch for contents whose key index is missing costs the index")
  func keyIndex() {
    let keyed = ItemBlock(count: 5000, keys: (0 ..< 5000).map { "k\($0)" })
    let contents = CollectionContents(sections: [SectionContents(blocks: [keyed])])
    let batch = UpdateBatch([.deleteItems(section: 0, items: 0 ..< 1)])
    #expect(!contents.hasKeyIndex)
    #expect(batch.cost(in: contents) > 5000)
    _ = contents.indexPath(ofItemKey: "k7")
    #expect(contents.hasKeyIndex && contents.rows.hasKeyIndex)
    #expect(batch.cost(in: contents) < 10)
    let plain = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 5000)])])
    #expect(plain.hasKeyIndex)
  }
}
