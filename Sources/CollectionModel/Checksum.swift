// SPDX-License-Identifier: Apache-2.0

/// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected) of values one after the other: of a batch,
/// or of a stored row with the keys under which it is stored, so that an intact row in the wrong
/// place is detected like a damaged one.
///
/// Eight bytes a step with eight tables ("slicing by 8", Kounavis and Berry 2005).
package struct Checksum {
  private var state: UInt32 = .max

  /// The checksum of no values.
  package init() {}

  /// The checksum as it is stored: 0 ..< 2³².
  package var value: Int64 { Int64(state ^ .max) }

  /// Adds the eight bytes of a number, little-endian.
  package mutating func add(_ number: Int64) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe add($0) }
  }

  /// Adds the eight bytes of a number, little-endian.
  package mutating func add(_ number: UInt64) { add(Int64(bitPattern: number)) }

  /// Adds bytes after their count. Without the count, moving a byte from the end of one run to the
  /// start of the next would go unnoticed.
  package mutating func add(_ bytes: [UInt8]) {
    add(Int64(bytes.count))
    unsafe bytes.withUnsafeBytes { unsafe add($0) }
  }

  /// Adds the UTF-8 bytes of a text after their count.
  package mutating func add(_ text: String) { add(Array(text.utf8)) }

  /// Adds bytes without their count.
  ///
  /// Unsafe code only for speed, because an import spends much of its time here. Every read is
  /// below `bytes.count`.
  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var crc = state
    var index = 0
    let tables = Self.tables.span
    while index + 8 <= bytes.count {
      let word =
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        ^ UInt64(crc)
      var next: UInt32 = 0
      for place in 0 ..< 8 {
        let byte = Int(truncatingIfNeeded: (word &>> UInt64(8 &* place)) & 0xFF)
        next ^= tables[(7 &- place) &* 256 &+ byte]
      }
      crc = next
      index += 8
    }
    while index < bytes.count {
      unsafe crc = tables[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc &>> 8)
      index += 1
    }
    state = crc
  }

  /// Table k holds the checksum of each byte with k zero bytes after it.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0 ..< 256 {
      var crc = UInt32(byte)
      for _ in 0 ..< 8 { crc = (crc & 1) != 0 ? (crc &>> 1) ^ 0x82F6_3B78 : crc &>> 1 }
      tables[byte] = crc
    }
    for index in 256 ..< 2048 {
      let crc = tables[index - 256]
      tables[index] = tables[Int(crc & 0xFF)] ^ (crc &>> 8)
    }
    return tables
  }()
}

extension Checksum {
  /// Tells bytes from others: their count and their checksum.
  package static func digest(of bytes: [UInt8]) -> UInt64 {
    var checksum = Checksum()
    checksum.add(bytes)
    let count = UInt64(truncatingIfNeeded: bytes.count)
    return count << 32 | UInt64(truncatingIfNeeded: checksum.value)
  }

  /// The CRC-32C of bytes alone, without their count.
  package static func crc32c(_ bytes: [UInt8]) -> UInt32 {
    var checksum = Checksum()
    unsafe bytes.withUnsafeBytes { unsafe checksum.add($0) }
    return checksum.state ^ .max
  }
}
