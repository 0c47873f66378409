// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// Assigns slots: small numbers that identify the renderer's views.
///
/// A slot belongs to one category and kind of elements for good, so a renderer can recycle the
/// slot's view. Of the free slots of a category and kind the lowest is used first.
struct SlotAllocator: Hashable, Sendable {
  /// The free slots of each category and kind, as a binary heap with the lowest slot at the root.
  private var free: [[UInt32]] = []
  /// The lowest slot that was never used.
  private var next: UInt32 = 0

  /// The number of slots that have ever been used.
  var slotCount: Int { Int(next) }

  /// At most the memory in use, in bytes: every slot may be free, in a heap with twice the
  /// capacity.
  var byteCount: Int {
    free.capacity * MemoryLayout<[UInt32]>.stride + slotCount * 2 * MemoryLayout<UInt32>.stride
  }

  /// A slot for an element: a free one of its category and kind, or a new one.
  ///
  /// - Complexity: O(log free)
  mutating func take(for element: LayoutElement) -> UInt32 {
    let index = Self.classIndex(of: element)
    if index < free.count, let slot = Self.popLowest(&free[index]) { return slot }
    defer { next &+= 1 }
    return next
  }

  /// Frees the slot of an element.
  ///
  /// - Parameter element: the one that the slot was taken for, or another of its category and kind.
  /// - Complexity: O(log free); O(kinds) the first time for each kind
  mutating func giveBack(_ slot: UInt32, of element: LayoutElement) {
    let index = Self.classIndex(of: element)
    while free.count <= index { free.append([]) }
    Self.push(slot, onto: &free[index])
  }

  /// The index in `free` of an element's category and kind: below 2¹⁸, since a kind has 16 bits.
  private static func classIndex(of element: LayoutElement) -> Int {
    Int(element.kind) << 2 | Int(element.category.rawValue)
  }

  private static func push(_ slot: UInt32, onto heap: inout [UInt32]) {
    heap.append(slot)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private static func popLowest(_ heap: inout [UInt32]) -> UInt32? {
    guard let lowest = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return lowest }
    heap[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { return lowest }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < heap[parent] else { return lowest }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
