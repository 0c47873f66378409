// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// An index of some items, and where those are in contents that have changed since.
///
/// A spatial layout has several, each much smaller than the one before, so that adding an item
/// rebuilds a small index often and a large one seldom.
struct SpatialLayer: Sendable {
  let index: SpatialIndex
  /// From all items of the time when the index was made, or last renumbered, to the current ones.
  let pieces: SpatialPieces
  /// Slots without an item at that time.
  let goneCount: Int

  init(_ index: SpatialIndex, pieces: SpatialPieces, goneCount: Int = 0) {
    self.index = index
    self.pieces = pieces
    self.goneCount = goneCount
  }

  /// Whether every slot has its item still, as far as is known.
  var isWhole: Bool { goneCount == 0 && pieces.totals.dropped == 0 }

  /// The current ordinal of the item in a slot; nil = no longer there.
  func currentOrdinal(inSlot slot: Int) -> Int? {
    let ordinal = index.ordinals[slot]
    guard ordinal != SpatialIndex.gone else { return nil }
    return pieces.isIdentity ? Int(ordinal) : pieces.currentOrdinal(ofIndexed: Int(ordinal))
  }

  /// - Parameter splices: over all items, sorted and disjoint.
  func updated(by splices: [Splice]) -> SpatialLayer {
    var pieces = pieces
    // From the end on, so that the ordinals further ahead stay as they are.
    for splice in splices.reversed() { pieces.replace(splice.old, withAdded: splice.new.count) }
    return SpatialLayer(index, pieces: pieces, goneCount: goneCount)
  }

  /// The same with the current ordinals in the index, which takes no more than a pass over them.
  func renumbered() -> SpatialLayer {
    let ordinals: [UInt32]
    if index.count < pieces.totals.indexed / 16 {
      ordinals = (0 ..< index.count).map { slot in
        currentOrdinal(inSlot: slot).flatMap { UInt32(exactly: $0) } ?? SpatialIndex.gone
      }
    } else {
      let current = pieces.currentOrdinals()
      ordinals = index.ordinals.map { $0 == SpatialIndex.gone ? $0 : current[Int($0)] }
    }
    return SpatialLayer(
      index.renumbered(ordinals),
      pieces: SpatialPieces(count: pieces.totals.current),
      goneCount: ordinals.reduce(0) { $0 + ($1 == SpatialIndex.gone ? 1 : 0) }
    )
  }

  var byteCount: Int {
    index.byteCount + pieces.count * MemoryLayout<SpatialPieces.Piece>.stride * 3
  }
}

/// When a spatial layout tidies up.
struct SpatialLimits: Hashable, Sendable {
  /// Items without an index, at each of which every query looks.
  var unindexed = 256
  /// Two indices become one where the smaller has at least a fourth of the larger, up to this many
  /// items: what an update may cost at worst.
  var merged = 1 << 18
  /// A layer is renumbered when its items are in more pieces than this and an eighth of their number,
  /// or when more items than this and half of their number are gone.
  var pieces = 1024
  /// Everything is indexed anew when there are more layers.
  var layers = 32

  static let standard = SpatialLimits()
}
