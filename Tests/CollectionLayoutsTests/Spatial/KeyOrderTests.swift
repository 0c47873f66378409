// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Orders of spatial keys", .timeLimit(.minutes(1)))
struct KeyOrderTests {
  @Test("sorts keys of every distribution, and leaves equal ones in order", arguments: 0 ..< 6)
  func agreesWithSort(distribution: Int) {
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
      let order = KeyOrder.order(of: keys, work: .unlimited).map { Int($0) }
      let expected = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
      #expect(order == expected, "\(count) keys")
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
}
