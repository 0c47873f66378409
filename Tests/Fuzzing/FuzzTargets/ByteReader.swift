// SPDX-License-Identifier: Apache-2.0

/// Turns any bytes into values: the same bytes always give the same values, and a byte that changes
/// changes few of them, so that a fuzzer that mutates bytes mutates values.
///
/// After the last byte every answer is 0, false or the first choice.
package struct ByteReader {
  private var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  package var isAtEnd: Bool { bytes.isEmpty }

  package mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  package mutating func bits() -> UInt64 {
    (0 ..< 8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) }
  }

  package mutating func flag() -> Bool { byte() & 1 == 1 }

  /// One of 0 ..< `limit`; 0 where there is none.
  package mutating func below(_ limit: Int) -> Int {
    guard limit > 1 else { return 0 }
    var value = Int(byte())
    if limit > 256 { value = value << 8 | Int(byte()) }
    if limit > 65_536 { value = value << 16 | Int(byte()) << 8 | Int(byte()) }
    return value % limit
  }

  /// True so often, for bytes that are spread evenly.
  package mutating func chance(_ percent: Int) -> Bool { Int(byte()) * 100 < percent * 256 }

  package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  package mutating func maybe<Value>(_ value: (inout ByteReader) -> Value) -> Value? {
    flag() ? value(&self) : nil
  }

  package mutating func list<Value>(
    upTo limit: Int,
    _ value: (inout ByteReader) -> Value
  ) -> [Value] {
    (0 ..< below(limit + 1)).map { _ in value(&self) }
  }

  // MARK: - Hostile values

  /// An index that mostly lies within 0 … `limit`, else just outside or at an end of the integers.
  package mutating func index(_ limit: Int) -> Int {
    switch byte() {
    case 0 ..< 240: below(limit + 1)
    case 240 ..< 246: limit + 1 + below(3)
    case 246 ..< 250: -1 - below(3)
    case 250 ..< 252: Int(UInt32.max) - below(3)
    case 252 ..< 254: Int.max - below(3)
    default: Int.min + below(3)
    }
  }

  /// An index for a path, which has 32 bits for it.
  package mutating func place(_ limit: Int) -> Int {
    min(max(index(limit), 0), Int(UInt32.max) - 2)
  }

  package mutating func range(_ limit: Int) -> Range<Int> {
    let a = index(limit)
    let b = chance(85) ? a.addingReportingOverflow(below(4)).partialValue : index(limit)
    return min(a, b) ..< max(a, b)
  }

  /// A number as layouts are given them: a small one most of the time.
  package mutating func number() -> Double {
    switch byte() {
    case 0 ..< 170: Double(below(1200)) / 4
    case 170 ..< 190: -Double(below(400)) / 4
    case 190 ..< 230: pick(Self.extremes)
    case 230 ..< 245: Double(bitPattern: bits())
    default: Double(below(100_000)) / 3
    }
  }

  /// As `number()`, but from 0 to the greatest that contents accept as a length.
  package mutating func length() -> Double {
    let value = number().magnitude
    return value.isFinite ? min(value, FuzzRules.greatestLength) : 0
  }

  private static let extremes: [Double] = [
    0, -0.0, 1, -1, 0x1p40, -0x1p40, 0x1p40.nextUp, 1e-9, .leastNonzeroMagnitude,
    .leastNormalMagnitude, 1e15, -1e15, 0x1p53, 0x1p60, 0x1p63, -0x1p63, 1e154, 1e300,
    .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, .infinity, -.infinity, .nan, 0.5, 1.0 / 3, 1e7,
  ]
}
