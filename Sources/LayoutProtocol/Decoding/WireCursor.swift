// SPDX-License-Identifier: Apache-2.0

/// A position in encoded bytes, and the end of the message there. The bytes are passed to each
/// method, so that the cursor can be stored and copied.
///
/// Never reads outside of its message, whatever the bytes say.
///
/// Invariant: 0 ≤ `offset` ≤ `end` ≤ the count of the bytes, which makes the unsafe loads safe as
/// long as the caller always passes the same span.
struct WireCursor {
  private var offset: Int
  private let end: Int

  /// A cursor over all bytes of a span.
  ///
  /// - Parameter count: the byte count of the span that is passed to every method.
  init(count: Int) {
    offset = 0
    end = count
  }

  private init(offset: Int, end: Int) {
    self.offset = offset
    self.end = end
  }

  var isAtEnd: Bool { offset == end }

  /// The bytes that are left.
  var range: Range<Int> { offset ..< end }

  /// The next byte; nil = at the end.
  @inline(__always)
  mutating func byte(in bytes: RawSpan) -> UInt8? {
    guard offset < end else { return nil }
    defer { offset += 1 }
    return unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The next varint; nil = there is none before the end, or it has more than ten bytes. Bits
  /// beyond 64 are dropped.
  @inline(__always)
  mutating func varint(in bytes: RawSpan) -> UInt64? {
    var value: UInt64 = 0
    var place = offset
    var shift: UInt64 = 0
    while place < end, shift < 64 {
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      value |= UInt64(byte & 0x7f) << shift
      place += 1
      if byte < 0x80 {
        offset = place
        return value
      }
      shift += 7
    }
    return nil
  }

  /// The next number of fixed size, little-endian; nil = there are too few bytes.
  @inline(__always)
  mutating func fixed<Value: FixedWidthInteger & BitwiseCopyable>(in bytes: RawSpan) -> Value? {
    guard end - offset >= MemoryLayout<Value>.size else { return nil }
    defer { offset += MemoryLayout<Value>.size }
    return unsafe Value(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self)
    )
  }

  /// The next length-delimited field, as a cursor of its own; nil = there are too few bytes.
  @inline(__always)
  mutating func part(in bytes: RawSpan) -> WireCursor? {
    // At most `end - offset`, so the conversion and the sum below cannot overflow.
    guard let length = varint(in: bytes), length <= UInt64(end - offset) else { return nil }
    let part = WireCursor(offset: offset, end: offset + Int(length))
    offset = part.end
    return part
  }

  /// The number of varints, if these are packed one behind the other. Moves nothing.
  func varintCount(in bytes: RawSpan) -> Int {
    var count = 0
    var place = offset
    while place < end {
      // Each has one byte without the highest bit: its last one.
      if unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) < 0x80 { count += 1 }
      place += 1
    }
    return count
  }

  /// Skips a field that is not length-delimited.
  ///
  /// - Returns: false = there are too few bytes, or the wire type has none of these forms, such as
  ///   groups, which proto3 does not have.
  mutating func skip(wireType: UInt64, in bytes: RawSpan) -> Bool {
    switch wireType {
    case 0: return varint(in: bytes) != nil
    case 1: return (fixed(in: bytes) as UInt64?) != nil
    case 5: return (fixed(in: bytes) as UInt32?) != nil
    default: return false
    }
  }
}
