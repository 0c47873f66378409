// SPDX-License-Identifier: Apache-2.0

/// A place in encoded bytes, and where its message ends. The bytes come with each question, so that
/// the cursor itself can be kept and copied.
///
/// Never reads outside its message, whatever the bytes say.
struct WireCursor {
  private var offset: Int
  private let end: Int

  /// All bytes of a span.
  ///
  /// - Parameter count: of the span that is read from then on.
  init(count: Int) {
    offset = 0
    end = count
  }

  private init(offset: Int, end: Int) {
    self.offset = offset
    self.end = end
  }

  var isAtEnd: Bool { offset == end }

  /// The next byte; nil = at the end.
  @inline(__always)
  mutating func byte(in bytes: RawSpan) -> UInt8? {
    guard offset < end else { return nil }
    defer { offset += 1 }
    return unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// nil = at the end, cut off, or of more than 64 bits.
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

  /// A number of fixed size, little-endian; nil = cut off.
  @inline(__always)
  mutating func fixed<Value: FixedWidthInteger & BitwiseCopyable>(in bytes: RawSpan) -> Value? {
    guard end - offset >= MemoryLayout<Value>.size else { return nil }
    defer { offset += MemoryLayout<Value>.size }
    return unsafe Value(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self)
    )
  }

  /// The next so many bytes, which a length announces; nil = cut off.
  @inline(__always)
  mutating func part(in bytes: RawSpan) -> WireCursor? {
    guard let length = varint(in: bytes), length <= UInt64(end - offset) else { return nil }
    let part = WireCursor(offset: offset, end: offset + Int(length))
    offset = part.end
    return part
  }

  /// Skips a field that is not of bytes; false where it cannot be, such as for groups, which
  /// proto3 has not.
  mutating func skip(wireType: UInt64, in bytes: RawSpan) -> Bool {
    switch wireType {
    case 0: return varint(in: bytes) != nil
    case 1: return (fixed(in: bytes) as UInt64?) != nil
    case 5: return (fixed(in: bytes) as UInt32?) != nil
    default: return false
    }
  }
}
