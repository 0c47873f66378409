// SPDX-License-Identifier: Apache-2.0

/// Where the quarters of a square of a cluster grid begin and end in the slots of each layer.
///
/// Consecutive quarters along the curve meet at one slot. It is searched once, and only if it is
/// asked for.
struct QuarterEnds {
  /// The keys of the square.
  private let keys: ClosedRange<UInt64>
  /// For each layer, the slots at which the quarters begin, along the curve, and the end of the
  /// last, in the first five elements; −1 = not yet known.
  private var ends: LayerValues<SIMD8<Int>>

  /// - Parameter square: has quarters.
  /// - Parameter slots: those of the square in each layer.
  init(of square: ClusterGrid.Square, _ slots: LayerValues<Range<Int>>) {
    keys = square.keys
    ends = LayerValues(count: slots.count) { layer in
      [slots[layer].lowerBound, -1, -1, -1, slots[layer].upperBound, 0, 0, 0]
    }
  }

  /// The slots of a quarter in a layer.
  ///
  /// - Parameter place: of the quarter along the curve, from 0 to 3.
  /// - Parameter index: the layer's.
  /// - Complexity: O(log n)
  mutating func slots(
    ofQuarter place: Int,
    in layer: Int,
    of index: SpatialIndex
  ) -> Range<Int> {
    let start = end(before: place, in: layer, of: index)
    return start ..< end(before: place + 1, in: layer, of: index)
  }

  private mutating func end(before place: Int, in layer: Int, of index: SpatialIndex) -> Int {
    var known = ends[layer]
    if known[place] >= 0 { return known[place] }
    // The ends on both sides bound the search. The first and the last one are known.
    var (below, above) = (place - 1, place + 1)
    while known[below] < 0 { below -= 1 }
    while known[above] < 0 { above += 1 }
    let quarter = (keys.upperBound - keys.lowerBound) / 4 + 1
    known[place] = index.firstSlot(
      ofKeysFrom: keys.lowerBound + quarter * UInt64(place),
      within: known[below] ..< known[above]
    )
    ends[layer] = known
    return known[place]
  }
}
