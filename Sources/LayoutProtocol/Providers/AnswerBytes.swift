// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// A message of a provider's answer before it is decoded.
struct AnswerBytes: Sendable {
  let bytes: [UInt8]
}

/// Leaves messages as they are: they arrive on threads that all streams share, and decoding a large
/// one takes long.
struct AnswerBytesDeserializer: MessageDeserializer {
  func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) -> AnswerBytes {
    // Safe: the bytes are copied before the closure returns.
    unsafe serializedMessageBytes.withUnsafeBytes { unsafe AnswerBytes(bytes: Array($0)) }
  }
}
