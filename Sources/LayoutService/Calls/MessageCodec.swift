// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import SwiftProtobuf

/// A request before it is decoded.
struct RequestBytes: Sendable {
  let bytes: [UInt8]
}

/// An encoded answer.
struct AnswerBytes: Sendable {
  let bytes: [UInt8]
}

/// Decodes requests and encodes answers: small ones at once, large ones on the engine's threads, so
/// that they delay nobody else.
struct MessageCodec: Sendable {
  /// The most bytes of one request or answer.
  let limit: Int
  let engine: LayoutEngine

  /// - Parameter isCharged: whether the memory of a large request is charged to the call until the
  ///   call ends.
  /// - Throws: as `BoundedDecoding.decode`; QUOTA_MEMORY.
  func decode<Request: Message>(
    _ request: RequestBytes,
    for call: OpenCall,
    isCharged: Bool = true
  ) async throws -> Request {
    call.charge(bytes: request.bytes.count)
    let decode: @Sendable (_ charge: (Int) throws -> Void) throws -> Request = { charge in
      // Layouts are stored as they were sent, and their limit includes unknown fields.
      // Safe: the span lives no longer than the array, which the closure holds.
      try unsafe BoundedDecoding.decode(
        request.bytes.span.bytes,
        keepsUnknownFields: Request.self == CollectionLayout_V1_CreateCollectionRequest.self
          || Request.self == CollectionLayout_V1_UpdateCollectionRequest.self
          || Request.self == CollectionLayout_V1_CreateLayoutRequest.self
          || Request.self == CollectionLayout_V1_UpdateLayoutRequest.self,
        charge: charge
      )
    }
    guard request.bytes.count > StreamRequest.largeByteCount else {
      return try decode { _ in }
    }
    // Charged before decoding, because many requests may wait for their turn.
    if isCharged { try call.keepRequest(request.bytes.count) }
    return try await engine.performUninterrupted(for: call.account) {
      try decode { size in
        guard isCharged else { return }
        try call.keepRequest(size)
        // The cost depends on the number of messages and texts more than on the bytes.
        call.charge(Double(size) / 16_384 + Double(request.bytes.count) / 4096)
      }
    }
  }

  /// - Parameter isLarge: whether encoding may take more than some milliseconds.
  /// - Throws: QUOTA_ANSWER_BYTES if the answer is larger than clients accept.
  func encode<Answer: Message>(
    _ answer: Answer,
    isLarge: Bool = false,
    for call: OpenCall
  ) async throws -> AnswerBytes {
    let bytes: [UInt8] = try await engine.read(isLarge: isLarge, for: call.account) {
      try answer.serializedBytes()
    }
    guard bytes.count <= limit else {
      throw LayoutProblem.quotaExceeded(
        .answerBytes,
        limit: UInt64(clamping: limit),
        found: UInt64(bytes.count)
      )
    }
    return AnswerBytes(bytes: bytes)
  }
}

/// Copies the bytes of requests within the size limit.
struct RequestBytesDeserializer: MessageDeserializer {
  let limit: Int

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> RequestBytes {
    // Safe: a copy of the bytes leaves the closure, not the pointer.
    try unsafe bytes.withUnsafeBytes { bytes in
      guard bytes.count <= limit else {
        throw LayoutProblem.messageTooLarge(found: bytes.count, limit: limit)
      }
      return unsafe RequestBytes(bytes: Array(bytes))
    }
  }
}

/// Passes on bytes that are encoded already.
struct AnswerBytesSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: AnswerBytes) throws -> Bytes {
    Bytes(message.bytes)
  }
}

/// Reads requests of a stream within the size limit, and decodes small ones.
struct StreamRequestDeserializer: MessageDeserializer {
  let limit: Int

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> StreamRequest {
    // Safe: what is decoded has copies of the bytes, no views.
    try unsafe bytes.withUnsafeBytes { bytes in
      guard bytes.count <= limit else {
        throw LayoutProblem.messageTooLarge(found: bytes.count, limit: limit)
      }
      return try unsafe StreamRequest(arriving: bytes.bytes)
    }
  }
}

/// Passes on bytes that are encoded already.
struct EncodedResponseSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: EncodedResponse) throws -> Bytes {
    Bytes(message.bytes)
  }
}
