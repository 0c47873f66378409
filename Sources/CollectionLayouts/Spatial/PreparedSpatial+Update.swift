// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedSpatial {
  /// The layout of the changed contents with the same indices, or with few new ones. nil if the
  /// change does not fit the layout, or if it is so large that preparing everything takes less time.
  ///
  /// - Parameter layout: has the same basis as the one that was prepared.
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

    // The added items: those that the splices leave, and those that the splices insert.
    var items: [PlacedItem?] = []
    items.reserveCapacity(added.count + newCount)
    var copied = 0
    for splice in splices {
      items += added[copied ..< pieces.addedCount(ofFirst: splice.old.lowerBound)]
      copied = pieces.addedCount(ofFirst: splice.old.upperBound)
      newOrdinals.forEach(in: splice.new) { _, path in
        items.append(item(at: path, in: change.new))
        return true
      }
    }
    items += added[copied...]

    var newPieces = pieces
    newPieces.replace(splices)
    guard newPieces.totals.current == newOrdinals.count, newPieces.totals.added == items.count
    else { return nil }
    let state = SpatialState(
      layers: layers.map { $0.updated(by: splices) },
      pieces: newPieces,
      added: items,
      counts: updatedCounts(splices, newOrdinals, change.new)
    )
    return PreparedSpatial(
      layout,
      context,
      ordinals: newOrdinals,
      state: state.tidied(within: limits, placement, work) { ordinal in
        let path = newOrdinals.indexPath(at: ordinal)
        return item(at: path, in: change.new)?.size ?? .zero
      },
      limits: limits
    )
  }

  /// Where an item is; nil if it has no place.
  func item(at path: IndexPath, in contents: CollectionContents) -> PlacedItem? {
    let item = path.item ?? 0
    let (chunk, start) = contents.section(at: path.section).items.chunk(containing: item)
    guard let position = placement.position(of: item - start, in: chunk) else { return nil }
    return PlacedItem(
      position: position,
      size: placement.size(of: item - start, in: chunk),
      key: placement.cells?.curve.key(of: position) ?? 0
    )
  }

  /// The counts with the items that a change takes away and adds; nil = there are no clusters.
  private func updatedCounts(
    _ splices: [Splice],
    _ newOrdinals: ItemOrdinals,
    _ newContents: CollectionContents
  ) -> ClusterCounts? {
    guard var counts else { return nil }
    var changes: [UInt64: Int] = [:]
    func add(_ change: Int, _ path: IndexPath, _ contents: CollectionContents) -> Bool {
      if let key = item(at: path, in: contents)?.key {
        changes[key, default: 0] += change
      }
      return true
    }
    for splice in splices {
      ordinals.forEach(in: splice.old) { add(-1, $1, context.contents) }
      newOrdinals.forEach(in: splice.new) { add(1, $1, newContents) }
    }
    counts.add(changes)
    return counts
  }
}

/// An item that a spatial layout has placed.
struct PlacedItem: Sendable {
  var position: SIMD2<Double>
  var size: Size
  /// The key of its position; 0 if there are no clusters.
  var key: UInt64
}

extension SpatialPlacement {
  func frame(of item: PlacedItem) -> Rect { frame(at: item.position, size: item.size) }
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
  /// How many items have which keys beside those of the layers; nil = there are no clusters.
  var counts: ClusterCounts?

  /// The state with added items indexed if they are many, and with layers merged and renumbered
  /// where that pays.
  ///
  /// - Parameter size: returns the size of the item with a current ordinal.
  func tidied(
    within limits: SpatialLimits,
    _ placement: SpatialPlacement,
    _ work: LayoutWork,
    size: (Int) -> Size
  ) -> SpatialState {
    var state = self
    for place in layers.indices {
      let (pieces, count) = (layers[place].pieces, layers[place].index.count)
      if pieces.count > limits.pieces + count / 8
        || pieces.totals.dropped > limits.pieces + count / 2
      {
        state.layers[place] = layers[place].renumbered()
      }
    }
    let isFull = added.count > limits.unindexed || pieces.count > 16 * limits.pieces
    // An index of which most items are gone costs queries more than it saves.
    let worn = state.layers.firstIndex {
      $0.goneCount > limits.pieces && $0.goneCount > $0.index.count / 4 * 3
    }
    if isFull || worn != nil { state.indexAdded(from: worn, within: limits, placement, work, size) }
    return state
  }

  /// Indexes the added items as a new layer, merged with older layers that are about as large.
  ///
  /// - Parameter worn: a layer that must be merged, with all layers behind it.
  private mutating func indexAdded(
    from worn: Int?,
    within limits: SpatialLimits,
    _ placement: SpatialPlacement,
    _ work: LayoutWork,
    _ size: (Int) -> Size
  ) {
    var items = SpatialEntries()
    // What the layers' slots lose.
    var changes: [UInt64: Int] = [:]
    for (rank, item) in added.enumerated() {
      guard let item, let ordinal = pieces.currentOrdinal(ofAdded: rank) else { continue }
      items.append(ordinal, at: item.position, size: item.size)
    }
    while let last = layers.last {
      let total = items.count + last.index.count
      let isWorn = worn.map { $0 < layers.count } ?? false
      guard isWorn || (total <= limits.merged && last.index.count <= 4 * items.count) else { break }
      layers.removeLast()
      for slot in 0 ..< last.index.count {
        if counts != nil { changes[last.index.key(at: slot), default: 0] += 1 }
        guard let ordinal = last.currentOrdinal(inSlot: slot) else { continue }
        items.append(
          ordinal,
          at: last.index.positions[slot],
          size: last.index.size(at: slot) ?? size(ordinal)
        )
      }
    }
    let everything = SpatialPieces(count: pieces.totals.current)
    if items.count > 0 {
      let index = SpatialIndex(items, placement, work: work)
      if counts != nil {
        for slot in 0 ..< index.count { changes[index.key(at: slot), default: 0] -= 1 }
      }
      layers.append(SpatialLayer(index, pieces: everything))
    }
    counts?.add(changes)
    pieces = everything
    added = []
  }
}

extension ContentsChange {
  /// What changed, over the ordinals of all items of all sections: sorted and disjoint.
  ///
  /// - Complexity: O(splices · log splices)
  func itemSplices(from old: ItemOrdinals, to new: ItemOrdinals) -> [Splice] {
    var splices: [Splice] = []
    for splice in sectionSplices {
      splices.append(
        Splice(
          old: old.starts[splice.old.lowerBound] ..< old.starts[splice.old.upperBound],
          new: new.starts[splice.new.lowerBound] ..< new.starts[splice.new.upperBound]
        )
      )
    }
    for change in changedSections {
      let oldStart = old.starts[change.oldIndex]
      let newStart = new.starts[change.newIndex]
      for splice in change.itemSplices {
        splices.append(
          Splice(
            old: oldStart + splice.old.lowerBound ..< oldStart + splice.old.upperBound,
            new: newStart + splice.new.lowerBound ..< newStart + splice.new.upperBound
          )
        )
      }
    }
    splices.removeAll { $0.old.isEmpty && $0.new.isEmpty }
    return splices.sorted {
      ($0.old.lowerBound, $0.new.lowerBound) < ($1.old.lowerBound, $1.new.lowerBound)
    }
  }
}
