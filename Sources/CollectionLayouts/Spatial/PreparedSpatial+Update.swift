// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedSpatial {
  /// The layout of the changed contents with the same indices, or with few new ones. nil if the
  /// change does not fit the layout, or if it is so large that preparing everything takes less
  /// time.
  ///
  /// - Parameter layout: has the same basis as the one that was prepared.
  /// - Parameter work: told of the items by the thousand. Once it has stopped, the result must not
  ///   be used.
  func updated(
    by change: ContentsChange,
    layout: SpatialLayout,
    context: LayoutContext,
    work: LayoutWork
  ) -> PreparedSpatial? {
    let newOrdinals = ItemOrdinals(change.new)
    let splices = change.itemSplices(from: ordinals, to: newOrdinals)
    let newCount = splices.reduce(0) { $0 + $1.new.count }
    // Clusters have to count the items that are gone as well.
    let oldCount = counts == nil ? 0 : splices.reduce(0) { $0 + $1.old.count }
    guard sampling == nil, max(newCount, oldCount) <= max(limits.unindexed, newOrdinals.count / 4),
      layers.count <= limits.layers,
      (counts?.count ?? 0) <= max(limits.counts, newOrdinals.count / 4)
    else { return nil }

    var steps = StepBatch(work)
    var (keys, corner) = gone(splices, &steps)
    // The added items: those that the splices keep, and those that they insert.
    var items: [PlacedItem?] = []
    items.reserveCapacity(added.count + newCount)
    var (left, inserted) = (KeyChanges(), KeyChanges())
    var copied = 0
    var reader = PlacedItemReader(change.new, placement)
    for splice in splices {
      if !added.isEmpty {
        let kept = added[copied ..< pieces.addedCount(ofFirst: splice.old.lowerBound)]
        for case let item? in kept { left.add(-1, at: item.key) }
        items += kept
        copied = pieces.addedCount(ofFirst: splice.old.upperBound)
      }
      newOrdinals.forEach(in: splice.new) { _, path in
        let item = reader.item(at: path)
        items.append(item)
        if let item {
          inserted.add(1, at: item.key)
          corner = corner.map { placement.farCorner($0, with: item) }
        }
        return steps.proceed()
      }
      if work.isStopped { return self }
    }
    for case let item? in added[copied...] { left.add(-1, at: item.key) }
    items += added[copied...]

    var newPieces = pieces
    newPieces.replace(splices)
    guard newPieces.totals.current == newOrdinals.count, newPieces.totals.added == items.count
    else { return nil }
    let map =
      splices.count < SpatialLayer.manySplices ? nil : OrdinalMap(splices, count: ordinals.count)
    var state = SpatialState(
      layers: layers.map { $0.updated(by: splices, map, work: work) },
      pieces: newPieces,
      added: items,
      counts: counts
    )
    // The ordinals of layers are current only if the work went on to here.
    if work.isStopped { return self }
    let isIndexed = state.tidy(within: limits, placement, work, &keys) { ordinal in
      reader.item(at: newOrdinals.indexPath(at: ordinal))?.size ?? .zero
    }
    if work.isStopped { return self }
    // What is in an index need not be counted.
    keys.add(isIndexed ? left : inserted)
    state.counts?.add(keys)
    return PreparedSpatial(
      layout,
      context,
      ordinals: newOrdinals,
      state: state,
      limits: limits,
      farCorner: corner,
      work: work
    )
  }

  /// Where an item is; nil if it has no place.
  func item(at path: IndexPath, in contents: CollectionContents) -> PlacedItem? {
    var reader = PlacedItemReader(contents, placement)
    return reader.item(at: path)
  }

  /// What the items that splices take away leave: changes of the counts, if there are clusters, and
  /// the far corner, if none of the items reached it; nil = that is not known.
  private func gone(
    _ splices: [Splice],
    _ steps: inout StepBatch
  ) -> (keys: KeyChanges, corner: Point?) {
    var keys = KeyChanges()
    var corner = farCorner
    if splices.reduce(0, { $0 + $1.old.count }) > Self.mostGoneAtCorner { corner = nil }
    guard counts != nil || corner != nil else { return (keys, nil) }
    var reader = PlacedItemReader(context.contents, placement)
    for splice in splices {
      ordinals.forEach(in: splice.old) { _, path in
        guard let item = reader.item(at: path) else { return steps.proceed() }
        if counts != nil { keys.add(-1, at: item.key) }
        if let known = corner, placement.reaches(known, item) { corner = nil }
        return steps.proceed()
      }
    }
    return (keys, corner)
  }

  /// With more items gone than this, the far corner is searched for.
  private static let mostGoneAtCorner = 4096
}

extension SpatialPlacement {
  /// A far corner together with that of an item's frame.
  fileprivate func farCorner(_ corner: Point, with item: PlacedItem) -> Point {
    let frame = frame(of: item)
    return Point(x: max(corner.x, frame.maxX), y: max(corner.y, frame.maxY))
  }

  /// Whether an item's frame is one of those at a far corner.
  fileprivate func reaches(_ corner: Point, _ item: PlacedItem) -> Bool {
    let frame = frame(of: item)
    return frame.maxX >= corner.x || frame.maxY >= corner.y
  }
}

/// The layers of a spatial layout, and the items that are in none of them.
struct SpatialState {
  /// Each is much smaller than the one before, down to a size at which layers are not merged any
  /// more.
  var layers: [SpatialLayer]
  /// Tells which of the current items are added ones, that is, in no layer.
  var pieces: SpatialPieces
  /// The added items, in order; nil = the item has no place.
  var added: [PlacedItem?]
  /// By how much the numbers of items differ from the layers' slots, by key; nil = there are no
  /// clusters.
  var counts: ClusterCounts?

  /// Indexes the added items if there are many, and merges and renumbers layers if that pays.
  ///
  /// - Parameter keys: collects what has to be added to the counts, because slots of layers go.
  /// - Parameter size: returns the size of the item with a current ordinal.
  /// - Returns: whether the added items are in a layer now.
  mutating func tidy(
    within limits: SpatialLimits,
    _ placement: SpatialPlacement,
    _ work: LayoutWork,
    _ keys: inout KeyChanges,
    size: (Int) -> Size
  ) -> Bool {
    for place in layers.indices {
      let (pieces, count) = (layers[place].pieces, layers[place].index.count)
      if pieces.count > limits.pieces + count / 8
        || pieces.totals.dropped > limits.pieces + count / 2
      {
        layers[place] = layers[place].renumbered(work: work)
      }
    }
    if work.isStopped { return false }
    let isFull = added.count > limits.unindexed || pieces.count > 16 * limits.pieces
    // An index most of whose items are gone costs queries more than it saves.
    let worn = layers.firstIndex {
      $0.goneCount > limits.pieces && $0.goneCount > $0.index.count / 4 * 3
    }
    guard isFull || worn != nil else { return false }
    indexAdded(from: worn, within: limits, placement, work, &keys, size)
    return true
  }

  /// Indexes the added items as a new layer, merged with older layers that are about as large.
  ///
  /// - Parameter worn: a layer that must be merged, with all layers behind it.
  private mutating func indexAdded(
    from worn: Int?,
    within limits: SpatialLimits,
    _ placement: SpatialPlacement,
    _ work: LayoutWork,
    _ keys: inout KeyChanges,
    _ size: (Int) -> Size
  ) {
    var items = SpatialEntries()
    var steps = StepBatch(work)
    for (item, ordinal) in zip(added, pieces.addedOrdinals()) {
      guard steps.proceed() else { return }
      guard let item else { continue }
      items.append(ordinal, at: item.position, size: item.size)
    }
    while let last = layers.last {
      let total = items.count + last.index.count
      let isWorn = worn.map { $0 < layers.count } ?? false
      guard isWorn || (total <= limits.merged && last.index.count <= 4 * items.count) else { break }
      layers.removeLast()
      let ordinals = last.currentOrdinals(work: work)
      // Otherwise they may be those of the contents before, which had more items.
      guard !work.isStopped else { return }
      for (slot, ordinal) in ordinals.enumerated() {
        guard steps.proceed() else { return }
        guard ordinal != SpatialIndex.gone else {
          keys.add(1, at: last.index.key(at: slot))
          continue
        }
        items.append(
          Int(ordinal),
          at: last.index.positions[slot],
          size: last.index.size(at: slot) ?? size(Int(ordinal))
        )
      }
    }
    pieces = SpatialPieces(count: pieces.totals.current)
    added = []
    guard items.count > 0 else { return }
    layers.append(SpatialLayer(SpatialIndex(items, placement, work: work), pieces: pieces))
  }
}

extension ContentsChange {
  /// What changed, over the ordinals of all items of all sections: sorted and disjoint.
  ///
  /// - Complexity: O(splices · log splices)
  func itemSplices(from old: ItemOrdinals, to new: ItemOrdinals) -> [Splice] {
    itemSplices(oldStart: { old.starts[$0] }, newStart: { new.starts[$0] })
  }
}
