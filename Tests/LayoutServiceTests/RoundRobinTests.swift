// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import LayoutService

@Suite("Queues that take turns", .timeLimit(.minutes(1)))
struct RoundRobinTests {
  @Test("owners take turns, whatever others have waiting, and each one's elements keep their order")
  func turns() {
    var queues = RoundRobin<String, Int>()
    for number in 0 ..< 4 { queues.append(number, of: "a") }
    queues.append(10, of: "b")
    queues.append(20, of: "c")
    var order: [Int] = []
    while let next = queues.popFirst() { order.append(next) }
    #expect(order == [0, 10, 20, 1, 2, 3])
    #expect(queues.isEmpty)
  }

  @Test(
    "agrees with lists that are searched",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queues = RoundRobin<Int, Int>()
    // Owners in the order of their turns, each with its elements.
    var model: [(owner: Int, elements: [Int])] = []
    for number in 0 ..< 300 {
      let owner = random.below(5)
      let place = model.firstIndex { $0.owner == owner }
      switch random.below(5) {
      case 0, 1:
        queues.append(number, of: owner)
        if let place {
          model[place].elements.append(number)
        } else {
          model.append((owner, [number]))
        }
      case 2:
        let elements = [number, number + 1000].prefix(random.below(3))
        queues.prepend(elements, of: owner)
        if let place {
          model[place].elements.insert(contentsOf: elements, at: 0)
        } else if !elements.isEmpty {
          model.append((owner, Array(elements)))
        }
      case 3:
        let wanted = random.below(300)
        let found = queues.remove(of: owner) { $0 % 300 == wanted }
        let index = place.flatMap { model[$0].elements.firstIndex { $0 % 300 == wanted } }
        if let place, let index {
          #expect(found == model[place].elements.remove(at: index))
          if model[place].elements.isEmpty { model.remove(at: place) }
        } else {
          #expect(found == nil)
        }
      default:
        let most = random.int(1 ... 3)
        let taken = queues.popFirst(most)
        if model.isEmpty {
          #expect(taken == nil)
        } else {
          var first = model.removeFirst()
          #expect(taken?.owner == first.owner)
          #expect(taken?.elements == Array(first.elements.prefix(most)))
          first.elements.removeFirst(min(most, first.elements.count))
          if !first.elements.isEmpty { model.append(first) }
        }
      }
      #expect(queues.count == model.reduce(0) { $0 + $1.elements.count })
    }
  }
}
