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
  let spatial: PreparedSpatial
  let clusters: SpatialLayout.Clusters
  let grid: ClusterGrid
  private let counts: ClusterCounts

  /// nil = the layout has no clusters.
  init?(_ spatial: PreparedSpatial) {
    guard let clusters = spatial.layout.clusters, let grid = spatial.placement.cells,
      let counts = spatial.counts
    else { return nil }
    (self.spatial, self.clusters, self.grid, self.counts) = (spatial, clusters, grid, counts)
  }

  /// Where the items of a cell, or of a square of cells, are.
  struct Members {
    /// The slots in each layer.
    var slots: LayerValues<Range<Int>>
    /// The ranks of added items.
    var added: [Int]

    var isEmpty: Bool { added.isEmpty && slots.allSatisfy(\.isEmpty) }
    var slotCount: Int { slots.reduce(0) { $0 + $1.count } }
  }

  /// The cells whose elements may be in a rect.
  private struct Area {
    let rect: Rect
    /// The cells in which items may lie that reach into the rect, the largest ones included.
    let far: (first: ClusterGrid.Square, last: ClusterGrid.Square)
    /// The cells in the rect; nil = few more cells are in `far`.
    let near: (first: ClusterGrid.Square, last: ClusterGrid.Square)?
  }

  // MARK: - Queries

  /// Appends the clusters whose frames meet a rect, and the items of small cells.
  ///
  /// - Complexity: O(c · log n) for c cells in the rect, besides the items of small cells there, as
  ///   long as few items are gone, and few are as large as several cells.
  func appendElements(in rect: Rect, to buffer: inout ElementBuffer) {
    let everything = Members(
      slots: allSlots,
      added: spatial.added.indices.filter { spatial.added[$0] != nil }
    )
    _ = append(ClusterGrid.everything, everything, area(of: rect), to: &buffer)
  }

  private var allSlots: LayerValues<Range<Int>> {
    LayerValues(count: spatial.layers.count) { 0 ..< spatial.layers[$0].index.count }
  }

  private func area(of rect: Rect) -> Area {
    func cells(_ reach: Double) -> (first: ClusterGrid.Square, last: ClusterGrid.Square) {
      (
        grid.cell(at: Point(x: rect.minX - reach, y: rect.minY - reach)),
        grid.cell(at: Point(x: rect.maxX + reach, y: rect.maxY + reach))
      )
    }
    let reach = reach
    let isWide = reach > Self.cellsOfReach * grid.cellWidth
    let near = isWide ? cells(spatial.placement.slack) : nil
    return Area(rect: rect, far: cells(reach), near: near)
  }

  /// If items and clusters reach less far, all cells within reach are looked at.
  private static let cellsOfReach = 2.0

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

  /// Appends what the cells of a square show in an area.
  ///
  /// - Returns: whether to go on.
  private func append(
    _ square: ClusterGrid.Square,
    _ members: Members,
    _ area: Area,
    to buffer: inout ElementBuffer
  ) -> Bool {
    guard !members.isEmpty, square.meets(area.far.first, area.far.last) else { return true }
    if let near = area.near, !square.meets(near.first, near.last) {
      guard buffer.visit(Self.stepsPerBox * members.slots.count + members.added.count) else {
        return false
      }
      guard mayShow(members, in: area.rect) else { return true }
    }
    guard square.level < grid.level else {
      appendElements(of: square, members, in: area.rect, to: &buffer)
      return buffer.visit(1) && !buffer.isFull
    }
    guard buffer.visit(members.slots.count + members.added.count / 4) else { return false }
    var ends = QuarterEnds(of: square, members.slots)
    for quarter in square.quarters where quarter.meets(area.far.first, area.far.last) {
      let part = self.members(of: quarter, among: members, &ends)
      guard append(quarter, part, area, to: &buffer) else { return false }
    }
    return true
  }

  /// The box around some slots has a hundred parts or so.
  private static let stepsPerBox = 8

  /// Whether the items of a square that does not meet a rect, or a cluster of them, may reach into
  /// it. One large item would otherwise widen every query to all cells.
  private func mayShow(_ members: Members, in rect: Rect) -> Bool {
    var box = SIMD4<Double>.emptyBox
    for (layer, slots) in zip(spatial.layers, members.slots) where !slots.isEmpty {
      box = box.box(with: layer.index.frameBox(around: slots, seenBy: spatial.placement))
    }
    for rank in members.added {
      guard let frame = spatial.added[rank].map({ spatial.placement.frame(of: $0) }) else {
        continue
      }
      box = box.box(with: SIMD4(frame.minX, frame.minY, frame.maxX, frame.maxY))
    }
    // A cluster is in the middle of its items.
    let size = size(ofCount: Int(UInt32.max))
    let slack = spatial.placement.slack
    let (x, y) = (size.width / 2 + slack, size.height / 2 + slack)
    return box.x - x <= rect.maxX && box.y - y <= rect.maxY && box.z + x >= rect.minX
      && box.w + y >= rect.minY
  }

  // MARK: - Members

  /// The members of a square that are in one of its quarters.
  private func members(
    of quarter: ClusterGrid.Square,
    among members: Members,
    _ ends: inout QuarterEnds
  ) -> Members {
    let place = quarter.placeAlongCurve
    let slots = LayerValues(count: spatial.layers.count) { layer in
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
    let slots = LayerValues(count: members.slots.count) { layer in
      spatial.layers[layer].index.slots(of: keys, within: members.slots[layer])
    }
    return Members(slots: slots, added: added(members.added, in: keys))
  }

  // MARK: - Cells

  private func appendElements(
    of cell: ClusterGrid.Square,
    _ members: Members,
    in rect: Rect,
    to buffer: inout ElementBuffer
  ) {
    let keys = cell.keys
    let count = count(of: members, in: keys)
    if count >= clusters.minimumCount {
      let found = cluster(from: keys.lowerBound, members, count: count) { buffer.visit($0) }
      guard let found, let path = found.representative else { return }
      let attributes = attributes(of: found, in: cell, count: count, sample: members.slotCount)
      guard attributes.frame.meets(rect) else { return }
      let kind = spatial.kinds.kind(at: path)
      buffer.append(attributes, category: .cell, kind: kind, indexPath: path)
    } else if count > 0 {
      appendItems(members, in: rect, to: &buffer)
    }
  }

  /// Appends the items of a cell that is no cluster.
  private func appendItems(_ members: Members, in rect: Rect, to buffer: inout ElementBuffer) {
    let spatial = spatial
    for (layer, slots) in zip(spatial.layers, members.slots) {
      layer.index.forEachLeaf(touching: rect, within: slots, seenBy: spatial.placement) {
        spatial.appendItems(in: $0, of: layer, meeting: rect, to: &buffer)
      }
      guard !buffer.isFull else { return }
    }
    for rank in members.added { spatial.appendAdded(rank, meeting: rect, to: &buffer) }
  }

  /// The number of items in a cell.
  private func count(of members: Members, in keys: ClosedRange<UInt64>) -> Int {
    let count = members.slotCount + counts.difference(in: keys)
    return spatial.sampling?.estimate(count) ?? count
  }

  // MARK: - Single items

  /// The attributes of an item: its own, those of a cluster that it represents, or hidden ones in
  /// the middle of its cluster.
  ///
  /// - Parameter work: told of the steps.
  /// - Returns: nil = the work has stopped.
  /// - Complexity: that of one cell in a query.
  func attributes(
    of path: IndexPath,
    _ item: PlacedItem,
    work: LayoutWork
  ) -> LayoutAttributes? {
    let keys = grid.keys(around: item.key)
    let everything = Members(
      slots: allSlots,
      added: Array(spatial.added.indices)
    )
    guard work.proceed(everything.slots.count + everything.added.count / 4) else { return nil }
    let members = members(of: keys, among: everything)
    let count = count(of: members, in: keys)
    guard count >= clusters.minimumCount else {
      return LayoutAttributes(frame: spatial.placement.frame(of: item))
    }
    guard
      let found = cluster(from: keys.lowerBound, members, count: count, { work.proceed($0) })
    else { return nil }
    let cluster = attributes(
      of: found,
      in: grid.cell(ofKey: item.key),
      count: count,
      sample: members.slotCount
    )
    if found.representative == path { return cluster }
    return LayoutAttributes(
      frame: spatial.placement.frame(size: item.size, inMiddleOf: cluster.frame),
      alpha: 0,
      isHidden: true
    )
  }
}
