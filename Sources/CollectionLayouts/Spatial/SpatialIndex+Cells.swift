// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// What clusters ask of an index. Its slots are in the order of keys.
extension SpatialIndex {
  /// The slots of the items whose keys lie in a range.
  ///
  /// - Parameter slots: where to search; contains all of these slots.
  /// - Complexity: O(log n)
  func slots(of keys: ClosedRange<UInt64>, within slots: Range<Int>) -> Range<Int> {
    let start = firstSlot(ofKeysFrom: keys.lowerBound, within: slots)
    guard keys.upperBound < .max else { return start ..< slots.upperBound }
    let rest = start ..< slots.upperBound
    return start ..< firstSlot(ofKeysFrom: keys.upperBound + 1, within: rest)
  }

  /// The first slot whose key is at least this large; the end of the slots if there is none.
  ///
  /// - Parameter slots: where to search: all slots before them have smaller keys, and no slot after
  ///   them has.
  /// - Complexity: O(log n)
  func firstSlot(ofKeysFrom key: UInt64, within slots: Range<Int>) -> Int {
    // The first leaf among the slots that begins with such a key: the slot is in that leaf or the
    // one before.
    let fanOut = SpatialIndex.fanOut
    var (low, high) = (
      (slots.lowerBound + fanOut - 1) / fanOut, (slots.upperBound + fanOut - 1) / fanOut
    )
    while low < high {
      let middle = (low + high) / 2
      if leafKeys[middle] >= key { high = middle } else { low = middle + 1 }
    }
    var first = max(slots.lowerBound, (low - 1) * fanOut)
    var end = min(slots.upperBound, low * fanOut)
    while first < end {
      let middle = (first + end) / 2
      if self.key(at: middle) >= key { end = middle } else { first = middle + 1 }
    }
    return first
  }

  /// The rect around the frames in some slots; nil if boxes are not exact.
  ///
  /// - Parameter slots: at least one. None of their items is gone.
  /// - Parameter placement: how frames are placed.
  /// - Complexity: O(log n)
  func exactBounds(of slots: Range<Int>, seenBy placement: SpatialPlacement) -> Bounds? {
    guard hasExactBoxes, let box = tightBox(around: slots) else { return nil }
    guard case .positions = content else { return Bounds(box) }
    // Boxes of positions are exact only if all items have one size.
    return Bounds(placement.exactBox(aroundFramesAt: box, size: largestSize))
  }

  /// Extends a rect around the frames in some slots.
  ///
  /// - Parameter bounds: nil = no frame is in it yet.
  /// - Parameter placement: how frames are placed.
  /// - Parameter visit: told of the steps, and returns whether to go on.
  /// - Parameter frame: returns the frame in a slot; nil if its item is gone.
  /// - Returns: whether to go on.
  /// - Complexity: O(slots) at most: nodes whose boxes are not in the rect yet are searched.
  func extend(
    _ bounds: inout Bounds?,
    around slots: Range<Int>,
    seenBy placement: SpatialPlacement,
    visit: (Int) -> Bool,
    frame: (Int) -> Rect?
  ) -> Bool {
    guard !slots.isEmpty, levelCount > 0 else { return true }
    // Few items are gone, and seldom one of the outermost: most often these tell the rect.
    for side in OuterSide.allCases {
      if let frame = outermostFrame(of: slots, on: side, frame) {
        bounds = bounds?.union(Bounds(frame)) ?? Bounds(frame)
      }
    }
    if let bounds, let all = exactBounds(of: slots, seenBy: placement), bounds.contains(all) {
      return true
    }
    return extend(&bounds, around: slots, placement, level: levelCount - 1, node: 0, visit, frame)
  }

  /// Looking at the items of a leaf, whether they are gone, and at their frames.
  static let stepsPerLeaf = 4

  /// A side on which items may be the outermost of some.
  private enum OuterSide: CaseIterable {
    case left, top, right, bottom

    /// How far out a box reaches.
    func reach(of box: SIMD4<Double>) -> Double {
      switch self {
      case .left: -box.x
      case .top: -box.y
      case .right: box.z
      case .bottom: box.w
      }
    }
  }

  /// The frame in the slots that reaches out farthest on a side, if all sizes are equal; otherwise
  /// one that reaches far.
  ///
  /// - Parameter slots: where to search; not empty.
  /// - Returns: nil = its item is gone.
  /// - Complexity: O(log n)
  private func outermostFrame(
    of slots: Range<Int>,
    on side: OuterSide,
    _ frame: (Int) -> Rect?
  ) -> Rect? {
    var nodes = 0 ..< 1
    for level in (0 ..< levelCount).reversed() {
      // The nodes that contain some of the slots.
      let size = slotCount(ofLevel: level)
      let part = nodes.clamped(to: slots.lowerBound / size ..< (slots.upperBound - 1) / size + 1)
      let best = part.max { side.reach(of: ownBox($0, level)) < side.reach(of: ownBox($1, level)) }
      guard let best else { return nil }
      nodes = children(of: best, level)
    }
    return nodes.clamped(to: slots)
      .max { side.reach(of: ownBox(ofSlot: $0)) < side.reach(of: ownBox(ofSlot: $1)) }
      .flatMap(frame)
  }

  private func extend(
    _ bounds: inout Bounds?,
    around slots: Range<Int>,
    _ placement: SpatialPlacement,
    level: Int,
    node: Int,
    _ visit: (Int) -> Bool,
    _ frame: (Int) -> Rect?
  ) -> Bool {
    guard self.slots(below: node, level).overlaps(slots) else { return true }
    let box = Bounds(box(of: node, level, seenBy: placement))
    if let bounds, bounds.contains(box) { return true }
    guard visit(level > 0 ? 1 : Self.stepsPerLeaf) else { return false }
    for child in children(of: node, level) {
      if level > 0 {
        let isDone = extend(
          &bounds,
          around: slots,
          placement,
          level: level - 1,
          node: child,
          visit,
          frame
        )
        guard isDone else { return false }
      } else if slots.contains(child), let frame = frame(child) {
        bounds = bounds?.union(Bounds(frame)) ?? Bounds(frame)
      }
    }
    return true
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
