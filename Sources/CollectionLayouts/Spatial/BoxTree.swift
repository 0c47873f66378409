// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The boxes of a packed R-tree's nodes.
struct BoxTree: Sendable {
  /// The box of each node as left, top, right and bottom: first the leaves from left to right, then
  /// the level above, and so on to the root.
  private var boxes: [SIMD4<Double>] = []
  /// The greatest width and height of the items of each node, if boxes are of positions and sizes
  /// differ.
  private var sizes: [SIMD2<Float>] = []
  /// The index in `boxes` at which each level starts, the leaves first.
  private var levels = [0]

  /// Makes the boxes around items.
  ///
  /// - Parameter positions: of the items, slot by slot.
  /// - Parameter sizes: of the items.
  /// - Parameter fanOut: the number of items to a leaf, and of nodes to a node above.
  /// - Complexity: O(n)
  init(
    _ positions: [SIMD2<Double>],
    _ sizes: SizeColumn,
    _ content: SpatialIndex.BoxContent,
    fanOut: Int
  ) {
    boxes.reserveLargePages(positions.count / (fanOut - 1) + 2)
    let hasSizes: Bool
    if case .positions = content { hasSizes = !sizes.isUniform } else { hasSizes = false }
    addLeaves(positions, sizes, content, fanOut)
    if hasSizes { addSizes(sizes.floats, fanOut) }
    while boxes.count - levels[levels.count - 1] > 1 { addLevel(fanOut, hasSizes: hasSizes) }
  }

  private mutating func addLeaves(
    _ positions: [SIMD2<Double>],
    _ sizes: SizeColumn,
    _ content: SpatialIndex.BoxContent,
    _ fanOut: Int
  ) {
    for start in stride(from: 0, to: positions.count, by: fanOut) {
      let slots = start ..< min(start + fanOut, positions.count)
      boxes.append(Self.box(of: slots, positions, sizes, content))
    }
  }

  /// The box around items that follow each other.
  @inline(__always)
  private static func box(
    of slots: Range<Int>,
    _ positions: [SIMD2<Double>],
    _ sizes: SizeColumn,
    _ content: SpatialIndex.BoxContent
  ) -> SIMD4<Double> {
    func positionBox() -> SIMD4<Double> {
      let positions = positions.span.extracting(slots)
      var box = SIMD4<Double>.emptyBox
      for index in positions.indices { box = box.box(with: positions[index]) }
      return box
    }
    switch content {
    case .positions: return positionBox()
    case .frames(let placement) where sizes.isUniform:
      return placement.exactBox(aroundFramesAt: positionBox(), size: sizes.largest)
    case .corners, .frames:
      return slots.reduce(.emptyBox) { $0.box(with: itemBox(at: $1, positions, sizes, content)) }
    }
  }

  /// The box around one item.
  static func itemBox(
    at slot: Int,
    _ positions: [SIMD2<Double>],
    _ sizes: SizeColumn,
    _ content: SpatialIndex.BoxContent
  ) -> SIMD4<Double> {
    let position = positions[slot]
    switch content {
    case .positions: return SIMD4(lowHalf: position, highHalf: position)
    case .corners: return SIMD4(lowHalf: position, highHalf: position + sizes.bound(at: slot))
    case .frames(let placement):
      guard let size = sizes.size(at: slot) else {
        let position = SIMD4(lowHalf: position, highHalf: position)
        return placement.box(aroundFramesAt: position, largest: sizes.bound(at: slot))
      }
      let frame = placement.frame(at: position, size: size)
      return [frame.minX, frame.minY, frame.maxX, frame.maxY]
    }
  }

  private mutating func addSizes(_ floats: [SIMD2<Float>], _ fanOut: Int) {
    for start in stride(from: 0, to: floats.count, by: fanOut) {
      sizes.append(floats[start ..< min(start + fanOut, floats.count)].reduce(.zero, pointwiseMax))
    }
  }

  private mutating func addLevel(_ fanOut: Int, hasSizes: Bool) {
    let below = levels[levels.count - 1] ..< boxes.count
    levels.append(boxes.count)
    for start in stride(from: below.lowerBound, to: below.upperBound, by: fanOut) {
      let children = start ..< min(start + fanOut, below.upperBound)
      boxes.append(boxes[children].reduce(.emptyBox) { $0.box(with: $1) })
      if hasSizes { sizes.append(sizes[children].reduce(.zero, pointwiseMax)) }
    }
  }

  // MARK: - Nodes

  /// The number of levels of nodes, from the leaves to the root.
  var levelCount: Int { boxes.isEmpty ? 0 : levels.count }

  /// The number of nodes of a level.
  func count(at level: Int) -> Int {
    (level + 1 < levels.count ? levels[level + 1] : boxes.count) - levels[level]
  }

  /// The left, top, right and bottom edge of a node.
  @inline(__always)
  func box(of node: Int, _ level: Int) -> SIMD4<Double> { boxes[levels[level] + node] }

  /// The greatest width and height of a node's items.
  ///
  /// - Precondition: boxes are of positions, and sizes differ.
  func largestSize(of node: Int, _ level: Int) -> SIMD2<Double> {
    SIMD2<Double>(sizes[levels[level] + node])
  }

  var byteCount: Int {
    boxes.count * MemoryLayout<SIMD4<Double>>.stride + sizes.count
      * MemoryLayout<SIMD2<Float>>.stride
  }

  /// The box around some items.
  ///
  /// - Parameter fanOut: with which the tree was made.
  /// - Parameter itemBox: returns the box around one of them.
  /// - Complexity: O(log n)
  func box(
    around slots: Range<Int>,
    fanOut: Int,
    _ itemBox: (Int) -> SIMD4<Double>
  ) -> SIMD4<Double> {
    var box = SIMD4<Double>.emptyBox
    forEachPart(of: slots, fanOut: fanOut) { index, level in
      box = box.box(with: level.map { self.box(of: index, $0) } ?? itemBox(index))
    }
    return box
  }

  /// Calls `body` with the largest nodes that make up some slots, and with the slots that are in
  /// none of them.
  ///
  /// - Parameter fanOut: with which the tree was made.
  /// - Parameter body: gets a node and its level, or a slot and nil.
  /// - Complexity: O(log n)
  @inline(__always)
  func forEachPart(of slots: Range<Int>, fanOut: Int, _ body: (Int, Int?) -> Void) {
    // Level by level: what lies before the first whole node of the level above, and behind the
    // last.
    var range = slots
    var level = -1
    while !range.isEmpty {
      let above =
        (range.lowerBound + fanOut - 1) / fanOut
        ..< max(
          (range.lowerBound + fanOut - 1) / fanOut,
          range.upperBound / fanOut
        )
      let hasAbove = !above.isEmpty && level + 1 < levels.count
      let before = range.lowerBound ..< (hasAbove ? above.lowerBound * fanOut : range.upperBound)
      let behind = (hasAbove ? above.upperBound * fanOut : range.upperBound) ..< range.upperBound
      for part in [before, behind] {
        for index in part { body(index, level < 0 ? nil : level) }
      }
      range = hasAbove ? above : 0 ..< 0
      level += 1
    }
  }
}
