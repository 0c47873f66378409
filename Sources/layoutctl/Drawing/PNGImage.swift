// SPDX-License-Identifier: Apache-2.0

/// Writes a raster as PNG: 8 bits for each of red, green and blue, no transparency.
///
/// Drawings of layouts are large areas of one colour. Each row is written as the difference from
/// the row above, which is mostly zeros, and the compression knows runs of one byte only.
struct PNGImage {
  private let raster: Raster

  init(_ raster: Raster) { self.raster = raster }

  var bytes: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    var header = Self.bigEndian(UInt32(clamping: raster.width))
    header += Self.bigEndian(UInt32(clamping: raster.height))
    header += [8, 2, 0, 0, 0]
    Self.append("IHDR", header, to: &file)
    Self.append("IDAT", Self.zlib(rows), to: &file)
    Self.append("IEND", [], to: &file)
    return file
  }

  /// The rows, each after the number of its filter: 2 = differences from the row above.
  private var rows: [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity((raster.width * 3 + 1) * raster.height)
    for y in 0 ..< raster.height {
      rows.append(2)
      for x in 0 ..< raster.width {
        let pixel = raster[x, y]
        let above = y > 0 ? raster[x, y - 1] : RGB(0, 0, 0)
        rows.append(pixel.red &- above.red)
        rows.append(pixel.green &- above.green)
        rows.append(pixel.blue &- above.blue)
      }
    }
    return rows
  }

  private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
    file += bigEndian(UInt32(clamping: content.count))
    let checked = Array(type.utf8) + content
    file += checked
    file += bigEndian(CRC32.checksum(checked))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  // MARK: - Compression

  /// The bytes as a zlib stream (RFC 1950) of one block with fixed codes (RFC 1951).
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var writer = BitWriter(bytes: [0x78, 0x01])
    // The last block, with fixed codes.
    writer.write(0b011, bits: 3)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      writer.writeLiteral(byte)
      var end = index + 1
      while end < bytes.count, bytes[end] == byte { end += 1 }
      var repeated = end - index - 1
      while repeated >= 3 {
        // Chosen so that one or two are never left, for which there is no code.
        let length = repeated > 258 && repeated < 261 ? 255 : min(258, repeated)
        writer.writeRepetition(length)
        repeated -= length
      }
      for _ in 0 ..< repeated { writer.writeLiteral(byte) }
      index = end
    }
    writer.writeEnd()
    return writer.finished() + bigEndian(adler32(bytes))
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a &+ UInt32(byte)) % 65521
      b = (b &+ a) % 65521
    }
    return b << 16 | a
  }
}

/// Writes bits from the lowest of each byte on.
private struct BitWriter {
  private var bytes: [UInt8]
  private var pending: UInt32 = 0
  private var count = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func write(_ value: UInt32, bits: Int) {
    pending |= value << UInt32(count)
    count += bits
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      count -= 8
    }
  }

  /// Writes a Huffman code, whose bits go from the highest on.
  private mutating func writeCode(_ code: UInt32, bits: Int) {
    for bit in (0 ..< bits).reversed() { write(code >> UInt32(bit) & 1, bits: 1) }
  }

  /// Writes the fixed code of a byte, of the end (256), or of a length (257…287).
  private mutating func writeSymbol(_ symbol: UInt32) {
    switch symbol {
    case ..<144: writeCode(0x30 + symbol, bits: 8)
    case ..<256: writeCode(0x190 + symbol - 144, bits: 9)
    case ..<280: writeCode(symbol - 256, bits: 7)
    default: writeCode(0xC0 + symbol - 280, bits: 8)
    }
  }

  mutating func writeLiteral(_ byte: UInt8) { writeSymbol(UInt32(byte)) }

  mutating func writeEnd() { writeSymbol(256) }

  /// Repeats the last byte.
  ///
  /// - Parameter length: 3…258.
  mutating func writeRepetition(_ length: Int) {
    let (symbol, base, extra) = Self.lengthCode(length)
    writeSymbol(symbol)
    write(UInt32(length - base), bits: extra)
    // Distance 1.
    writeCode(0, bits: 5)
  }

  /// The symbol of a length, the least length that has it, and the number of bits that follow.
  private static func lengthCode(_ length: Int) -> (symbol: UInt32, base: Int, extra: Int) {
    if length == 258 { return (285, 258, 0) }
    if length < 11 { return (UInt32(254 + length), length, 0) }
    // Groups of four symbols, each of which covers twice as many lengths as in the group before.
    var (symbol, base, extra): (UInt32, Int, Int) = (265, 11, 1)
    while length >= base + 4 << extra {
      base += 4 << extra
      symbol += 4
      extra += 1
    }
    let step = (length - base) >> extra
    return (symbol + UInt32(step), base + step << extra, extra)
  }

  consuming func finished() -> [UInt8] {
    if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
    return bytes
  }
}

/// The checksum of PNG's chunks.
private enum CRC32 {
  private static let table: [UInt32] = (0 ..< 256).map { index in
    (0 ..< 8).reduce(UInt32(index)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
  }

  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in
      table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
  }
}
