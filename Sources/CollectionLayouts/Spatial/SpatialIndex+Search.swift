// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension SpatialIndex {
  /// Calls `body` with the slots of every leaf whose box touches `rect`, until it returns false.
  /// The slots hold all frames that meet the rect, and others.
  ///
  /// - Parameter slots: where to look; nil = everywhere. Other slots are left out.
  /// - Parameter placement: how frames are placed; nil = as they were when the index was made.
  /// - Complexity: O(log n + k) for k slots, as long as frames do not overlap much.
  func forEachLeaf(
    touching rect: Rect,
    within slots: Range<Int>? = nil,
    seenBy placement: SpatialPlacement? = nil,
    _ body: (Range<Int>) -> Bool
  ) {
    guard levelCount > 0 else { return }
    let edges: SIMD4<Double> = [rect.minX, rect.minY, rect.maxX, rect.maxY]
    if let slots, slots.count <= Self.fanOut {
      // All of few slots are looked at, rather than a path down the tree.
      if !slots.isEmpty { _ = body(slots) }
      return
    }
    guard mayTouch(edges, 0, levelCount - 1, seenBy: placement) else { return }
    _ = visit(levelCount - 1, 0, slots ?? 0 ..< count, edges, placement, body)
  }

  private func visit(
    _ level: Int,
    _ node: Int,
    _ slots: Range<Int>,
    _ rect: SIMD4<Double>,
    _ placement: SpatialPlacement?,
    _ body: (Range<Int>) -> Bool
  ) -> Bool {
    let children = children(of: node, level)
    guard level > 0 else {
      let part = children.clamped(to: slots)
      return part.isEmpty || body(part)
    }
    let size = slotCount(ofLevel: level - 1)
    // The children that have some of the slots.
    let part = children.clamped(
      to: slots.lowerBound / size ..< (slots.upperBound + size - 1) / size
    )
    for child in part where mayTouch(rect, child, level - 1, seenBy: placement) {
      guard visit(level - 1, child, slots, rect, placement, body) else { return false }
    }
    return true
  }

  /// The right edge of the rightmost frame and the bottom edge of the lowest, among frames whose
  /// items still exist; nil if there are none.
  ///
  /// - Parameter isWhole: whether no item is gone.
  /// - Parameter work: told of the slots. Once it has stopped, the result must not be used.
  /// - Parameter frame: returns the frame in a slot; nil if its item is gone.
  /// - Complexity: O(1) if no item is gone and boxes are exact; else O(log n + g) for g slots whose
  ///   items are gone, if these are few.
  func farCorner(isWhole: Bool, work: LayoutWork, frame: (Int) -> Rect?) -> Point? {
    guard levelCount > 0 else { return nil }
    if isWhole, hasExactBoxes {
      let box = box(of: 0, levelCount - 1, seenBy: nil)
      return Point(x: box.z, y: box.w)
    }
    var corner: Point?
    _ = search(levelCount - 1, 0, &corner, work, frame)
    return corner
  }

  /// - Returns: whether to go on.
  private func search(
    _ level: Int,
    _ node: Int,
    _ corner: inout Point?,
    _ work: LayoutWork,
    _ frame: (Int) -> Rect?
  ) -> Bool {
    let box = box(of: node, level, seenBy: nil)
    if let corner, box.z <= corner.x, box.w <= corner.y { return true }
    let children = children(of: node, level)
    guard work.proceed(children.count) else { return false }
    for child in children {
      if level > 0 {
        guard search(level - 1, child, &corner, work, frame) else { return false }
      } else if let frame = frame(child) {
        corner = Point(
          x: max(corner?.x ?? frame.maxX, frame.maxX),
          y: max(corner?.y ?? frame.maxY, frame.maxY)
        )
      }
    }
    return true
  }
}
