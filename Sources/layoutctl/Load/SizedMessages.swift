// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import GRPCProtobuf
import LayoutProtocol

/// A response with its size in bytes, which costs a second serialization to find out later.
struct SizedResponse: Sendable {
  var message: Wire.StreamLayoutResponse
  var byteCount: Int
}

struct SizedResponseDeserializer: MessageDeserializer {
  private let base = ProtobufDeserializer<Wire.StreamLayoutResponse>()

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> SizedResponse {
    SizedResponse(
      message: try base.deserialize(bytes),
      byteCount: bytes.withUnsafeBytes { $0.count }
    )
  }
}

/// Counts what it serializes.
struct CountingRequestSerializer: MessageSerializer {
  /// Is told the size of each request.
  let count: @Sendable (Int) -> Void
  private let base = ProtobufSerializer<Wire.StreamLayoutRequest>()

  init(_ count: @escaping @Sendable (Int) -> Void) { self.count = count }

  func serialize<Bytes: GRPCContiguousBytes>(_ message: Wire.StreamLayoutRequest) throws -> Bytes {
    let bytes: Bytes = try base.serialize(message)
    count(bytes.withUnsafeBytes { $0.count })
    return bytes
  }
}
