// SPDX-License-Identifier: Apache-2.0

extension SpatialEntries {
  /// Leaves the items where they are.
  ///
  /// - Returns: no keys.
  mutating func keepOrder() -> [UInt64] {
    numberOrdinals()
    return []
  }

  /// Sorts the items by their keys; items with equal keys by their ordinals.
  ///
  /// They are first distributed by squares of the grid to parts that fit into a processor's cache.
  /// Then each part is sorted by the keys, which are computed there and not kept.
  ///
  /// - Parameter grid: gives the keys.
  /// - Parameter interval: returns the first key of every `interval` items; nil = none.
  /// - Parameter work: told of the items.
  /// - Returns: nil = the work has stopped.
  /// - Complexity: O(n)
  mutating func sort(
    along grid: CurveGrid,
    keysEach interval: Int?,
    work: LayoutWork
  ) -> [UInt64]? {
    var parts = [0 ..< positions.count]
    if positions.count > Self.partCount {
      let squares = CurveSquares(around: box, on: grid)
      let own = squares.squares(of: positions.span)
      guard work.proceed(positions.count / 4) else { return nil }
      let ends = squares.parts(of: own, most: Self.partCount)
      distribute(to: ends, squares.partNumbers(ends), by: own)
      guard work.proceed(positions.count / 4) else { return nil }
      parts = zip([0] + ends.map(\.end), ends).map { $0 ..< $1.end }
    } else {
      numberOrdinals()
    }
    var keys: [UInt64] = []
    if let interval { keys.reserveCapacity(positions.count / interval + 1) }
    var sorter = PartSorter()
    for part in parts where !part.isEmpty {
      guard sorter.sort(part, of: &self, along: grid, work) else { return nil }
      guard let interval else { continue }
      var slot = (part.lowerBound + interval - 1) / interval * interval
      while slot < part.upperBound {
        keys.append(sorter.key(at: slot - part.lowerBound))
        slot += interval
      }
    }
    return keys
  }

  /// About the most items that are sorted at once: they take a megabyte.
  private static let partCount = 1 << 15

  /// Moves all items to the parts that they belong to, in which they keep their order.
  ///
  /// - Parameter numbers: the part of each square.
  /// - Parameter squares: that each item is in.
  private mutating func distribute(
    to parts: [CurveSquares.Part],
    _ numbers: [UInt16],
    by squares: [UInt16]
  ) {
    let starts = [0] + parts.map(\.end)
    let (oldPositions, oldOrdinals, oldFloats) = (positions, ordinals, sizes.floats)
    let (fromPositions, fromOrdinals) = (oldPositions.span, oldOrdinals.span)
    let (squares, numbers, count) = (squares.span, numbers.span, oldPositions.count)
    var newOrdinals: [UInt32] = []
    positions = [SIMD2<Double>](count: count) { toPositions in
      newOrdinals = [UInt32](count: count) { toOrdinals in
        // A part's places start where the previous part's end, and count its items: each is less
        // than the number of items.
        var places = starts
        var next = places.mutableSpan
        let hasOrdinals = !fromOrdinals.isEmpty
        for index in fromPositions.indices {
          let part = Int(numbers[Int(unsafe squares[unchecked: index])])
          let place = next[part]
          next[part] = place &+ 1
          unsafe toPositions[unchecked: place] = fromPositions[unchecked: index]
          unsafe toOrdinals[unchecked: place] =
            hasOrdinals ? fromOrdinals[unchecked: index] : UInt32(truncatingIfNeeded: index)
        }
      }
    }
    ordinals = newOrdinals
    guard !oldFloats.isEmpty else { return }
    let fromFloats = oldFloats.span
    sizes.replace(
      [SIMD2<Float>](count: count) { toFloats in
        var places = starts
        var next = places.mutableSpan
        for index in fromFloats.indices {
          let part = Int(numbers[Int(squares[index])])
          let place = next[part]
          next[part] = place &+ 1
          toFloats[place] = fromFloats[index]
        }
      }
    )
  }
}

/// Sorts items by their keys, one part after the other, with memory that all parts share.
private struct PartSorter {
  private var sorter = KeySorter()
  private var keys: [UInt64] = []
  private var positions: [SIMD2<Double>] = []
  private var ordinals: [UInt32] = []
  private var floats: [SIMD2<Float>] = []

  /// The key of an item of the part that was sorted last.
  func key(at place: Int) -> UInt64 { keys[Int(sorter.order[place])] }

  /// - Returns: false = the work has stopped.
  mutating func sort(
    _ range: Range<Int>,
    of entries: inout SpatialEntries,
    along grid: CurveGrid,
    _ work: LayoutWork
  ) -> Bool {
    let count = range.count
    if keys.count < count { keys = [UInt64](repeating: 0, count: count) }
    do {
      var span = keys.mutableSpan
      grid.writeKeys(of: entries.positions.span, in: range, to: &span)
    }
    guard sorter.sort(keys, count: count, work: work), work.proceed(count / 4)
    else { return false }
    if !entries.isAscending { arrangeEqual(of: entries.ordinals, from: range.lowerBound) }
    entries.positions.arrange(range, sorter.order, &positions)
    entries.ordinals.arrange(range, sorter.order, &ordinals)
    if !entries.sizes.isUniform { entries.sizes.arrange(range, sorter.order, &floats) }
    return true
  }

  /// Puts items with equal keys in the order of their ordinals.
  private mutating func arrangeEqual(of ordinals: [UInt32], from start: Int) {
    let keys = keys
    sorter.arrangeRuns(
      where: { keys[Int($0)] == keys[Int($1)] },
      by: { ordinals[start + Int($0)] < ordinals[start + Int($1)] }
    )
  }
}

extension Array where Element: BitwiseCopyable {
  /// Reorders consecutive elements.
  ///
  /// - Parameter range: within the array.
  /// - Parameter order: for each place in the range, the old place of its element in the range.
  /// - Parameter old: memory for the old elements, kept from call to call.
  mutating func arrange(_ range: Range<Int>, _ order: [UInt32], _ old: inout [Element]) {
    precondition(range.count == order.count && range.upperBound <= count)
    old.removeAll(keepingCapacity: true)
    old.append(contentsOf: self[range])
    let from = old.span
    let order = order.span
    var to = mutableSpan
    for place in order.indices {
      // The order is one of the range, which the precondition checks.
      unsafe to[unchecked: range.lowerBound &+ place] = from[Int(order[unchecked: place])]
    }
  }
}
