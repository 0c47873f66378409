// SPDX-License-Identifier: Apache-2.0

/// Encodes protobuf messages directly into bytes.
///
/// As in proto3, numbers that are zero, empty texts and false are left out, except by the functions
/// that say otherwise. The memory grows by doubling and is reused from message to message.
///
/// Safe: every write first makes sure that the memory is large enough, and only bytes below
/// `count`, which have been written, are read.
@safe
struct WireWriter: ~Copyable {
  /// Memory for `capacity` bytes, of which the first `count` have been written.
  private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    unsafe bytes = .allocate(capacity: self.capacity)
  }

  deinit { unsafe bytes.deallocate() }

  /// Returns the bytes that have been written, and starts over.
  mutating func take() -> [UInt8] {
    defer { count = 0 }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  // MARK: - Bytes

  @inline(__always)
  private mutating func makeRoom(for more: Int) {
    if capacity - count < more { grow(for: more) }
  }

  @inline(never)
  private mutating func grow(for more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe larger.moveInitialize(from: bytes, count: count)
    unsafe bytes.deallocate()
    unsafe bytes = larger
  }

  @inline(__always)
  /// Writes a varint of up to ten bytes.
  mutating func varint(_ value: UInt64) {
    makeRoom(for: 10)
    var value = value
    while value >= 0x80 {
      unsafe bytes[count] = UInt8(truncatingIfNeeded: value) | 0x80
      value >>= 7
      count += 1
    }
    unsafe bytes[count] = UInt8(truncatingIfNeeded: value)
    count += 1
  }

  @inline(__always)
  /// Writes a `sint32` varint: 0, -1, 1, -2 become 0, 1, 2, 3.
  mutating func zigzag(_ value: Int32) {
    varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
  }

  @inline(__always)
  private mutating func raw<Value: FixedWidthInteger>(_ value: Value) {
    makeRoom(for: MemoryLayout<Value>.size)
    unsafe UnsafeMutableRawPointer(bytes + count)
      .storeBytes(of: value.littleEndian, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  @inline(__always)
  mutating func double(_ value: Double) { raw(value.bitPattern) }

  // MARK: - Fields

  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
  }

  @inline(__always)
  private mutating func tag(_ field: Int, _ type: WireType) {
    varint(UInt64(field) << 3 | type.rawValue)
  }

  @inline(__always)
  mutating func uint(_ field: Int, _ value: UInt64) {
    if value != 0 { present(field, value) }
  }

  /// Writes a varint field even if it is zero.
  @inline(__always)
  mutating func present(_ field: Int, _ value: UInt64) {
    tag(field, .varint)
    varint(value)
  }

  /// Writes a `sint64` field.
  @inline(__always)
  mutating func sint(_ field: Int, _ value: Int64) {
    if value != 0 { present(field, UInt64(bitPattern: value << 1 ^ value >> 63)) }
  }

  @inline(__always)
  mutating func bool(_ field: Int, _ value: Bool) {
    if value { present(field, UInt64(1)) }
  }

  @inline(__always)
  mutating func double(_ field: Int, _ value: Double) {
    if value.bitPattern != 0 { present(field, value) }
  }

  @inline(__always)
  mutating func present(_ field: Int, _ value: Double) {
    tag(field, .fixed64)
    double(value)
  }

  /// Writes a fixed32 field even if it is zero.
  mutating func fixed32(_ field: Int, _ value: UInt32) {
    tag(field, .fixed32)
    raw(value)
  }

  mutating func string(_ field: Int, _ value: String) {
    if !value.isEmpty { present(field, value) }
  }

  mutating func present(_ field: Int, _ value: String) {
    var value = value
    value.withUTF8 { text in
      tag(field, .bytes)
      varint(UInt64(text.count))
      guard let start = text.baseAddress else { return }
      makeRoom(for: text.count)
      unsafe (bytes + count).initialize(from: start, count: text.count)
      count += text.count
    }
  }

  /// Writes a message that has been serialised.
  mutating func message(_ field: Int, _ message: [UInt8]) {
    tag(field, .bytes)
    varint(UInt64(message.count))
    makeRoom(for: message.count)
    for byte in message {
      unsafe bytes[count] = byte
      count += 1
    }
  }

  // MARK: - Messages in messages, packed columns

  /// Begins a length-delimited field. Everything written until `end` is its content.
  @inline(__always)
  mutating func begin(_ field: Int) -> Start {
    tag(field, .bytes)
    makeRoom(for: 1)
    unsafe bytes[count] = 0
    count += 1
    return Start(offset: count)
  }

  /// Ends a length-delimited field, and writes its length into the byte that `begin` reserved.
  /// Content of more than 127 bytes is moved, to make room for a longer length.
  ///
  /// - Precondition: `begin` returned `start` since the last `take`, and the field has not been
  ///   ended.
  @inline(__always)
  mutating func end(_ start: Start) {
    let length = count - start.offset
    precondition(length >= 0)
    if length < 0x80 {
      unsafe bytes[start.offset - 1] = UInt8(truncatingIfNeeded: length)
    } else {
      move(start, length: length)
    }
  }

  @inline(never)
  private mutating func move(_ start: Start, length: Int) {
    let more = (Int.bitWidth - length.leadingZeroBitCount + 6) / 7 - 1
    makeRoom(for: more)
    unsafe (bytes + start.offset + more).update(from: bytes + start.offset, count: length)
    count = start.offset - 1
    varint(UInt64(length))
    count += length
  }

  /// The start of a length-delimited field's content, after the byte reserved for its length.
  struct Start {
    /// At least 2.
    fileprivate let offset: Int
  }
}
