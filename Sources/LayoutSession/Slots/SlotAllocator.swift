// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// Small numbers for the renderer's views, lowest free first, reused within a category and kind.
///
/// A slot belongs to its category and kind for good, so a renderer may recycle the view by it.
struct SlotAllocator: Sendable {
  /// Free slots by category and kind, each a binary heap with the lowest at the root.
  private var free: [[UInt32]] = []
  private var next: UInt32 = 0

  /// How many slots have ever been in use.
  var slotCount: Int { Int(next) }

  /// What it keeps in memory, in bytes, at most: every slot may be free, in a heap twice its size.
  var byteCount: Int {
    free.capacity * MemoryLayout<[UInt32]>.stride + slotCount * 2 * MemoryLayout<UInt32>.stride
  }

  mutating func take(for element: LayoutElement) -> UInt32 {
    let index = Self.classIndex(of: element)
    if index < free.count, let slot = Self.popLowest(&free[index]) { return slot }
    defer { next &+= 1 }
    return next
  }

  mutating func giveBack(_ slot: UInt32, of element: LayoutElement) {
    let index = Self.classIndex(of: element)
    while free.count <= index { free.append([]) }
    Self.push(slot, onto: &free[index])
  }

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
