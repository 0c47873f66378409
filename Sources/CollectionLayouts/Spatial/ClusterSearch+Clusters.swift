// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

// What a cluster shows of its items.
extension ClusterSearch {
  typealias Cluster = ClusterMemory.Cluster

  /// The cluster of a cell.
  ///
  /// - Parameter firstKey: the least key of the cell.
  /// - Parameter count: the number of its items.
  /// - Parameter visit: told of the steps, and returns whether to go on.
  /// - Returns: nil = it must not go on.
  func cluster(
    from firstKey: UInt64,
    _ members: Members,
    count: Int,
    _ visit: (Int) -> Bool
  ) -> Cluster? {
    let mayTakeLong = members.slotCount >= spatial.limits.clusterSteps
    let key = ClusterMemory.Key(layout: spatial.layout, firstKey: firstKey)
    if mayTakeLong, let known = spatial.memory.cluster(key) { return known }
    var steps = 0
    func proceed(_ count: Int) -> Bool {
      steps += count
      return visit(count)
    }
    guard let bounds = bounds(of: members, count: count, proceed) else { return nil }
    var cluster = Cluster(representative: nil, bounds: bounds)
    guard findRepresentative(of: &cluster, members, proceed) else { return nil }
    if mayTakeLong, steps >= spatial.limits.clusterSteps / 4 {
      spatial.memory.keep(cluster, as: key)
    }
    return cluster
  }

  /// Finds the item with the least key in a cell, and of several the first.
  ///
  /// - Returns: whether to go on.
  private func findRepresentative(
    of cluster: inout Cluster,
    _ members: Members,
    _ proceed: (Int) -> Bool
  ) -> Bool {
    var first: (key: UInt64, ordinal: Int)?
    func include(_ key: UInt64, _ ordinal: Int) {
      if let first, first <= (key, ordinal) { return }
      first = (key, ordinal)
    }
    for (layer, slots) in zip(spatial.layers, members.slots) {
      for slot in slots {
        if let ordinal = layer.currentOrdinal(inSlot: slot) {
          include(layer.index.key(at: slot), ordinal)
          break
        }
        if slot % SpatialIndex.fanOut == 0, !proceed(SpatialIndex.stepsPerLeaf) { return false }
      }
    }
    for rank in members.added {
      guard let item = spatial.added[rank],
        let ordinal = spatial.pieces.currentOrdinal(ofAdded: rank)
      else { continue }
      include(item.key, ordinal)
    }
    cluster.representative = first.map { spatial.ordinals.indexPath(at: $0.ordinal) }
    return true
  }

  /// The rect around the frames of all items of a cell.
  ///
  /// - Returns: nil = it must not go on.
  private func bounds(of members: Members, count: Int, _ proceed: (Int) -> Bool) -> Rect? {
    var bounds: SpatialIndex.Bounds?
    for rank in members.added {
      guard let frame = spatial.added[rank].map({ spatial.placement.frame(of: $0) }) else {
        continue
      }
      bounds = bounds?.union(SpatialIndex.Bounds(frame)) ?? SpatialIndex.Bounds(frame)
    }
    let isWhole = spatial.sampling != nil || members.slotCount + members.added.count == count
    for (layer, slots) in zip(spatial.layers, members.slots) where !slots.isEmpty {
      if isWhole, let exact = layer.index.exactBounds(of: slots, seenBy: spatial.placement) {
        bounds = bounds?.union(exact) ?? exact
      } else {
        let isDone = layer.index.extend(
          &bounds,
          around: slots,
          seenBy: spatial.placement,
          visit: proceed
        ) { spatial.indexedFrame(in: layer, $0) }
        guard isDone else { return nil }
      }
    }
    return bounds?.rect ?? .zero
  }

  /// The attributes of a cell's cluster.
  ///
  /// - Parameter sample: how many items were looked at.
  func attributes(
    of cluster: Cluster,
    in cell: @autoclosure () -> ClusterGrid.Square,
    count: Int,
    sample: Int
  ) -> LayoutAttributes {
    LayoutAttributes(
      frame: clusters.fillsCells
        ? grid.frame(of: cell())
        : spatial.placement.frame(size: size(ofCount: count), inMiddleOf: cluster.bounds),
      zIndex: 1,
      custom: custom(count, sample: sample, cluster.bounds)
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

  /// The size of a cluster of so many items, unless it fills its cell.
  func size(ofCount count: Int) -> Size {
    let growth = clusters.growth * Double(max(count, 1)).naturalLogarithm / 10.0.naturalLogarithm
    return Size(width: clusters.size.width + growth, height: clusters.size.height + growth)
  }
}
