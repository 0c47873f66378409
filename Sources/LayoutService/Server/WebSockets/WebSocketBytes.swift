// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import NIOCore

/// A message as the transport has it: a slice of a buffer, without a copy.
struct WebSocketBytes: GRPCContiguousBytes, Hashable, Sendable {
  var buffer: ByteBuffer

  init(_ buffer: ByteBuffer) { self.buffer = buffer }

  init(repeating byte: UInt8, count: Int) {
    buffer = ByteBuffer(repeating: byte, count: count)
  }

  init<Bytes: Sequence>(_ sequence: Bytes) where Bytes.Element == UInt8 {
    buffer = ByteBuffer(bytes: sequence)
  }

  var count: Int { buffer.readableBytes }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try unsafe buffer.withUnsafeReadableBytes(body)
  }

  mutating func withUnsafeMutableBytes<Result>(
    _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try unsafe buffer.withUnsafeMutableReadableBytes(body)
  }
}
