// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// A packed R-tree: frames in the order of a Hilbert curve, with sixteen frames to a leaf and
/// sixteen nodes to a node above.
///
/// It takes about 22 bytes for each item, and 8 more if sizes differ.
final class SpatialIndex: Sendable {
  /// The left edge of the frame in each slot.
  let xs: [Double]
  /// The top edge of the frame in each slot.
  let ys: [Double]
  /// The ordinal of the item in each slot, counted in the contents for which the layer was made or last
  /// renumbered; `gone` if the item was gone by then.
  let ordinals: [UInt32]
  /// The key of the item's position in each slot, by which slots are ordered; empty if there are no clusters.
  let keys: [UInt64]
  /// The greatest width and the greatest height of all frames.
  let largestSize: Size
  private let sizes: Sizes

  /// The sizes of the frames by slot.
  private enum Sizes: Sendable {
    /// All frames have the largest size.
    case uniform
    /// 32-bit floats hold all sizes exactly.
    case exact([SIMD2<Float>])
    /// 32-bit floats do not hold all sizes exactly. Exact sizes are read from the
    /// contents.
    case unknown
  }

  /// The box of each node as left, top, right and bottom: first the leaves from left to right, then
  /// the level above, and so on to the root.
  private let boxes: [SIMD4<Double>]
  /// The index in `boxes` at which each level starts, the leaves first.
  private let levels: [Int]

  static let fanOut = 16
  /// An ordinal that no item has.
  static let gone = UInt32.max

  var count: Int { ordinals.count }

  var byteCount: Int {
    count * (2 * MemoryLayout<Double>.stride + MemoryLayout<UInt32>.stride)
      + boxes.count * MemoryLayout<SIMD4<Double>>.stride + sizesByteCount
      + keys.count * MemoryLayout<UInt64>.stride
  }

  /// Makes an index of frames.
  ///
  /// - Parameter sizes: one for all frames, or one for each.
  /// - Parameter keys: those of the items' positions, if there are clusters. Otherwise empty: frames are
  ///   ordered by their origins.
  /// - Parameter isOrdered: whether frames stay in the order that they have.
  /// - Parameter work: told of the frames. Once it has stopped, the index may be empty.
  /// - Complexity: O(n)
  init(
    xs: [Double],
    ys: [Double],
    ordinals: [UInt32],
    sizes: [Size],
    keys: [UInt64],
    isOrdered: Bool = false,
    work: LayoutWork
  ) {
    let order =
      if isOrdered {
        xs.indices.map { UInt32(truncatingIfNeeded: $0) }
      } else if keys.isEmpty {
        Self.hilbertOrder(xs: xs, ys: ys, work: work)
      } else {
        Self.order(of: keys, ordinals: ordinals, work: work)
      }
    func size(_ index: Int) -> Size { sizes.count == 1 ? sizes[0] : sizes[index] }
    self.xs = order.map { xs[Int($0)] }
    self.ys = order.map { ys[Int($0)] }
    self.ordinals = order.map { ordinals[Int($0)] }
    self.keys = keys.isEmpty ? [] : order.map { keys[Int($0)] }
    largestSize = Size(
      width: sizes.reduce(0) { max($0, $1.width) },
      height: sizes.reduce(0) { max($0, $1.height) }
    )

    if sizes.count <= 1 {
      self.sizes = .uniform
    } else {
      let floats = order.map { index in
        SIMD2(Float(sizes[Int(index)].width), Float(sizes[Int(index)].height))
      }
      let isExact = order.indices.allSatisfy { slot in
        let size = sizes[Int(order[slot])]
        return Double(floats[slot].x) == size.width && Double(floats[slot].y) == size.height
      }
      self.sizes = isExact ? .exact(floats) : .unknown
    }

    var boxes: [SIMD4<Double>] = []
    var levels = [0]
    boxes.reserveCapacity(order.count / 15 + 2)
    for start in stride(from: 0, to: order.count, by: Self.fanOut) {
      var box = Self.emptyBox
      for slot in start ..< min(start + Self.fanOut, order.count) {
        let size = size(Int(order[slot]))
        let (x, y) = (self.xs[slot], self.ys[slot])
        box = Self.union(box, [x, y, x + size.width, y + size.height])
      }
      boxes.append(box)
    }
    while boxes.count - levels[levels.count - 1] > 1 {
      let below = levels[levels.count - 1] ..< boxes.count
      levels.append(boxes.count)
      for start in stride(from: below.lowerBound, to: below.upperBound, by: Self.fanOut) {
        var box = Self.emptyBox
        for child in start ..< min(start + Self.fanOut, below.upperBound) {
          box = Self.union(box, boxes[child])
        }
        boxes.append(box)
      }
    }
    self.boxes = boxes
    self.levels = levels
  }

  /// The same frames with other ordinals.
  private init(_ index: SpatialIndex, ordinals: [UInt32]) {
    xs = index.xs
    ys = index.ys
    keys = index.keys
    self.ordinals = ordinals
    largestSize = index.largestSize
    sizes = index.sizes
    boxes = index.boxes
    levels = index.levels
  }

  /// The same frames with other ordinals, slot by slot.
  func renumbered(_ ordinals: [UInt32]) -> SpatialIndex {
    SpatialIndex(self, ordinals: ordinals)
  }

  private var sizesByteCount: Int {
    if case .exact(let sizes) = sizes { sizes.count * MemoryLayout<SIMD2<Float>>.stride } else { 0 }
  }

  /// The size of the frame in a slot; nil if the index does not know it.
  func size(at slot: Int) -> Size? {
    switch sizes {
    case .uniform: return largestSize
    case .exact(let sizes):
      let size = sizes[slot]
      return Size(width: Double(size.x), height: Double(size.y))
    case .unknown: return nil
    }
  }

  /// The right edge of the rightmost frame and the bottom edge of the lowest; nil if there are no
  /// frames.
  var farCorner: Point? { boxes.last.map { Point(x: $0.z, y: $0.w) } }

  /// How many leaves a rect of a size touches, in proportion: the sum over all leaves of the area in which the
  /// corner of a rect may lie that touches it.
  func leavesTouched(by size: Size) -> Double {
    boxes.prefix(levels.count > 1 ? levels[1] : boxes.count).reduce(0) { sum, box in
      sum + (box.z - box.x + size.width) * (box.w - box.y + size.height)
    }
  }

  /// Calls `body` with the slots of every leaf whose box touches `rect`, until it returns false.
  /// The slots hold all frames that meet the rect, and others.
  ///
  /// - Complexity: O(log n + k) for k slots, as long as frames do not overlap much.
  func forEachLeaf(touching rect: Rect, _ body: (Range<Int>) -> Bool) {
    guard let root = boxes.last else { return }
    let rect: SIMD4<Double> = [rect.minX, rect.minY, rect.maxX, rect.maxY]
    if Self.touches(root, rect) { _ = visit(levels.count - 1, 0, rect, body) }
  }

  private func visit(
    _ level: Int,
    _ node: Int,
    _ rect: SIMD4<Double>,
    _ body: (Range<Int>) -> Bool
  ) -> Bool {
    let children = children(of: node, level)
    guard level > 0 else { return body(children) }
    let start = levels[level - 1]
    for child in children where Self.touches(boxes[start + child], rect) {
      guard visit(level - 1, child, rect, body) else { return false }
    }
    return true
  }

  @inline(__always)
  private static func touches(_ box: SIMD4<Double>, _ rect: SIMD4<Double>) -> Bool {
    box.x <= rect.z && box.y <= rect.w && box.z >= rect.x && box.w >= rect.y
  }

  /// The far corner of those frames whose items are still there.
  ///
  /// - Parameter frame: returns the frame in a slot; nil if its item is gone.
  /// - Complexity: O(log n + g) for g slots whose items are gone, if these are few.
  func farCorner(frame: (Int) -> Rect?) -> Point? {
    guard !boxes.isEmpty else { return nil }
    var corner: Point?
    search(levels.count - 1, 0, &corner, frame)
    return corner
  }

  private func search(
    _ level: Int,
    _ node: Int,
    _ corner: inout Point?,
    _ frame: (Int) -> Rect?
  ) {
    let box = boxes[levels[level] + node]
    if let corner, box.z <= corner.x, box.w <= corner.y { return }
    for child in children(of: node, level) {
      if level > 0 {
        search(level - 1, child, &corner, frame)
      } else if let frame = frame(child) {
        corner = Point(
          x: max(corner?.x ?? frame.maxX, frame.maxX),
          y: max(corner?.y ?? frame.maxY, frame.maxY)
        )
      }
    }
  }

  /// The number of levels of nodes, from the leaves to the root.
  var levelCount: Int { boxes.isEmpty ? 0 : levels.count }

  /// The left, top, right and bottom edge of a node.
  func box(of node: Int, _ level: Int) -> SIMD4<Double> { boxes[levels[level] + node] }

  /// All slots below a node.
  func slots(below node: Int, _ level: Int) -> Range<Int> {
    var slots = 1
    for _ in 0 ... level { slots *= Self.fanOut }
    return node * slots ..< min((node + 1) * slots, count)
  }

  /// The slots of a leaf, or the nodes below another node.
  func children(of node: Int, _ level: Int) -> Range<Int> {
    let below = level == 0 ? count : levels[level] - levels[level - 1]
    return node * Self.fanOut ..< min((node + 1) * Self.fanOut, below)
  }

  private static let emptyBox: SIMD4<Double> = [.infinity, .infinity, -.infinity, -.infinity]

  private static func union(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
    [min(a.x, b.x), min(a.y, b.y), max(a.z, b.z), max(a.w, b.w)]
  }

  /// The order of the items by their keys, and of those with equal keys by their ordinals; empty if the work
  /// has stopped.
  private static func order(of keys: [UInt64], ordinals: [UInt32], work: LayoutWork) -> [UInt32] {
    var order = KeyOrder.order(of: keys, work: work)
    var start = 0
    while start < order.count {
      let key = keys[Int(order[start])]
      var end = start + 1
      var isSorted = true
      while end < order.count, keys[Int(order[end])] == key {
        if ordinals[Int(order[end])] < ordinals[Int(order[end - 1])] { isSorted = false }
        end += 1
      }
      if !isSorted {
        order[start ..< end].sort { ordinals[Int($0)] < ordinals[Int($1)] }
      }
      start = end
    }
    return order
  }

  /// A coordinate on the curve's grid. Rounding may carry the last one beyond the grid, and infinite
  /// origins give infinite numbers and NaN, so all are cut off; NaN counts as 0.
  @inline(__always)
  private static func cell(_ coordinate: Double) -> UInt32 {
    coordinate > 0 ? UInt32(min(coordinate, 0xFFFF_FFFE)) : 0
  }

  /// The order of the frames along a Hilbert curve, by their origins; empty if the work has stopped.
  private static func hilbertOrder(xs: [Double], ys: [Double], work: LayoutWork) -> [UInt32] {
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
    else { return [] }
    // On an axis on which all points are at about the same place, the order does not matter.
    let scaleX = right - left > 1e-9 ? 0xFFFF_FFFE / (right - left) : 0
    let scaleY = bottom - top > 1e-9 ? 0xFFFF_FFFE / (bottom - top) : 0
    let curve = HilbertOrder.standard
    var keys: [UInt64] = []
    keys.reserveCapacity(xs.count)
    while keys.count < xs.count {
      let part = keys.count ..< min(keys.count + 65_536, xs.count)
      for index in part {
        keys.append(
          curve.distance(
            Self.cell((xs[index] - left) * scaleX),
            Self.cell((ys[index] - top) * scaleY)
          )
        )
      }
      guard work.proceed(part.count) else { return [] }
    }
    return KeyOrder.order(of: keys, work: work)
  }
}
