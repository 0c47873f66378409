// SPDX-License-Identifier: Apache-2.0

/// Sorts keys by radix.
enum KeyOrder {
  /// The order that sorts `keys`; equal keys keep their order.
  ///
  /// Keys are packed with their indices into 64 bits, without the leading bits that all keys share.
  /// Those whose packed bits are equal, which are few unless many keys differ only in their last bits, are
  /// sorted by themselves afterwards.
  ///
  /// - Parameter keys: at most 2³², so that their indices fit into 32 bits.
  /// - Parameter work: told of every pass over the keys.
  /// - Returns: an empty array if the work has stopped.
  static func order(of keys: [UInt64], work: LayoutWork) -> [UInt32] {
    guard let first = keys.first else { return [] }
    let differing = keys.reduce(0) { $0 | ($1 ^ first) }
    guard differing != 0 else { return keys.indices.map { UInt32(truncatingIfNeeded: $0) } }
    let shared = UInt64(differing.leadingZeroBitCount)
    let indexBits = UInt64(64 - (keys.count - 1).leadingZeroBitCount)
    let mask = (UInt64(1) << indexBits) &- 1
    var packed = keys
    for index in packed.indices {
      packed[index] = packed[index] << shared & ~mask | UInt64(truncatingIfNeeded: index)
    }
    guard work.proceed(keys.count / 8) else { return [] }
    sort(&packed, above: indexBits)
    guard work.proceed(keys.count / 4) else { return [] }

    var order = packed.map { UInt32(truncatingIfNeeded: $0 & mask) }
    // Bits of the keys that were not packed decide between equal packed bits.
    guard shared < indexBits else { return order }
    var start = 0
    while start < packed.count {
      let bits = packed[start] & ~mask
      var end = start + 1
      while end < packed.count, packed[end] & ~mask == bits { end += 1 }
      if end - start > 1 {
        let run = order[start ..< end].map { keys[Int($0)] }
        let inner = Self.order(of: run, work: work)
        guard inner.count == run.count else { return [] }
        let indices = Array(order[start ..< end])
        for (place, index) in inner.enumerated() { order[start + place] = indices[Int(index)] }
      }
      start = end
    }
    return order
  }

  private static let digitBits: UInt64 = 11

  /// Sorts numbers by their bits from `low` on, if they are in order of the bits below.
  ///
  /// The first digit divides them into parts that fit a processor's cache; then each part is sorted.
  private static func sort(_ numbers: inout [UInt64], above low: UInt64) {
    var copy = numbers
    let ends = distribute(
      numbers.span,
      0 ..< numbers.count,
      into: &copy,
      by: 64 - digitBits
    )
    var start = 0
    for end in ends {
      if end - start > 1 {
        sort(&copy, &numbers, start ..< end, from: min(low, 64 - digitBits), to: 64 - digitBits)
      }
      start = end
    }
    numbers = copy
  }

  /// Sorts some numbers in place by the bits from `low` up to `high`.
  private static func sort(
    _ numbers: inout [UInt64],
    _ scratch: inout [UInt64],
    _ range: Range<Int>,
    from low: UInt64,
    to high: UInt64
  ) {
    if range.count <= 48 { return insertionSort(&numbers, range) }
    var shift = low
    var isInScratch = false
    while shift < high {
      if isInScratch {
        _ = distribute(scratch.span, range, into: &numbers, by: shift)
      } else {
        _ = distribute(numbers.span, range, into: &scratch, by: shift)
      }
      isInScratch.toggle()
      shift += digitBits
    }
    if isInScratch { for index in range { numbers[index] = scratch[index] } }
  }

  /// Whole numbers are compared: the bits below are in order already.
  private static func insertionSort(_ numbers: inout [UInt64], _ range: Range<Int>) {
    for index in range.dropFirst() {
      let number = numbers[index]
      var place = index
      while place > range.lowerBound, numbers[place - 1] > number {
        numbers[place] = numbers[place - 1]
        place -= 1
      }
      numbers[place] = number
    }
  }

  /// Copies some numbers to the same range of another array, in the order of one digit.
  ///
  /// - Returns: where the numbers with each digit end.
  private static func distribute(
    _ numbers: Span<UInt64>,
    _ range: Range<Int>,
    into result: inout [UInt64],
    by shift: UInt64
  ) -> [Int] {
    let mask = 1 << Int(digitBits) - 1
    var starts = [Int](repeating: 0, count: mask + 1)
    var places = starts.mutableSpan
    var result = result.mutableSpan
    // All indices are masked digits, and places within the range: they count its numbers.
    for index in range {
      let digit = Int(truncatingIfNeeded: numbers[index] >> shift) & mask
      unsafe places[unchecked: digit] &+= 1
    }
    var start = range.lowerBound
    for digit in 0 ... mask {
      let count = places[digit]
      places[digit] = start
      start += count
    }
    for index in range {
      let number = numbers[index]
      let digit = Int(truncatingIfNeeded: number >> shift) & mask
      let place = unsafe places[unchecked: digit]
      unsafe places[unchecked: digit] = place &+ 1
      unsafe result[unchecked: place] = number
    }
    return starts
  }
}
