// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// An index of some items, and where these items are in contents that have changed since.
///
/// A spatial layout has several layers, each much smaller than the one before. So adding an item
/// often rebuilds a small index and seldom a large one.
struct SpatialLayer: Sendable {
  let index: SpatialIndex
  /// Maps ordinals in the contents for which the index was made, or last renumbered, to current
  /// ordinals.
  let pieces: SpatialPieces
  /// The number of slots whose items were gone when the index was made or last renumbered.
  let goneCount: Int

  init(_ index: SpatialIndex, pieces: SpatialPieces, goneCount: Int = 0) {
    self.index = index
    self.pieces = pieces
    self.goneCount = goneCount
  }

  /// Whether the items of all slots are still there, as far as the pieces tell.
  var isWhole: Bool { goneCount == 0 && pieces.totals.dropped == 0 }

  /// The current ordinal of the item in a slot; nil if it is gone.
  func currentOrdinal(inSlot slot: Int) -> Int? {
    let ordinal = index.ordinals[slot]
    guard ordinal != SpatialIndex.gone else { return nil }
    return pieces.isIdentity ? Int(ordinal) : pieces.currentOrdinal(ofIndexed: Int(ordinal))
  }

  /// The layer after a change.
  ///
  /// - Parameter splices: over all items, sorted and disjoint.
  /// - Parameter map: of the same change, if there are many splices.
  /// - Parameter work: told of slots and pieces. Once it has stopped, the result must not be used.
  func updated(by splices: [Splice], _ map: OrdinalMap?, work: LayoutWork) -> SpatialLayer {
    if let map, index.count <= Self.slotsPerSplice * splices.count {
      let ordinals = Self.mapped(currentOrdinals(work: work), by: map, work: work)
      return renumbered(ordinals, count: map.newCount)
    }
    guard work.proceed(min(splices.count, pieces.count) / Self.placesPerStep) else { return self }
    var pieces = pieces
    pieces.replace(splices)
    return SpatialLayer(index, pieces: pieces, goneCount: goneCount)
  }

  /// From this many splices on, an `OrdinalMap` pays.
  static let manySplices = 64
  /// If there are fewer slots for each of many splices, all ordinals are looked up in less time
  /// than the splices take to be noted down.
  private static let slotsPerSplice = 32
  /// About so many slots or pieces are looked at in one step.
  private static let placesPerStep = 4

  /// The layer with current ordinals in its index.
  ///
  /// - Parameter work: told of the slots. Once it has stopped, the result must not be used.
  /// - Complexity: O(items of the index + pieces)
  func renumbered(work: LayoutWork) -> SpatialLayer {
    renumbered(currentOrdinals(work: work), count: pieces.totals.current)
  }

  private func renumbered(_ ordinals: [UInt32], count: Int) -> SpatialLayer {
    SpatialLayer(
      index.renumbered(ordinals),
      pieces: SpatialPieces(count: count),
      goneCount: ordinals.reduce(0) { $0 + ($1 == SpatialIndex.gone ? 1 : 0) }
    )
  }

  /// The current ordinals of the items in all slots; `SpatialIndex.gone` for items that are gone.
  ///
  /// - Parameter work: told of the slots. Once it has stopped, the result must not be used.
  /// - Complexity: O(items of the index + pieces)
  func currentOrdinals(work: LayoutWork) -> [UInt32] {
    if pieces.isIdentity { return index.ordinals }
    work.proceed(pieces.count / Self.placesPerStep)
    return Self.mapped(index.ordinals, by: OrdinalMap(pieces), work: work)
  }

  /// What a map makes of ordinals; as many as there were, even if the work has stopped.
  private static func mapped(
    _ ordinals: [UInt32],
    by map: OrdinalMap,
    work: LayoutWork
  ) -> [UInt32] {
    var mapped: [UInt32] = []
    mapped.reserveCapacity(ordinals.count)
    while mapped.count < ordinals.count {
      let part = ordinals[mapped.count...].prefix(slotsBetweenChecks)
      guard work.proceed(part.count / placesPerStep) else { return ordinals }
      mapped.append(contentsOf: part.lazy.map { map.current($0) })
    }
    return mapped
  }

  private static let slotsBetweenChecks = 1 << 16

  var byteCount: Int {
    index.byteCount + pieces.count * MemoryLayout<SpatialPieces.Piece>.stride * 3
  }
}

/// The limits beyond which a spatial layout tidies up.
struct SpatialLimits: Hashable, Sendable {
  /// The most items without an index. Every query looks at each of them.
  var unindexed = 256
  /// Two layers are merged while they have at most this many items together and the smaller has at
  /// least a fourth of the larger. It bounds the cost of one update.
  var merged = 1 << 18
  /// A layer is renumbered if its items are in more pieces than this plus an eighth of their
  /// number, or if more items than this plus half of their number are gone.
  var pieces = 1024
  /// With more layers than this, everything is indexed again.
  var layers = 32
  /// Everything is indexed again if clusters have to remember more keys than this, and more than a
  /// fourth of the number of items, at which items came or went.
  var counts = 4096
  /// Clusters of cells with this many slots are kept if they took a fourth as many steps.
  var clusterSteps = 4096

  static let standard = SpatialLimits()
}
