// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Testing

@testable import CollectionLayouts

@Suite("Item ordinals", .timeLimit(.minutes(2)))
struct ItemOrdinalsTests {
  @Test("count through all sections, empty ones included")
  func counts() {
    for counts in [[], [0], [3], [0, 2, 0, 0, 1, 0], [1, 1, 1]] {
      let ordinals = ItemOrdinals(
        CollectionContents(
          sections: counts.map {
            SectionContents(blocks: $0 == 0 ? [] : [ItemBlock(count: $0)])
          }
        )
      )
      var next = 0
      for (section, count) in counts.enumerated() {
        for item in 0 ..< count {
          let path = IndexPath(section: section, item: item)
          #expect(ordinals.ordinal(of: path) == next)
          #expect(ordinals.indexPath(at: next) == path)
          next += 1
        }
        #expect(ordinals.ordinal(of: IndexPath(section: section, item: count)) == nil)
        #expect(ordinals.ordinal(of: IndexPath(section: section)) == nil)
      }
      #expect(ordinals.count == next)
      #expect(ordinals.ordinal(of: IndexPath(section: counts.count, item: 0)) == nil)
      for start in 0 ... next {
        for end in start ... next {
          var seen: [Int] = []
          ordinals.forEach(in: start ..< end) { ordinal, path in
            #expect(ordinals.indexPath(at: ordinal) == path)
            seen.append(ordinal)
            return true
          }
          #expect(seen == Array(start ..< end))
          var first: [Int] = []
          ordinals.forEach(in: start ..< end) { ordinal, _ in
            first.append(ordinal)
            return false
          }
          #expect(first == Array((start ..< end).prefix(1)))
        }
      }
    }
  }

  @Test("ranges of indices keep to what exists, whatever the bounds")
  func ranges() {
    #expect(Range(from: 1.5, through: 3.5, count: 10) == 2 ..< 4)
    #expect(Range(from: -5, through: 100, count: 10) == 0 ..< 10)
    #expect(Range(from: -.infinity, through: .infinity, count: 10) == 0 ..< 10)
    #expect(Range(from: .nan, through: .nan, count: 10) == 0 ..< 10)
    #expect(Range(from: 11, through: 20, count: 10).isEmpty)
    #expect(Range(from: -9, through: -1, count: 10).isEmpty)
    #expect(Range(from: 5, through: 4, count: 10).isEmpty)
    #expect(Range(from: 1e300, through: 1e301, count: 10).isEmpty)
    #expect(Range(from: 0, through: 0, count: 0).isEmpty)
  }
}
