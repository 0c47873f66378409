// SPDX-License-Identifier: Apache-2.0

/// Sorts keys by radix.
enum KeyOrder {
  /// The order that sorts `keys`; equal keys keep their order.
  ///
  /// Only as many of the leading bits in which the keys differ are sorted as it takes to tell most of them
  /// apart. The few that are still equal then are put in order among themselves.
  ///
  /// - Parameter keys: at most 2³², so that their indices fit into 32 bits.
  /// - Parameter work: told of every pass over the keys.
  /// - Returns: an empty array if the work has stopped.
  /// - Complexity: O(n), and O(n · 64 / log n) for keys of which most are in few places.
  static func order(of keys: [UInt64], work: LayoutWork) -> [UInt32] {
    var sorter = Sorter(keys: keys, work: work)
    var order = keys.indices.map { UInt32(truncatingIfNeeded: $0) }
    return sorter.sort(&order) ? order : []
  }

  private struct Sorter {
    let keys: [UInt64]
    let work: LayoutWork
    /// The leading bits of keys, and below them where these keys are: 32 bits each.
    private var words: [UInt64] = []
    private var scratch: [UInt64] = []

    init(keys: [UInt64], work: LayoutWork) {
      self.keys = keys
      self.work = work
    }

    /// Sorts indices of keys.
    ///
    /// - Returns: false = the work has stopped.
    mutating func sort(_ order: inout [UInt32]) -> Bool {
      guard order.count > KeyOrder.fewKeys else {
        insertionSort(&order, 0 ..< order.count)
        return true
      }
      var least = UInt64.max
      var greatest: UInt64 = 0
      for index in order {
        let key = keys[Int(index)]
        (least, greatest) = (min(least, key), max(greatest, key))
      }
      guard least < greatest else { return true }
      let shift = UInt64((greatest - least).leadingZeroBitCount)
      guard work.proceed(order.count / 2) else { return false }
      words.removeAll(keepingCapacity: true)
      words.reserveCapacity(order.count)
      for index in order {
        words.append((keys[Int(index)] - least) << shift & ~0xFFFF_FFFF | UInt64(index))
      }
      // Eight bits more than tell evenly distributed keys apart.
      let bits = min(32, 72 - order.count.leadingZeroBitCount)
      sortWords(byLeading: bits)
      order.removeAll(keepingCapacity: true)
      for word in words { order.append(UInt32(truncatingIfNeeded: word)) }
      return sortEqual(&order, byLeading: UInt64(bits))
    }

    /// Sorts the words by their first bits, the last digit first.
    private mutating func sortWords(byLeading bits: Int) {
      let passes = (bits + 10) / 11
      let digit = (bits + passes - 1) / passes
      scratch = words
      for pass in 0 ..< passes {
        let shift = UInt64(max(32, 64 - (passes - pass) * digit))
        var sorted: [UInt64] = []
        swap(&sorted, &scratch)
        KeyOrder.distribute(words.span, into: &sorted, by: shift, bits: digit)
        (words, scratch) = (sorted, words)
      }
    }

    /// Puts keys in order whose words have the same first bits.
    private mutating func sortEqual(_ order: inout [UInt32], byLeading bits: UInt64) -> Bool {
      let shift = 64 - bits
      var (start, runs) = (0, [Range<Int>]())
      while start < words.count {
        let leading = words[start] >> shift
        var end = start + 1
        while end < words.count, words[end] >> shift == leading { end += 1 }
        if end - start > KeyOrder.fewKeys {
          runs.append(start ..< end)
        } else if end - start > 1 {
          insertionSort(&order, start ..< end)
        }
        start = end
      }
      for run in runs {
        var part = Array(order[run])
        guard sort(&part) else { return false }
        order.replaceSubrange(run, with: part)
      }
      return true
    }

    private func insertionSort(_ order: inout [UInt32], _ range: Range<Int>) {
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

  /// At most so many keys are sorted by comparing them.
  private static let fewKeys = 32

  /// Copies numbers to another array, in the order of one digit.
  private static func distribute(
    _ numbers: Span<UInt64>,
    into result: inout [UInt64],
    by shift: UInt64,
    bits: Int
  ) {
    let mask = 1 << bits - 1
    var starts = [Int](repeating: 0, count: mask + 1)
    var places = starts.mutableSpan
    var result = result.mutableSpan
    precondition(result.count == numbers.count)
    // All indices are masked digits, and places count the numbers.
    for index in numbers.indices {
      let number = unsafe numbers[unchecked: index]
      unsafe places[unchecked: Int(truncatingIfNeeded: number >> shift) & mask] &+= 1
    }
    var start = 0
    for digit in 0 ... mask {
      let count = places[digit]
      places[digit] = start
      start += count
    }
    for index in numbers.indices {
      let number = unsafe numbers[unchecked: index]
      let digit = Int(truncatingIfNeeded: number >> shift) & mask
      let place = unsafe places[unchecked: digit]
      unsafe places[unchecked: digit] = place &+ 1
      unsafe result[unchecked: place] = number
    }
  }
}
