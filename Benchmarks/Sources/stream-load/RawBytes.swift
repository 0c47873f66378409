// SPDX-License-Identifier: Apache-2.0

import GRPCCore

/// Messages as they travel: the driver reads only what it needs.
struct RawBytes: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}

/// The few protobuf fields that the driver writes and reads by hand.
struct ProtobufBytes {
  private(set) var bytes: [UInt8] = []

  mutating func varint(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }

  mutating func uint(_ field: UInt64, _ value: UInt64) {
    varint(field << 3)
    varint(value)
  }

  mutating func double(_ field: UInt64, _ value: Double) {
    varint(field << 3 | 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
  }

  mutating func text(_ field: UInt64, _ value: String) {
    varint(field << 3 | 2)
    varint(UInt64(value.utf8.count))
    bytes += value.utf8
  }

  mutating func message(_ field: UInt64, _ fill: (inout ProtobufBytes) -> Void) {
    var inner = ProtobufBytes()
    fill(&inner)
    varint(field << 3 | 2)
    varint(UInt64(inner.bytes.count))
    bytes += inner.bytes
  }

  /// What a response says of the frame in it; nil where it holds none.
  static func frame(in bytes: [UInt8]) -> AnsweringFrame? {
    var index = 0
    func varint() -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    guard bytes.first == 2 << 3 | 2 else { return nil }
    index = 1
    _ = varint()
    var frame = AnsweringFrame()
    // The frame's numbers come first.
    while index < bytes.count, bytes[index] & 7 == 0 {
      let field = varint() >> 3
      let value = varint()
      if field == 1 { frame.sequence = value }
      if field == 7 { frame.mergedEvents = Int(value) }
    }
    return frame
  }
}

/// A frame, as far as the driver cares.
struct AnsweringFrame {
  var sequence: UInt64 = 0
  /// Requests that it answers beyond the first.
  var mergedEvents = 0
}
