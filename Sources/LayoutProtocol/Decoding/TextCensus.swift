// SPDX-License-Identifier: Apache-2.0

/// Finds texts that would take hours to compare.
///
/// To compare or hash texts, Swift sorts the marks that follow a letter into their canonical order,
/// which takes quadratic time: a second for 40,000 bytes. Natural texts have few marks in a row;
/// the stream-safe format of Unicode (UAX #15 §13) allows thirty.
enum TextCensus {
  /// The most marks in a row.
  static let marks = 30
  /// The fewest bytes that can have more than that.
  private static let leastBytes = 2 * (marks + 1)

  /// Whether some UTF-8 has more than 30 marks in a row. Bytes that are not UTF-8 count as no
  /// marks.
  ///
  /// - Complexity: O(bytes / 60) if these are ASCII or numbers, else O(bytes).
  static func hasTooManyMarks(_ bytes: Span<UInt8>) -> Bool {
    var place = leastBytes - 1
    var end = 0
    // A long run of bytes beyond ASCII covers at least one of these places.
    while place < bytes.count {
      guard bytes[place] >= 0x80 else {
        place += leastBytes
        continue
      }
      var start = place
      while start > end, bytes[start - 1] >= 0x80 { start -= 1 }
      end = place + 1
      while end < bytes.count, bytes[end] >= 0x80 { end += 1 }
      if end - start >= leastBytes, hasTooManyMarks(bytes, start ..< end) { return true }
      place = end + leastBytes - 1
    }
    return false
  }

  private static func hasTooManyMarks(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var count = 0
    var place = range.lowerBound
    while place < range.upperBound {
      let (scalar, length) = scalar(in: bytes, at: place, end: range.upperBound)
      place += length
      count = scalar.map(isMark) ?? false ? count + 1 : 0
      if count > marks { return true }
    }
    return false
  }

  /// A scalar beyond ASCII; nil = the bytes are not one, and one byte is skipped.
  private static func scalar(
    in bytes: Span<UInt8>,
    at place: Int,
    end: Int
  ) -> (scalar: Unicode.Scalar?, length: Int) {
    let first = bytes[place]
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first < 0xF5, place + length <= end else { return (nil, 1) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for next in place + 1 ..< place + length {
      guard bytes[next] & 0xC0 == 0x80 else { return (nil, 1) }
      value = value << 6 | UInt32(bytes[next] & 0x3F)
    }
    return (Unicode.Scalar(value), length)
  }

  /// Whether a scalar is a mark that is sorted among its neighbours, or consists of such marks.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // These have class 0, but are made of two marks that have not.
    case 0x0F73, 0x0F75, 0x0F81: true
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}
