// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Orders of spatial keys", .timeLimit(.minutes(1)))
struct KeyOrderTests {
  @Test("sorts keys of every distribution, and leaves equal ones in order", arguments: 0 ..< 6)
  func agreesWithSort(distribution: Int) {
    var sorter = KeySorter()
    for count in [0, 1, 2, 3, 40, 49, 100, 3000, 40_000] {
      var random = SplitMix64(seed: UInt64(count))
      let keys = (0 ..< count).map { index -> UInt64 in
        switch distribution {
        case 0: random.next()
        case 1: random.next() % 8
        case 2: 5
        case 3: random.next() << 62 | random.next() % 10
        case 4: UInt64(index)
        // One key is far away from the others.
        default: index == 0 ? .max : random.next() % 100_000
        }
      }
      // What was sorted before leaves nothing behind.
      _ = sorter.sort(keys.reversed(), count: count / 2, work: .unlimited)
      let isSorted = sorter.sort(keys, count: count, work: .unlimited)
      #expect(isSorted)
      let expected = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
      #expect(sorter.order.map { Int($0) } == expected, "\(count) keys")
    }
  }

  @Test("the curve passes from each point of a square to one next to it")
  func curve() {
    let points = (0 ..< 64).flatMap { y in (0 ..< 64).map { x in (x: x, y: y) } }
    // The finest squares of a 64 × 64 grid are 2²⁶ steps wide.
    let order = points.sorted {
      HilbertOrder.standard.distance(UInt32($0.x << 26), UInt32($0.y << 26))
        < HilbertOrder.standard.distance(UInt32($1.x << 26), UInt32($1.y << 26))
    }
    for (a, b) in zip(order, order.dropFirst()) {
      #expect(abs(a.x - b.x) + abs(a.y - b.y) == 1, "\(a), \(b)")
    }
  }

  @Test("four distances at once are those of one after the other")
  func fourDistances() {
    var random = SplitMix64(seed: 8)
    for _ in 0 ..< 2000 {
      let bits = UInt32(random.int(0 ... 31))
      var (x, y) = (SIMD4<UInt32>.zero, SIMD4<UInt32>.zero)
      for lane in 0 ..< 4 {
        x[lane] = UInt32(truncatingIfNeeded: random.next()) >> bits
        y[lane] = UInt32(truncatingIfNeeded: random.next()) >> bits
      }
      let distances = HilbertOrder.distances(x, y)
      for lane in 0 ..< 4 {
        #expect(distances[lane] == HilbertOrder.standard.distance(x[lane], y[lane]))
      }
    }
  }

  @Test("the steps of a position are those that lie before it")
  func steps() {
    var random = SplitMix64(seed: 9)
    let grid = CurveGrid(corner: [-3, 5], scale: [0x1p20, 0x1p16])
    for index in 0 ..< 5000 {
      // Every third position is exactly at a step.
      let place = random.double(-10 ... 5000)
      let x = index % 3 == 0 ? place.rounded() : place
      let position = SIMD2(x / 0x1p20 - 3, x / 0x1p16 + 5)
      let exact = (position - grid.corner) * grid.scale
      let steps = grid.steps(of: position)
      #expect(steps.x == UInt32(max(0, exact.x)) && steps.y == UInt32(max(0, exact.y)))
    }
    #expect(grid.steps(of: [.infinity, -.infinity]) == [.max, 0])
    #expect(CurveGrid(corner: .zero, scale: .zero).steps(of: [.infinity, 1]) == [0, 0])
  }

  @Test("items are in the order of keys and ordinals, in parts of every kind", arguments: 0 ..< 5)
  func entries(distribution: Int) throws {
    for count in [1, 17, 5000, 40_000, 150_000] {
      var random = SplitMix64(seed: UInt64(count + distribution))
      var entries = SpatialEntries()
      var positions: [SIMD2<Double>] = []
      for index in 0 ..< count {
        let position: SIMD2<Double> =
          switch distribution {
          case 0: [random.double(0 ... 1), random.double(0 ... 1)]
          case 1: [random.double(0.3 ... 0.300001), random.double(0.7 ... 0.700001)]
          case 2: [Double(random.int(0 ... 3)) / 4, 0.5]
          case 3: index % 7 == 0 ? [0.9, 0.9] : [random.double(0 ... 0.001), 0.1]
          default: index == 0 ? [-1e9, 1e300] : [0.5, random.double(0.25 ... 0.75)]
          }
        positions.append(position)
        // Every second ordinal is another item's.
        let size = Size(width: Double(index % 9), height: 5)
        entries.append(distribution == 1 ? 2 * index : index, at: position, size: size)
      }
      let sorted = entries.sort(along: .world, keysEach: 16, work: .unlimited)
      let keys = try #require(sorted)
      let unsorted = positions.map { CurveGrid.world.key(of: $0) }
      let expected = positions.indices.sorted { (unsorted[$0], $0) < (unsorted[$1], $1) }
      let factor = distribution == 1 ? 2 : 1
      #expect(entries.ordinals == expected.map { UInt32(factor * $0) }, "\(count)")
      #expect(entries.positions == expected.map { positions[$0] }, "\(count)")
      for (slot, index) in expected.enumerated() {
        #expect(entries.sizes.size(at: slot)?.width == Double(index % 9))
      }
      let starts = stride(from: 0, to: count, by: 16)
      #expect(keys == starts.map { CurveGrid.world.key(of: entries.positions[$0]) }, "\(count)")
    }
  }
}
