// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

private struct Weight: SummarizedElement, Equatable {
  struct Total: TreeSummary, Equatable {
    var weight: Int
    var count: Int
    static let zero = Total(weight: 0, count: 0)
    static func + (a: Total, b: Total) -> Total {
      Total(weight: a.weight + b.weight, count: a.count + b.count)
    }
  }

  var weight: Int
  var summary: Total { Total(weight: weight, count: 1) }
}

@Suite("SummaryTree", .timeLimit(.minutes(2)))
struct SummaryTreeTests {
  private func expectSame(_ tree: SummaryTree<Weight>, _ array: [Weight], _ note: String) {
    #expect(tree.brokenInvariant() == nil, "\(note)")
    #expect(Array(tree) == array, "\(note)")
    #expect(tree.summary == array.reduce(.zero) { $0 + $1.summary }, "\(note)")
  }

  private func weights(_ range: Range<Int>) -> [Weight] { range.map { Weight(weight: $0 % 5) } }

  @Test("every small replacement equals that of an array, and leaves the old tree alone")
  func replacements() {
    for count in [0, 1, 7, 16, 17, 33, 40] {
      let array = weights(0 ..< count)
      let tree = SummaryTree(array)
      for lower in 0 ... count {
        for upper in lower ... count {
          for added in [0, 1, 3, 40] {
            var copy = tree
            var expected = array
            copy.replaceSubrange(lower ..< upper, with: weights(100 ..< 100 + added))
            expected.replaceSubrange(lower ..< upper, with: weights(100 ..< 100 + added))
            guard Array(copy) == expected, copy.brokenInvariant() == nil else {
              expectSame(copy, expected, "\(count) \(lower)..<\(upper) +\(added)")
              return
            }
          }
        }
      }
      expectSame(tree, array, "\(count)")
    }
  }

  @Test("trees of all heights split and join")
  func splitting() {
    for count in [0, 1, 15, 16, 17, 100, 256, 257, 1000, 5000] {
      let array = weights(0 ..< count)
      let tree = SummaryTree(array)
      expectSame(tree, array, "\(count)")
      for cut in Set([0, 1, count / 3, count / 2, count - 1, count]) where (0 ... count) ~= cut {
        let (left, right) = (tree.prefix(cut), tree.suffix(from: cut))
        expectSame(left, Array(array[..<cut]), "prefix \(cut) of \(count)")
        expectSame(right, Array(array[cut...]), "suffix \(cut) of \(count)")
        var joined = right
        joined.append(contentsOf: left)
        expectSame(joined, Array(array[cut...] + array[..<cut]), "rotated \(cut) of \(count)")
      }
    }
  }

  @Test("random edits equal those of an array")
  func randomEdits() {
    for seed in 0 ..< 20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var array: [Weight] = []
      var tree = SummaryTree<Weight>()
      for _ in 0 ..< 150 {
        let lower = random.below(array.count + 1)
        switch random.below(5) {
        case 0:
          tree.append(Weight(weight: 9))
          array.append(Weight(weight: 9))
        case 1 where !array.isEmpty:
          let index = random.below(array.count)
          tree.update(at: index) { $0.weight += 1 }
          array[index].weight += 1
        case 2:
          let upper = min(array.count, lower + random.below(80))
          tree.removeSubrange(lower ..< upper)
          array.removeSubrange(lower ..< upper)
        default:
          let added = weights(0 ..< random.below(60))
          tree.replaceSubrange(lower ..< lower, with: added)
          array.replaceSubrange(lower ..< lower, with: added)
        }
        guard tree.brokenInvariant() == nil, Array(tree) == array else {
          expectSame(tree, array, "seed \(seed)")
          return
        }
      }
      expectSame(tree, array, "seed \(seed)")
    }
  }

  /// Sorted, disjoint, some of them touching, with up to `added` new elements each.
  private func replacements(
    _ most: Int,
    of count: Int,
    length: Int,
    added: Int,
    _ random: inout SplitMix64
  ) -> [SummaryTree<Weight>.Replacement] {
    var cuts = (0 ..< random.below(most + 1)).map { _ in random.below(count + 1) }
    cuts.sort()
    var result: [SummaryTree<Weight>.Replacement] = []
    var end = 0
    for lower in cuts where lower >= end {
      let upper = random.chance(40) ? lower : min(count, lower + random.below(length + 1))
      let new = random.chance(30) ? 0 : random.below(added + 1)
      result.append(.init(lower ..< upper, with: weights(100 ..< 100 + new)))
      end = upper
    }
    return result
  }

  @Test("many replacements at once equal one after the other")
  func bulkReplacements() {
    for seed in 0 ..< 20 as Range<UInt64> {
      var random = SplitMix64(seed: 500 + seed)
      var array = weights(0 ..< [0, 5, 40, 300, 2000][Int(seed % 5)])
      var tree = SummaryTree(array)
      for step in 0 ..< 8 {
        let (old, oldArray) = (tree, array)
        let all = replacements(
          [3, 20, 200][random.below(3)],
          of: array.count,
          length: [0, 4, 50, 1500][random.below(4)],
          added: [1, 3, 60, 700][random.below(4)],
          &random
        )
        tree.replaceSubranges(all)
        for replacement in all.reversed() {
          array.replaceSubrange(replacement.range, with: replacement.elements)
        }
        let note = "seed \(seed), step \(step): \(all.map { ($0.range, $0.elements.count) })"
        guard tree.brokenInvariant() == nil, Array(tree) == array, Array(old) == oldArray else {
          expectSame(tree, array, note)
          expectSame(old, oldArray, note)
          return
        }
        expectSame(tree, array, note)
      }
    }
  }

  @Test("a tree may lose all but its ends, or everything, at once")
  func bulkRemoval() {
    for count in [1, 16, 17, 300, 5000] {
      let array = weights(0 ..< count)
      for ends in [(0, 0), (1, 0), (0, 1), (1, 1), (9, 3)] where ends.0 + ends.1 <= count {
        var tree = SummaryTree(array)
        tree.replaceSubranges([.init(ends.0 ..< count - ends.1, with: [])])
        expectSame(tree, Array(array[..<ends.0] + array[(count - ends.1)...]), "\(count) \(ends)")
      }
      // Every second one.
      var tree = SummaryTree(array)
      tree.replaceSubranges(
        stride(from: 0, to: count, by: 2).map { .init($0 ..< $0 + 1, with: []) }
      )
      expectSame(tree, array.indices.filter { $0 % 2 == 1 }.map { array[$0] }, "\(count)")
    }
  }

  @Test("positions are found by any running total")
  func positions() {
    let array = weights(0 ..< 700)
    let tree = SummaryTree(array)
    var before = Weight.Total.zero
    for (i, element) in array.enumerated() {
      let found = tree.position(at: i)
      #expect(found.prefix == before && found.element == element)
      #expect(tree.summary(ofFirst: i) == before)
      #expect(tree.firstPosition { $0.count > i }?.index == i)
      if element.weight > 0 {
        #expect(tree.firstPosition { $0.weight > before.weight }?.index == i)
      }
      before = before + element.summary
    }
    #expect(tree.firstPosition { $0.weight > before.weight } == nil)
    #expect(tree.summary(ofFirst: 700) == before)
  }

  @Test("elements are found and walked by one total")
  func places() {
    for count in [0, 1, 16, 17, 300, 700] {
      let array = weights(0 ..< count)
      let tree = SummaryTree(array)
      var leaves: [Weight] = []
      tree.forEachLeaf { leaves += $0 }
      #expect(leaves == array)
      // The elements that have a part of each unit of weight.
      let owners = array.indices.flatMap { Array(repeating: $0, count: array[$0].weight) }
      for number in owners.indices {
        let found = tree.withPlace(of: number, in: \.weight) { element, index, start in
          element == array[index] && start == tree.summary(ofFirst: index).weight ? index : -1
        }
        #expect(found == owners[number])
        #expect(tree.place(of: number, in: \.weight)?.index == owners[number])
      }
      #expect(tree.withPlace(of: owners.count, in: \.weight) { _, index, _ in index } == nil)
      for start in stride(from: 0, to: owners.count, by: 7) {
        for end in [start + 1, start + 40, owners.count] where start < end && end <= owners.count {
          var seen: [Int] = []
          tree.forEach(overlapping: start ..< end, in: \.weight) { element, before in
            // Those without weight have no part of anything, and may come or not.
            guard element.weight > 0 else { return true }
            #expect(element == array[owners[before]])
            seen.append(owners[before])
            return true
          }
          #expect(seen == Array(Set(owners[start ..< end])).sorted())
        }
      }
    }
  }

  @Test("a range is walked with prefixes, until told to stop")
  func walking() {
    let array = weights(0 ..< 300)
    let tree = SummaryTree(array)
    for range in [0 ..< 0, 0 ..< 300, 17 ..< 18, 100 ..< 250, 299 ..< 300] {
      var seen: [Int] = []
      let isComplete = tree.forEach(in: range) { element, index, prefix in
        #expect(element == array[index] && prefix == tree.summary(ofFirst: index))
        seen.append(index)
        return true
      }
      #expect(isComplete && seen == Array(range))
    }
    var steps = 0
    let isComplete = tree.forEach(in: 0 ..< 300) { _, index, _ in
      steps += 1
      return index < 20
    }
    #expect(!isComplete && steps == 21)
  }
}
