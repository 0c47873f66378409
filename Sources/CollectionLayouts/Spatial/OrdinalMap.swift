// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The ordinals of items after changes, looked up for many items at once.
///
/// It consists of runs of items that stay together or are gone, and a table of where to start
/// searching.
struct OrdinalMap {
  /// The old ordinal of each run's first item.
  private var starts: [Int] = []
  /// The new ordinal of each run's first item; −1 = the run is gone.
  private var targets: [Int] = []
  /// For every 2^shift ordinals, the run with the first of them; then the last run.
  private var first: [Int] = []
  private var shift = 0
  /// The number of old ordinals.
  private let count: Int
  /// The number of new ordinals.
  let newCount: Int

  /// The ordinals after splices.
  ///
  /// - Parameter splices: sorted and disjoint.
  /// - Parameter count: the number of items before them.
  /// - Complexity: O(splices)
  init(_ splices: [Splice], count: Int) {
    self.count = count
    newCount = splices.reduce(count) { $0 + $1.new.count - $1.old.count }
    starts.reserveCapacity(2 * splices.count + 1)
    targets.reserveCapacity(2 * splices.count + 1)
    var (old, new) = (0, 0)
    for splice in splices {
      append(old ..< splice.old.lowerBound, at: new)
      append(splice.old, at: -1)
      new += splice.old.lowerBound - old + splice.new.count
      old = splice.old.upperBound
    }
    append(old ..< count, at: new)
    makeTable()
  }

  /// The current ordinals of the items of an index.
  ///
  /// - Complexity: O(pieces)
  init(_ pieces: SpatialPieces) {
    (count, newCount) = (pieces.totals.indexed, pieces.totals.current)
    pieces.pieces.forEach(in: 0 ..< pieces.count) { piece, _, before in
      let kept = before.indexed + piece.dropped
      append(before.indexed ..< kept, at: -1)
      append(kept ..< kept + piece.kept, at: before.current)
      return true
    }
    makeTable()
  }

  private mutating func append(_ run: Range<Int>, at target: Int) {
    guard !run.isEmpty else { return }
    starts.append(run.lowerBound)
    targets.append(target)
  }

  private mutating func makeTable() {
    guard let last = starts.indices.last else { return }
    while count >> shift > 2 * starts.count { shift += 1 }
    first.reserveCapacity(count >> shift + 2)
    var run = 0
    for place in 0 ... (count - 1) >> shift {
      while run < last, starts[run + 1] <= place << shift { run += 1 }
      first.append(run)
    }
    first.append(last)
  }

  /// The new ordinal of an item; `SpatialIndex.gone` if it is gone.
  ///
  /// - Parameter ordinal: the old one; `SpatialIndex.gone` if it was gone before.
  /// - Complexity: O(1) for changes that are spread evenly, O(log changes) for others
  func current(_ ordinal: UInt32) -> UInt32 {
    let old = Int(ordinal)
    guard ordinal != SpatialIndex.gone, old < count else { return SpatialIndex.gone }
    var (low, high) = (first[old >> shift], first[old >> shift + 1])
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= old { low = middle } else { high = middle - 1 }
    }
    guard targets[low] >= 0 else { return SpatialIndex.gone }
    return UInt32(exactly: targets[low] + old - starts[low]) ?? SpatialIndex.gone
  }
}
