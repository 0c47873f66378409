// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// A packed R-tree: items in the order of a Hilbert curve through their positions, with sixteen
/// items to a leaf and sixteen nodes to a node above.
///
/// Positions are those of `SpatialPlacement`, so that the index of a map serves every zoom. It
/// takes about 22 bytes for each item, and 8 more if sizes differ.
final class SpatialIndex: Sendable {
  /// What boxes are around.
  enum BoxContent: Sendable {
    /// Items whose positions are their upper left corners.
    case corners
    /// The frames of items as they are placed at the only zoom that there is.
    case frames(SpatialPlacement)
    /// Positions: at each zoom frames are elsewhere.
    case positions
  }

  /// The position in each slot.
  let positions: [SIMD2<Double>]
  /// The ordinal of the item in each slot, counted in the contents for which the layer was made or
  /// last renumbered; `gone` if the item was gone by then.
  let ordinals: [UInt32]
  /// The curve by whose keys slots are ordered, the same for all layers; nil = there are no
  /// clusters, and each index has a curve of its own.
  let curve: CurveGrid?
  /// The key of the first slot of each leaf; empty if there are no clusters.
  let leafKeys: [UInt64]
  private let sizes: SizeColumn
  let content: BoxContent
  private let tree: BoxTree

  static let fanOut = 16
  /// An ordinal that no item has.
  static let gone = UInt32.max

  /// Makes an index of items.
  ///
  /// - Parameter curve: orders the items, if there are clusters; nil = any curve will do.
  /// - Parameter content: what boxes enclose.
  /// - Parameter isOrdered: whether items stay in the order that they have. There are no clusters
  ///   then.
  /// - Parameter work: told of the items. Once it has stopped, the index is empty.
  /// - Complexity: O(n)
  init(
    _ entries: consuming SpatialEntries,
    curve: CurveGrid?,
    content: BoxContent,
    isOrdered: Bool = false,
    work: LayoutWork
  ) {
    let keys =
      isOrdered
      ? entries.keepOrder()
      : entries.sort(
        along: curve ?? CurveGrid(around: entries.box),
        keysEach: curve == nil ? nil : Self.fanOut,
        work: work
      )
    if keys == nil { entries = SpatialEntries() }
    leafKeys = keys ?? []
    positions = entries.positions
    ordinals = entries.ordinals
    sizes = entries.sizes
    self.curve = curve
    self.content = content
    tree = BoxTree(positions, sizes, content, fanOut: Self.fanOut)
  }

  private init(_ index: SpatialIndex, ordinals: [UInt32]) {
    positions = index.positions
    self.ordinals = ordinals
    curve = index.curve
    leafKeys = index.leafKeys
    sizes = index.sizes
    content = index.content
    tree = index.tree
  }

  /// The same items with other ordinals, slot by slot.
  func renumbered(_ ordinals: [UInt32]) -> SpatialIndex {
    SpatialIndex(self, ordinals: ordinals)
  }

  // MARK: - Items

  var count: Int { ordinals.count }

  /// The greatest width and the greatest height of all items.
  var largestSize: Size { sizes.largest }

  /// The size of the item in a slot; nil if the index does not know it exactly.
  func size(at slot: Int) -> Size? { sizes.size(at: slot) }

  /// The key of the item in a slot; 0 if there are no clusters.
  func key(at slot: Int) -> UInt64 { curve?.key(of: positions[slot]) ?? 0 }

  var byteCount: Int {
    count * (MemoryLayout<SIMD2<Double>>.stride + MemoryLayout<UInt32>.stride) + sizes.byteCount
      + tree.byteCount + leafKeys.count * MemoryLayout<UInt64>.stride
  }

  // MARK: - Nodes

  /// How many leaves a rect of a size touches, in proportion: the sum over all leaves of the area
  /// in which the corner of a rect may lie that touches it.
  func leavesTouched(by size: Size) -> Double {
    (0 ..< (tree.levelCount > 0 ? tree.count(at: 0) : 0)).reduce(0) { sum, leaf in
      let box = tree.box(of: leaf, 0)
      return sum + (box.z - box.x + size.width) * (box.w - box.y + size.height)
    }
  }

  /// The number of levels of nodes, from the leaves to the root.
  var levelCount: Int { tree.levelCount }

  /// The box around what boxes are around, of some slots; nil if the index is empty.
  ///
  /// - Complexity: O(log n)
  func tightBox(around slots: Range<Int>) -> SIMD4<Double>? {
    guard levelCount > 0 else { return nil }
    return tree.box(around: slots, fanOut: Self.fanOut) {
      BoxTree.itemBox(at: $0, positions, sizes, content)
    }
  }

  /// A box that holds the frames in some slots, as left, top, right and bottom; empty if there are
  /// none.
  ///
  /// - Parameter placement: how frames are placed.
  /// - Complexity: O(log n)
  func frameBox(around slots: Range<Int>, seenBy placement: SpatialPlacement) -> SIMD4<Double> {
    guard levelCount > 0 else { return .emptyBox }
    var box = SIMD4<Double>.emptyBox
    tree.forEachPart(of: slots, fanOut: Self.fanOut) { node, level in
      let own = level.map { tree.box(of: node, $0) } ?? ownBox(ofSlot: node)
      guard case .positions = content else {
        box = box.box(with: own)
        return
      }
      var largest = SIMD2(largestSize.width, largestSize.height)
      if !sizes.isUniform {
        largest = level.map { tree.largestSize(of: node, $0) } ?? sizes.bound(at: node)
      }
      box = box.box(with: placement.box(aroundFramesAt: own, largest: largest))
    }
    return box
  }

  /// Whether `box(of:_:seenBy:)` is exactly the box around the frames of a node. Otherwise it may
  /// be larger.
  var hasExactBoxes: Bool {
    switch content {
    case .corners, .frames: sizes.isExact
    case .positions: sizes.isUniform
    }
  }

  /// The left, top, right and bottom edge of a node in content coordinates.
  ///
  /// - Parameter placement: how frames are placed; nil = as they were when the index was made.
  func box(of node: Int, _ level: Int, seenBy placement: SpatialPlacement?) -> SIMD4<Double> {
    let box = tree.box(of: node, level)
    guard case .positions = content, let placement else { return box }
    if sizes.isUniform { return placement.exactBox(aroundFramesAt: box, size: largestSize) }
    return placement.box(aroundFramesAt: box, largest: tree.largestSize(of: node, level))
  }

  /// Whether a node may have frames that touch a rect.
  ///
  /// - Parameter rect: left, top, right and bottom.
  @inline(__always)
  func mayTouch(
    _ rect: SIMD4<Double>,
    _ node: Int,
    _ level: Int,
    seenBy placement: SpatialPlacement?
  ) -> Bool {
    var box = tree.box(of: node, level)
    if case .positions = content, let placement {
      let largest =
        sizes.isUniform
        ? SIMD2(largestSize.width, largestSize.height) : tree.largestSize(of: node, level)
      box = placement.box(aroundFramesAt: box, largest: largest)
    }
    return box.x <= rect.z && box.y <= rect.w && box.z >= rect.x && box.w >= rect.y
  }

  /// The box around what the boxes are around, of a node.
  func ownBox(_ node: Int, _ level: Int) -> SIMD4<Double> { tree.box(of: node, level) }

  /// The box around what the boxes are around, of one item.
  func ownBox(ofSlot slot: Int) -> SIMD4<Double> {
    BoxTree.itemBox(at: slot, positions, sizes, content)
  }

  /// The number of slots below each node of a level, but for the last one.
  func slotCount(ofLevel level: Int) -> Int {
    var slots = 1
    for _ in 0 ... level { slots *= Self.fanOut }
    return slots
  }

  /// All slots below a node.
  func slots(below node: Int, _ level: Int) -> Range<Int> {
    let slots = slotCount(ofLevel: level)
    return node * slots ..< min((node + 1) * slots, count)
  }

  /// The slots of a leaf, or the nodes below another node.
  func children(of node: Int, _ level: Int) -> Range<Int> {
    let below = level == 0 ? count : tree.count(at: level - 1)
    return node * Self.fanOut ..< min((node + 1) * Self.fanOut, below)
  }
}

extension CurveGrid {
  /// The finest grid over a box: left, top, right and bottom. The empty box counts as a point.
  init(around box: SIMD4<Double>) {
    let isEmpty = box.x > box.z
    self.init(from: isEmpty ? .zero : box.lowHalf, to: isEmpty ? .zero : box.highHalf)
  }
}
