// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Ordinals after changes", .timeLimit(.minutes(2)))
struct OrdinalMapTests {
  /// Random splices over some items, and the items after them: old ordinals, nil = new.
  private func splices(
    over count: Int,
    _ random: inout SplitMix64
  ) -> (splices: [Splice], after: [Int?]) {
    var splices: [Splice] = []
    var after: [Int?] = []
    var next = 0
    while next < count {
      let kept = random.int(0 ... (random.chance(10) ? 200 : 6))
      after += (next ..< min(count, next + kept)).map { $0 }
      next = min(count, next + kept)
      let end = min(count, next + random.int(0 ... 3))
      let added = random.int(0 ... 2)
      splices.append(Splice(old: next ..< end, new: after.count ..< after.count + added))
      after += Array(repeating: nil, count: added)
      next = end
    }
    return (splices, after)
  }

  @Test("those that splices leave are found, and those that they take away are gone")
  func agreesWithArrays() {
    for seed in 0 ..< 200 {
      var random = SplitMix64(seed: UInt64(seed))
      let count = random.int(0 ... 400)
      let (splices, after) = splices(over: count, &random)
      var expected = [UInt32](repeating: SpatialIndex.gone, count: count)
      for (place, old) in after.enumerated() {
        if let old { expected[old] = UInt32(place) }
      }
      let map = OrdinalMap(splices, count: count)
      var pieces = SpatialPieces(count: count)
      pieces.replace(splices)
      let other = OrdinalMap(pieces)
      #expect(map.newCount == after.count && other.newCount == after.count)
      for old in 0 ..< count {
        #expect(map.current(UInt32(old)) == expected[old], "seed \(seed), \(old)")
        #expect(other.current(UInt32(old)) == expected[old], "seed \(seed), \(old)")
      }
      #expect(map.current(SpatialIndex.gone) == SpatialIndex.gone)
      #expect(map.current(UInt32(count)) == SpatialIndex.gone)
      #expect(pieces.addedOrdinals() == after.indices.filter { after[$0] == nil })
    }
  }

  @Test("pieces follow large and small batches, one after the other, as arrays do")
  func piecesFollowBatches() {
    for seed in 0 ..< 40 {
      var random = SplitMix64(seed: 900 + UInt64(seed))
      let count = 600
      // The indexed ordinals of the current items; nil = added.
      var items: [Int?] = (0 ..< count).map { $0 }
      var pieces = SpatialPieces(count: count)
      for step in 0 ..< 8 {
        if random.chance(30) {
          let start = random.int(0 ... items.count)
          let end = min(items.count, start + random.int(0 ... 4))
          let added = random.int(0 ... 2)
          pieces.replace([Splice(old: start ..< end, new: start ..< start + added)])
          items.replaceSubrange(start ..< end, with: Array(repeating: nil, count: added))
        } else {
          let (splices, after) = splices(over: items.count, &random)
          pieces.replace(splices)
          items = after.map { old in old.flatMap { items[$0] } }
        }
        let note = "seed \(seed), step \(step)"
        #expect(pieces.pieces.brokenInvariant() == nil, "\(note)")
        #expect(pieces.totals.current == items.count && pieces.totals.indexed == count, "\(note)")
        var expected = [Int?](repeating: nil, count: count)
        for (place, item) in items.enumerated() { if let item { expected[item] = place } }
        #expect((0 ..< count).map { pieces.currentOrdinal(ofIndexed: $0) } == expected, "\(note)")
        let added = items.indices.filter { items[$0] == nil }
        #expect(pieces.addedOrdinals() == added, "\(note)")
        #expect(added.indices.map { pieces.currentOrdinal(ofAdded: $0) } == added, "\(note)")
        for (rank, place) in added.enumerated() {
          #expect(pieces.addedCount(ofFirst: place) == rank, "\(note)")
        }
      }
    }
  }

  @Test(
    "a layout answers as one prepared anew after batches all over the contents",
    arguments: 0 ..< 4
  )
  func scatteredBatches(seed: Int) throws {
    var random = SplitMix64(seed: 40 + UInt64(seed))
    let layout = SpatialLayout(
      projection: seed % 2 == 0 ? .webMercator : .points,
      zoom: seed % 2 == 0 ? 1 : 0,
      clusters: seed < 2 ? .init(cellSize: 32) : nil
    )
    let container = LayoutContainer(size: Size(width: 320, height: 480))
    let viewport = Viewport(of: container)
    func newItem() -> ItemBlock {
      ItemBlock(count: 1, xs: [random.double(0 ... 170)], ys: [random.double(0 ... 80)])
    }
    var contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(
          count: 1500,
          xs: (0 ..< 1500).map { _ in random.double(0 ... 170) },
          ys: (0 ..< 1500).map { _ in random.double(0 ... 80) }
        )
      ])
    ])
    var current = layout.prepare(LayoutContext(contents: contents, container: container))
    var renumbered = 0
    for step in 0 ..< 12 {
      // Moves, or insertions, of about a tenth of the items.
      var operations: [UpdateOperation] = []
      for place in stride(from: random.int(0 ... 9), to: contents.itemCount, by: 11) {
        if step % 3 != 0 {
          operations.append(.deleteItems(section: 0, items: place ..< place + 1))
        }
        operations.append(
          .insertItems(at: IndexPath(section: 0, item: place), items: [newItem()])
        )
      }
      let change = try contents.applying(UpdateBatch(operations))
      current = layout.update(current, by: change)
      contents = change.new
      let spatial = try #require(current as? PreparedSpatial)
      renumbered += spatial.layers.contains { $0.goneCount > 0 } ? 1 : 0
      let fresh = layout.prepare(LayoutContext(contents: contents, container: container))
      let everywhere = Rect(x: -1e10, y: -1e10, width: 2e10, height: 2e10)
      #expect(
        current.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
        "step \(step)"
      )
      current.checkConsistency(viewport, random: &random, "step \(step)")
    }
    #expect(renumbered > 5)
  }
}
