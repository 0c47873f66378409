// SPDX-License-Identifier: Apache-2.0

/// Sorts keys by radix, with memory that is kept for the next keys.
///
/// It sorts only as many of the leading bits in which the keys differ as it takes to tell most of
/// them apart. The few keys that are then still equal are sorted among themselves.
struct KeySorter {
  /// The order that sorts the last keys: indices of them. Equal keys keep their order.
  private(set) var order: [UInt32] = []
  /// The leading bits of each key, and below them its index: 32 bits each.
  private var words: [UInt64] = []
  private var scratch: [UInt64] = []
  /// How many words have each digit, then where the next word with that digit goes.
  private var counts: [UInt32] = []

  /// At most this many keys are sorted by comparing them.
  private static let fewKeys = 32
  /// The most bits of a digit: that many counts fit into a processor's first cache.
  private static let digitBits = 12

  /// Sorts keys.
  ///
  /// - Parameter keys: the first `count` of these are sorted.
  /// - Parameter count: at most 2³², so that their indices fit into 32 bits.
  /// - Parameter work: told of every pass over the keys.
  /// - Returns: false = the work has stopped.
  /// - Complexity: O(n), and O(n · 64 / log n) if most keys are concentrated in few places.
  mutating func sort(_ keys: [UInt64], count: Int, work: LayoutWork) -> Bool {
    order.removeAll(keepingCapacity: true)
    for index in 0 ..< count { order.append(UInt32(truncatingIfNeeded: index)) }
    return sort(0 ..< count, keys, work)
  }

  /// Sorts each run of keys by another order.
  ///
  /// - Parameter isSame: whether two consecutive keys belong to one run.
  /// - Parameter precedes: the order in a run.
  mutating func arrangeRuns(
    where isSame: (UInt32, UInt32) -> Bool,
    by precedes: (UInt32, UInt32) -> Bool
  ) {
    var first = 0
    for next in order.indices.dropFirst() where !isSame(order[first], order[next]) {
      if next - first > 1 { order[first ..< next].sort(by: precedes) }
      first = next
    }
    if order.count - first > 1 { order[first...].sort(by: precedes) }
  }

  /// Sorts the keys whose indices are in a part of the order.
  private mutating func sort(_ range: Range<Int>, _ keys: [UInt64], _ work: LayoutWork) -> Bool {
    guard range.count > Self.fewKeys else {
      Self.insertionSort(&order, range, keys)
      return true
    }
    let (least, greatest) = extremes(range, keys)
    guard least < greatest else { return true }
    guard work.proceed(range.count / 2) else { return false }
    // Eight bits more than tell evenly distributed keys apart.
    let bits = min(32, 72 - range.count.leadingZeroBitCount)
    let shift = UInt64((greatest - least).leadingZeroBitCount)
    if words.count < range.count {
      words = [UInt64](repeating: 0, count: range.count)
      scratch = words
    }
    Self.makeWords(&words, of: keys, at: order[range], from: least, by: shift)
    sortWords(range.count, byLeading: bits)
    for run in Self.takeOrder(&order, range, words, keys, byLeading: bits) {
      guard sort(run, keys, work) else { return false }
    }
    return true
  }

  private func extremes(_ range: Range<Int>, _ keys: [UInt64]) -> (least: UInt64, greatest: UInt64)
  {
    let (order, keys) = (order.span, keys.span)
    var (least, greatest) = (UInt64.max, UInt64.min)
    for place in range {
      let key = keys[Int(order[place])]
      (least, greatest) = (min(least, key), max(greatest, key))
    }
    return (least, greatest)
  }

  /// Makes words of keys.
  ///
  /// - Parameter order: the indices of the keys.
  /// - Parameter shift: how many leading bits of the keys, less the least, are all 0.
  private static func makeWords(
    _ words: inout [UInt64],
    of keys: [UInt64],
    at order: ArraySlice<UInt32>,
    from least: UInt64,
    by shift: UInt64
  ) {
    let (order, keys) = (order.span, keys.span)
    var words = words.mutableSpan
    for place in order.indices {
      let index = order[place]
      words[place] = (keys[Int(index)] &- least) &<< shift & ~0xFFFF_FFFF | UInt64(index)
    }
  }

  /// Sorts words by their first bits, the last digit first.
  private mutating func sortWords(_ count: Int, byLeading bits: Int) {
    let passes = (bits + Self.digitBits - 1) / Self.digitBits
    let digit = (bits + passes - 1) / passes
    for pass in 0 ..< passes {
      let shift = UInt64(max(32, 64 - (passes - pass) * digit))
      counts.removeAll(keepingCapacity: true)
      counts.append(contentsOf: repeatElement(0, count: 1 << digit))
      Self.distribute(words, count, to: &scratch, &counts, by: shift)
      swap(&words, &scratch)
    }
  }

  /// Copies words in the order of one digit.
  ///
  /// - Parameter counts: a zero for each value of the digit.
  private static func distribute(
    _ words: [UInt64],
    _ count: Int,
    to result: inout [UInt64],
    _ counts: inout [UInt32],
    by shift: UInt64
  ) {
    precondition(words.count >= count && result.count >= count)
    let words = words.span
    var result = result.mutableSpan
    var places = counts.mutableSpan
    let mask = places.count &- 1
    // All indices are masked digits, and places count the words.
    for index in 0 ..< count {
      let word = unsafe words[unchecked: index]
      unsafe places[unchecked: Int(truncatingIfNeeded: word &>> shift) & mask] &+= 1
    }
    var start: UInt32 = 0
    for digit in places.indices {
      let count = places[digit]
      places[digit] = start
      start &+= count
    }
    for index in 0 ..< count {
      let word = unsafe words[unchecked: index]
      let digit = Int(truncatingIfNeeded: word &>> shift) & mask
      let place = unsafe places[unchecked: digit]
      unsafe places[unchecked: digit] = place &+ 1
      unsafe result[unchecked: Int(truncatingIfNeeded: place)] = word
    }
  }

  /// Writes down the order of the words, and sorts small groups of keys whose words have the same
  /// leading bits.
  ///
  /// - Returns: the large groups of keys with the same leading bits.
  private static func takeOrder(
    _ order: inout [UInt32],
    _ range: Range<Int>,
    _ words: [UInt64],
    _ keys: [UInt64],
    byLeading bits: Int
  ) -> [Range<Int>] {
    let shift = UInt64(64 - bits)
    let words = words.span.extracting(first: range.count)
    do {
      var order = order.mutableSpan
      for place in words.indices {
        order[range.lowerBound &+ place] = UInt32(truncatingIfNeeded: words[place])
      }
    }
    var runs: [Range<Int>] = []
    var start = 0
    while start < words.count {
      let leading = words[start] &>> shift
      var end = start + 1
      while end < words.count, words[end] &>> shift == leading { end += 1 }
      if end - start > 1 {
        let run = range.lowerBound + start ..< range.lowerBound + end
        if run.count > fewKeys { runs.append(run) } else { insertionSort(&order, run, keys) }
      }
      start = end
    }
    return runs
  }

  private static func insertionSort(
    _ order: inout [UInt32],
    _ range: Range<Int>,
    _ keys: [UInt64]
  ) {
    let keys = keys.span
    var order = order.mutableSpan
    for index in range.dropFirst() {
      let moved = order[index]
      let key = keys[Int(moved)]
      var place = index
      while place > range.lowerBound, keys[Int(order[place - 1])] > key {
        order[place] = order[place - 1]
        place -= 1
      }
      order[place] = moved
    }
  }
}
