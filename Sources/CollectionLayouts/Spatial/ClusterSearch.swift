// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds the clusters of a spatial layout, and the items that are in none.
///
/// A query looks at the cells in a rect and counts their items without looking at each of them: a
/// cell is a range of slots in every layer.
///
/// A class, because each call would copy the layout that it looks at, which is a large value.
final class ClusterSearch {
  private let spatial: PreparedSpatial
  private let clusters: SpatialLayout.Clusters
  private let grid: ClusterGrid
  private let counts: ClusterCounts

  /// nil = the layout has no clusters.
  init?(_ spatial: PreparedSpatial) {
    guard let clusters = spatial.layout.clusters, let grid = spatial.placement.cells,
      let counts = spatial.counts
    else { return nil }
    (self.spatial, self.clusters, self.grid, self.counts) = (spatial, clusters, grid, counts)
  }

  /// Where the items of a cell, or of a square of cells, are.
  private struct Members {
    /// The slots in each layer.
    var slots: [Range<Int>]
    /// The ranks of added items.
    var added: [Int]

    var isEmpty: Bool { added.isEmpty && slots.allSatisfy(\.isEmpty) }
  }

  // MARK: - Queries

  /// Appends the clusters whose frames meet a rect, and the items of small cells.
  ///
  /// - Complexity: O(c · log n) for c cells in the rect, besides the items of small cells, as long
  ///   as few items are gone.
  func appendElements(in rect: Rect, to buffer: inout ElementBuffer) {
    let reach = reach
    let first = grid.cell(at: Point(x: rect.minX - reach, y: rect.minY - reach))
    let last = grid.cell(at: Point(x: rect.maxX + reach, y: rect.maxY + reach))
    let everything = Members(
      slots: spatial.layers.map { 0 ..< $0.index.count },
      added: spatial.added.indices.filter { spatial.added[$0] != nil }
    )
    _ = visit(ClusterGrid.everything, everything, from: first, to: last) { cell, members in
      appendElements(of: cell, members, in: rect, to: &buffer)
      return buffer.visit(1) && !buffer.isFull
    }
  }

  /// How far from a cell what it shows may reach, in points.
  private var reach: Double {
    var largest = Size.zero
    func include(_ size: Size) {
      largest.width = max(largest.width, size.width)
      largest.height = max(largest.height, size.height)
    }
    for layer in spatial.layers { include(layer.index.largestSize) }
    for case let item? in spatial.added { include(item.size) }
    let cluster = size(ofCount: Int(UInt32.max))
    return spatial.placement.reach(of: largest) + max(cluster.width, cluster.height) / 2
  }

  /// Calls `body` with every cell from `first` to `last` that has items, until it returns false.
  private func visit(
    _ square: ClusterGrid.Square,
    _ members: Members,
    from first: ClusterGrid.Square,
    to last: ClusterGrid.Square,
    _ body: (ClusterGrid.Square, Members) -> Bool
  ) -> Bool {
    guard !members.isEmpty, square.meets(first, last) else { return true }
    guard square.level < grid.level else { return body(square, members) }
    var ends = QuarterEnds(of: square, members.slots)
    for quarter in square.quarters where quarter.meets(first, last) {
      let part = self.members(of: quarter, among: members, &ends)
      guard visit(quarter, part, from: first, to: last, body) else { return false }
    }
    return true
  }

  /// The members of a square that are in one of its quarters.
  private func members(
    of quarter: ClusterGrid.Square,
    among members: Members,
    _ ends: inout QuarterEnds
  ) -> Members {
    let place = quarter.placeAlongCurve
    let slots = spatial.layers.indices.map { layer in
      ends.slots(ofQuarter: place, in: layer, of: spatial.layers[layer].index)
    }
    return Members(
      slots: slots,
      added: members.added.isEmpty ? [] : added(members.added, in: quarter.keys)
    )
  }

  private func added(_ ranks: [Int], in keys: ClosedRange<UInt64>) -> [Int] {
    ranks.filter { rank in spatial.added[rank].map { keys.contains($0.key) } ?? false }
  }

  private func members(of keys: ClosedRange<UInt64>, among members: Members) -> Members {
    let slots = zip(spatial.layers, members.slots).map { layer, slots in
      layer.index.slots(of: keys, within: slots)
    }
    return Members(slots: slots, added: added(members.added, in: keys))
  }

  private func appendElements(
    of cell: ClusterGrid.Square,
    _ members: Members,
    in rect: Rect,
    to buffer: inout ElementBuffer
  ) {
    let count = count(of: members, in: cell.keys)
    if count >= clusters.minimumCount {
      guard let path = representative(of: members) else { return }
      let attributes = attributes(of: cell, members, count: count)
      guard attributes.frame.meets(rect) else { return }
      let kind = spatial.kinds.kind(at: path)
      buffer.append(attributes, category: .cell, kind: kind, indexPath: path)
    } else if count > 0 {
      buffer.visit(members.slots.reduce(0) { $0 + $1.count })
      forEachItem(of: members) { path, frame in
        guard frame.meets(rect) else { return }
        let kind = spatial.kinds.kind(at: path)
        buffer.append(LayoutElement(category: .cell, kind: kind, indexPath: path, frame: frame))
      }
    }
  }

  // MARK: - Single items

  /// The attributes of an item: its own, those of a cluster that it represents, or hidden ones in
  /// the middle of its cluster.
  ///
  /// - Complexity: that of one cell in a query.
  func attributes(of path: IndexPath, _ item: PlacedItem) -> LayoutAttributes {
    let keys = grid.keys(around: item.key)
    let everything = Members(
      slots: spatial.layers.map { 0 ..< $0.index.count },
      added: Array(spatial.added.indices)
    )
    let members = members(of: keys, among: everything)
    let count = count(of: members, in: keys)
    guard count >= clusters.minimumCount else {
      return LayoutAttributes(frame: spatial.placement.frame(of: item))
    }
    let cluster = attributes(of: grid.cell(ofKey: item.key), members, count: count)
    if representative(of: members) == path { return cluster }
    return LayoutAttributes(
      frame: spatial.placement.frame(size: item.size, inMiddleOf: cluster.frame),
      alpha: 0,
      isHidden: true
    )
  }

  // MARK: - Cells

  /// The number of items in a cell.
  private func count(of members: Members, in keys: ClosedRange<UInt64>) -> Int {
    let count = members.slots.reduce(counts.difference(in: keys)) { $0 + $1.count }
    return spatial.sampling?.estimate(count) ?? count
  }

  /// The item with the least key in a cell, and of several the first; nil if there are no items.
  private func representative(of members: Members) -> IndexPath? {
    var first: (key: UInt64, ordinal: Int)?
    func include(_ key: UInt64, _ ordinal: Int) {
      if let first, first <= (key, ordinal) { return }
      first = (key, ordinal)
    }
    for (layer, slots) in zip(spatial.layers, members.slots) {
      for slot in slots {
        guard let ordinal = layer.currentOrdinal(inSlot: slot) else { continue }
        include(layer.index.key(at: slot), ordinal)
        break
      }
    }
    for rank in members.added {
      guard let item = spatial.added[rank],
        let ordinal = spatial.pieces.currentOrdinal(ofAdded: rank)
      else { continue }
      include(item.key, ordinal)
    }
    return first.map { spatial.ordinals.indexPath(at: $0.ordinal) }
  }

  /// The attributes of a cell's cluster.
  private func attributes(
    of cell: @autoclosure () -> ClusterGrid.Square,
    _ members: Members,
    count: Int
  ) -> LayoutAttributes {
    let slotCount = members.slots.reduce(0) { $0 + $1.count }
    var bounds: SpatialIndex.Bounds?
    for rank in members.added {
      guard let frame = spatial.added[rank].map({ spatial.placement.frame(of: $0) }) else {
        continue
      }
      bounds = bounds?.union(SpatialIndex.Bounds(frame)) ?? SpatialIndex.Bounds(frame)
    }
    let isWhole = spatial.sampling != nil || slotCount + members.added.count == count
    for (layer, slots) in zip(spatial.layers, members.slots) where !slots.isEmpty {
      if isWhole, let exact = layer.index.exactBounds(of: slots, seenBy: spatial.placement) {
        bounds = bounds?.union(exact) ?? exact
      } else {
        layer.index.extend(&bounds, around: slots, seenBy: spatial.placement) {
          spatial.indexedFrame(in: layer, $0)
        }
      }
    }
    let rect = bounds?.rect ?? .zero
    return LayoutAttributes(
      frame: clusters.fillsCells
        ? grid.frame(of: cell())
        : spatial.placement.frame(size: size(ofCount: count), inMiddleOf: rect),
      zIndex: 1,
      custom: custom(count, sample: slotCount, rect)
    )
  }

  private func custom(_ count: Int, sample: Int, _ rect: Rect) -> [String: CustomValue] {
    var custom: [String: CustomValue] = [
      SpatialLayout.ClusterAttribute.count: .number(Double(count)),
      SpatialLayout.ClusterAttribute.bounds: .object([
        "x": .number(rect.x), "y": .number(rect.y), "width": .number(rect.width),
        "height": .number(rect.height),
      ]),
    ]
    if let sampling = spatial.sampling, sampling.scale != 1 {
      custom[SpatialLayout.ClusterAttribute.sample] = .number(Double(sample))
    }
    return custom
  }

  private func size(ofCount count: Int) -> Size {
    let growth = clusters.growth * Double(max(count, 1)).naturalLogarithm / 10.0.naturalLogarithm
    return Size(width: clusters.size.width + growth, height: clusters.size.height + growth)
  }

  /// Calls `body` with the index paths and the frames of all items of a cell.
  private func forEachItem(of members: Members, _ body: (IndexPath, Rect) -> Void) {
    for (layer, slots) in zip(spatial.layers, members.slots) {
      for slot in slots {
        guard let ordinal = layer.currentOrdinal(inSlot: slot) else { continue }
        let path = spatial.ordinals.indexPath(at: ordinal)
        let size = layer.index.size(at: slot) ?? spatial.size(at: path)
        body(path, spatial.placement.frame(at: layer.index.positions[slot], size: size))
      }
    }
    for rank in members.added {
      guard let item = spatial.added[rank],
        let ordinal = spatial.pieces.currentOrdinal(ofAdded: rank)
      else { continue }
      body(spatial.ordinals.indexPath(at: ordinal), spatial.placement.frame(of: item))
    }
  }
}
