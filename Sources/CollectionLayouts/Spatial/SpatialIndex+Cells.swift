// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// What clusters ask of an index. Its slots are in the order of keys.
extension SpatialIndex {
  /// The slots of the items whose keys lie in a range.
  ///
  /// - Parameter slots: where to look: they include all of these slots.
  /// - Complexity: O(log n)
  func slots(of keys: ClosedRange<UInt64>, within slots: Range<Int>) -> Range<Int> {
    let start = firstSlot(within: slots) { $0 >= keys.lowerBound }
    return start ..< firstSlot(within: start ..< slots.upperBound) { $0 > keys.upperBound }
  }

  /// The first slot whose key is behind some place; the end of the slots if there is none.
  private func firstSlot(within slots: Range<Int>, _ isBehind: (UInt64) -> Bool) -> Int {
    var (low, high) = (slots.lowerBound, slots.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(keys[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Extends a rect around the frames in some slots.
  ///
  /// - Parameter bounds: nil = no frame is in it yet.
  /// - Parameter isWhole: whether none of the items is gone.
  /// - Parameter frame: returns the frame in a slot; nil if its item is gone.
  /// - Complexity: O(log n) if no item is gone. Otherwise nodes whose boxes are not in the rect yet are
  ///   searched.
  func extend(
    _ bounds: inout Bounds?,
    around slots: Range<Int>,
    isWhole: Bool,
    frame: (Int) -> Rect?
  ) {
    guard !slots.isEmpty, levelCount > 0 else { return }
    extend(&bounds, slots, isWhole, level: levelCount - 1, node: 0, frame)
  }

  private func extend(
    _ bounds: inout Bounds?,
    _ slots: Range<Int>,
    _ isWhole: Bool,
    level: Int,
    node: Int,
    _ frame: (Int) -> Rect?
  ) {
    let own = self.slots(below: node, level)
    guard own.overlaps(slots) else { return }
    let box = Bounds(box(of: node, level))
    if let bounds, bounds.contains(box) { return }
    if isWhole, slots.lowerBound <= own.lowerBound, own.upperBound <= slots.upperBound {
      bounds = bounds?.union(box) ?? box
      return
    }
    for child in children(of: node, level) {
      if level > 0 {
        extend(&bounds, slots, isWhole, level: level - 1, node: child, frame)
      } else if slots.contains(child), let frame = frame(child) {
        bounds = bounds?.union(Bounds(frame)) ?? Bounds(frame)
      }
    }
  }

  /// The edges of a rect. Those of a union are edges of its parts, without rounding.
  struct Bounds {
    private let edges: SIMD4<Double>

    init(_ edges: SIMD4<Double>) { self.edges = edges }

    init(_ frame: Rect) { edges = [frame.minX, frame.minY, frame.maxX, frame.maxY] }

    var rect: Rect {
      Rect(x: edges.x, y: edges.y, width: edges.z - edges.x, height: edges.w - edges.y)
    }

    func union(_ other: Bounds) -> Bounds {
      Bounds([
        min(edges.x, other.edges.x), min(edges.y, other.edges.y), max(edges.z, other.edges.z),
        max(edges.w, other.edges.w),
      ])
    }

    func contains(_ other: Bounds) -> Bool {
      edges.x <= other.edges.x && edges.y <= other.edges.y && edges.z >= other.edges.z
        && edges.w >= other.edges.w
    }
  }
}
