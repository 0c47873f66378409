// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Slot allocator", .timeLimit(.minutes(2)))
struct SlotAllocatorTests {
  private func element(_ category: ElementCategory, kind: UInt16) -> LayoutElement {
    LayoutElement(
      category: category,
      kind: kind,
      indexPath: IndexPath(section: 0),
      frame: .zero
    )
  }

  @Test("gives the lowest free slot first")
  func lowestFirst() {
    var slots = SlotAllocator()
    let cell = element(.cell, kind: 0)
    #expect((0 ..< 6).map { _ in slots.take(for: cell) } == [0, 1, 2, 3, 4, 5])
    for slot in [4, 1, 5, 2] as [UInt32] { slots.giveBack(slot, of: cell) }
    #expect((0 ..< 5).map { _ in slots.take(for: cell) } == [1, 2, 4, 5, 6])
  }

  @Test("reuses a slot within its category and kind alone")
  func classes() {
    var slots = SlotAllocator()
    let cell = element(.cell, kind: 0)
    let header = element(.supplementary, kind: 1)
    let other = element(.cell, kind: 1)
    let slot = slots.take(for: cell)
    slots.giveBack(slot, of: cell)
    #expect(slots.take(for: header) == 1)
    #expect(slots.take(for: other) == 2)
    #expect(slots.take(for: cell) == 0)
  }

  @Test("agrees with a sorted set over random steps")
  func randomSteps() {
    var random = SplitMix64(seed: 11)
    var slots = SlotAllocator()
    let cell = element(.cell, kind: 3)
    var used: Set<UInt32> = []
    var free: Set<UInt32> = []
    var next: UInt32 = 0
    for _ in 0 ..< 5000 {
      if Bool.random(using: &random) || used.isEmpty {
        let expected = free.min() ?? next
        if free.remove(expected) == nil { next += 1 }
        let slot = slots.take(for: cell)
        #expect(slot == expected)
        used.insert(slot)
      } else if let slot = used.randomElement(using: &random) {
        used.remove(slot)
        free.insert(slot)
        slots.giveBack(slot, of: cell)
      }
    }
  }
}
