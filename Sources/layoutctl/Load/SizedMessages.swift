// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import GRPCProtobuf
import LayoutProtocol

/// A response with its size in bytes. Finding out the size later would need another serialization.
struct SizedResponse: Sendable {
  var message: Wire.StreamLayoutResponse
  var byteCount: Int
}

struct SizedResponseDeserializer: MessageDeserializer {
  private let base = ProtobufDeserializer<Wire.StreamLayoutResponse>()

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> SizedResponse {
    SizedResponse(
      message: try base.deserialize(bytes),
      byteCount: unsafe bytes.withUnsafeBytes { $0.count }
    )
  }
}

/// A serializer that reports the size of each request.
struct CountingRequestSerializer: MessageSerializer {
  /// Called with the size of each request in bytes.
  let count: @Sendable (Int) -> Void
  private let base = ProtobufSerializer<Wire.StreamLayoutRequest>()

  init(_ count: @escaping @Sendable (Int) -> Void) { self.count = count }

  func serialize<Bytes: GRPCContiguousBytes>(_ message: Wire.StreamLayoutRequest) throws -> Bytes {
    let bytes: Bytes = try base.serialize(message)
    count(unsafe bytes.withUnsafeBytes { $0.count })
    return bytes
  }
}
