// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Items with positions, of which an index is made.
struct SpatialEntries {
  private(set) var positions: [SIMD2<Double>] = []
  /// The items' ordinals; empty as long as those are the indices here.
  private(set) var ordinals: [UInt32] = []
  private(set) var sizes: SizeColumn

  /// - Parameter uniformSize: the size that all items have; nil = each is told.
  /// - Parameter capacity: about how many there will be.
  init(uniformSize: Size? = nil, capacity: Int = 0) {
    sizes = uniformSize.map { SizeColumn($0, count: 0) } ?? SizeColumn()
    positions.reserveCapacity(capacity)
  }

  var count: Int { positions.count }

  mutating func append(_ ordinal: Int, at position: SIMD2<Double>, size: Size) {
    guard append(from: ordinal, count: 1) else { return }
    positions.append(position)
    sizes.append(size)
  }

  /// Appends the positions of items that follow each other, without their sizes.
  ///
  /// - Parameter make: appends as many positions.
  /// - Returns: false = their ordinals are too large, and nothing was appended.
  mutating func append(
    from ordinal: Int,
    count: Int,
    _ make: (inout [SIMD2<Double>]) -> Void
  ) -> Bool {
    guard append(from: ordinal, count: count) else { return false }
    make(&positions)
    return true
  }

  mutating func append(_ size: Size) { sizes.append(size) }

  private mutating func append(from ordinal: Int, count: Int) -> Bool {
    guard let last = UInt32(exactly: ordinal + count - 1), last != SpatialIndex.gone else {
      return false
    }
    if ordinals.isEmpty {
      if ordinal == positions.count { return true }
      ordinals = positions.indices.map { UInt32(truncatingIfNeeded: $0) }
    }
    for next in ordinal ..< ordinal + count { ordinals.append(UInt32(truncatingIfNeeded: next)) }
    return true
  }

  // MARK: - Order

  /// Leaves the items where they are.
  ///
  /// - Returns: no keys.
  mutating func keepOrder() -> [UInt64] {
    if ordinals.isEmpty { ordinals = positions.indices.map { UInt32(truncatingIfNeeded: $0) } }
    return []
  }

  /// Puts the items in the order of their keys, and those with equal keys in that of their ordinals.
  ///
  /// They are first distributed to parts that fit a processor's cache, by squares of the grid; then each part
  /// is sorted by the keys, which are computed there and kept no longer.
  ///
  /// - Parameter grid: gives the keys.
  /// - Parameter interval: the first key of every so many items is returned; nil = none.
  /// - Parameter work: told of the items.
  /// - Returns: nil = the work has stopped.
  /// - Complexity: O(n)
  mutating func sort(
    along grid: CurveGrid,
    keysEach interval: Int?,
    work: LayoutWork
  ) -> [UInt64]? {
    if ordinals.isEmpty { ordinals = positions.indices.map { UInt32(truncatingIfNeeded: $0) } }
    var parts = [0 ..< positions.count]
    if positions.count > Self.partCount {
      let squares = CurveSquares(positions, on: grid)
      guard work.proceed(positions.count / 4) else { return nil }
      let ends = squares.parts(of: positions, most: Self.partCount)
      distribute(to: ends, by: squares)
      guard work.proceed(positions.count / 4) else { return nil }
      parts = zip([0] + ends.map(\.end), ends).map { $0 ..< $1.end }
    }
    var keys: [UInt64] = []
    if let interval { keys.reserveCapacity(positions.count / interval + 1) }
    for part in parts where !part.isEmpty {
      guard sort(part, along: grid, &keys, each: interval, work) else { return nil }
    }
    return keys
  }

  /// At most about so many items are sorted at once: their keys and positions take a megabyte.
  private static let partCount = 1 << 15

  /// Moves all items to the parts that they belong to.
  private mutating func distribute(to parts: [CurveSquares.Part], by squares: CurveSquares) {
    var places: [Int] = [0]
    for part in parts { places.append(part.end) }
    let partOfSquare = squares.partNumbers(parts)
    var newPositions = [SIMD2<Double>](repeating: .zero, count: positions.count)
    var newOrdinals = [UInt32](repeating: 0, count: positions.count)
    var newFloats = [SIMD2<Float>](repeating: .zero, count: sizes.floats.count)
    let hasFloats = !newFloats.isEmpty
    do {
      var places = places.mutableSpan
      var toPositions = newPositions.mutableSpan
      var toOrdinals = newOrdinals.mutableSpan
      var toFloats = newFloats.mutableSpan
      let fromPositions = positions.span
      let fromOrdinals = ordinals.span
      let fromFloats = sizes.floats.span
      let numbers = partOfSquare.span
      for index in fromPositions.indices {
        let position = unsafe fromPositions[unchecked: index]
        // Places start where those of the part before end, and count the part's items.
        let part = Int(numbers[squares.square(of: position)])
        let place = places[part]
        places[part] = place &+ 1
        toPositions[place] = position
        toOrdinals[place] = fromOrdinals[index]
        if hasFloats { toFloats[place] = fromFloats[index] }
      }
    }
    (positions, ordinals) = (newPositions, newOrdinals)
    if hasFloats { sizes.replace(newFloats) }
  }

  /// Sorts some items by their keys.
  ///
  /// - Parameter keys: gets those of every `interval`-th item.
  private mutating func sort(
    _ range: Range<Int>,
    along grid: CurveGrid,
    _ keys: inout [UInt64],
    each interval: Int?,
    _ work: LayoutWork
  ) -> Bool {
    var own = [UInt64](repeating: 0, count: range.count)
    do {
      var span = own.mutableSpan
      grid.writeKeys(of: positions.span, in: range, to: &span)
    }
    var order = KeyOrder.order(of: own, work: work)
    guard order.count == range.count, work.proceed(range.count / 4) else { return false }
    arrangeEqual(&order, own, from: range.lowerBound)
    positions.arrange(range, order)
    ordinals.arrange(range, order)
    sizes.arrange(range, order)
    if let interval {
      var slot = (range.lowerBound + interval - 1) / interval * interval
      while slot < range.upperBound {
        keys.append(own[Int(order[slot - range.lowerBound])])
        slot += interval
      }
    }
    return true
  }

  /// Puts items with equal keys in the order of their ordinals.
  private func arrangeEqual(_ order: inout [UInt32], _ keys: [UInt64], from start: Int) {
    func ordinal(_ index: UInt32) -> UInt32 { ordinals[start + Int(index)] }
    var first = 0
    for next in order.indices.dropFirst() where keys[Int(order[next])] != keys[Int(order[first])] {
      if next - first > 1 { order[first ..< next].sort { ordinal($0) < ordinal($1) } }
      first = next
    }
    if order.count - first > 1 { order[first...].sort { ordinal($0) < ordinal($1) } }
  }
}
