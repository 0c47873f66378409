// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CollectionModel

@Suite("Order labels", .timeLimit(.minutes(1)))
struct OrderLabelTests {
  @Test(
    "those of a new sequence grow and stay below the end, however long it is",
    arguments: [1, 2, 1 << 24, 1 << 24 + 1, 1 << 25, 50_331_649, 1 << 27, 1_000_000_000, 1 << 61]
  )
  func newSequences(count: Int) {
    var last: UInt64 = 0
    for index in Set([0, 1, count / 2, count - 2, count - 1]).sorted()
    where index >= 0 && index < count {
      let label = OrderLabels.label(ofNew: index, of: count)
      #expect(label > last && label < OrderLabels.end)
      last = label
    }
  }

  @Test("those of a sequence of usual length are a step apart")
  func steps() {
    for count in [1, 10, 100_000, 1 << 24] {
      let last = OrderLabels.label(ofNew: count - 1, of: count)
      #expect(last == OrderLabels.first + UInt64(count - 1) * OrderLabels.step)
    }
  }

  @Test("those between others are strictly between them")
  func between() {
    let borders: [UInt64?] = [
      nil, 1, 2, 100, OrderLabels.step, OrderLabels.first, OrderLabels.end - OrderLabels.step,
      OrderLabels.end - 1,
    ]
    for previous in borders {
      for next in borders where (previous ?? 0) < (next ?? .max) {
        for count in [0, 1, 2, 17] {
          guard let labels = OrderLabels.labels(count, between: previous, and: next) else {
            continue
          }
          #expect(labels.count == count)
          let all = [previous ?? 0] + labels + [next ?? OrderLabels.end]
          #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 }, "\(all)")
        }
      }
    }
    #expect(OrderLabels.labels(1, between: 1, and: nil) == [1 + OrderLabels.step])
    #expect(OrderLabels.labels(1, between: 3, and: 5) == [4])
  }

  @Test(
    "there is no room for more than fit, however many are asked for",
    arguments: [1 << 24 + 1, 1 << 25, 1 << 26, 1 << 40, Int.max]
  )
  func noRoom(count: Int) {
    let first = OrderLabels.first
    #expect(OrderLabels.labels(count, between: first, and: nil) == nil)
    #expect(OrderLabels.labels(count, between: nil, and: first) == nil)
    #expect(OrderLabels.labels(count, between: first, and: first + 1 << 20) == nil)
    #expect(OrderLabels.labels(0, between: first, and: first) == nil)
  }
}
