// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The boxes of a packed R-tree's nodes.
struct BoxTree: Sendable {
  /// The box of each node as left, top, right and bottom: first the leaves from left to right, then
  /// the level above, and so on to the root.
  private var boxes: [SIMD4<Double>] = []
  /// The greatest width and height of the items of each node, if boxes are of positions and sizes differ.
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
    boxes.reserveCapacity(positions.count / (fanOut - 1) + 2)
    let hasSizes: Bool
    switch content {
    case .positions:
      hasSizes = !sizes.isUniform
      addLeaves(positions, fanOut) { position, _ in SIMD4(lowHalf: position, highHalf: position) }
    case .corners:
      hasSizes = false
      addLeaves(positions, fanOut) { position, slot in
        SIMD4(lowHalf: position, highHalf: position + sizes.bound(at: slot))
      }
    case .frames(let placement):
      hasSizes = false
      addLeaves(positions, fanOut) { position, slot in
        guard let size = sizes.size(at: slot) else {
          let position = SIMD4(lowHalf: position, highHalf: position)
          return placement.box(aroundFramesAt: position, largest: sizes.bound(at: slot))
        }
        let frame = placement.frame(at: position, size: size)
        return [frame.minX, frame.minY, frame.maxX, frame.maxY]
      }
    }
    if hasSizes { addSizes(sizes.floats, fanOut) }
    while boxes.count - levels[levels.count - 1] > 1 { addLevel(fanOut, hasSizes: hasSizes) }
  }

  @inline(__always)
  private mutating func addLeaves(
    _ positions: [SIMD2<Double>],
    _ fanOut: Int,
    _ box: (SIMD2<Double>, Int) -> SIMD4<Double>
  ) {
    let positions = positions.span
    var slot = 0
    while slot < positions.count {
      let end = min(slot + fanOut, positions.count)
      var union = Self.empty
      while slot < end {
        union = Self.union(union, box(positions[slot], slot))
        slot += 1
      }
      boxes.append(union)
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
      boxes.append(boxes[children].reduce(Self.empty, Self.union))
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

  private static let empty: SIMD4<Double> = [.infinity, .infinity, -.infinity, -.infinity]

  @inline(__always)
  private static func union(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
    SIMD4(
      lowHalf: pointwiseMin(a.lowHalf, b.lowHalf),
      highHalf: pointwiseMax(a.highHalf, b.highHalf)
    )
  }
}
