// SPDX-License-Identifier: Apache-2.0

/// A request of a stream as it arrived. Requests that come with every step of scrolling are decoded
/// without the generated code, which would cost as much as finding the elements for the step.
package enum StreamRequest: Sendable {
  /// A request that only acknowledges a frame or changes the viewport's offset.
  case scroll(ScrollStep)
  /// Any other request. Indirect, which keeps the common case small.
  indirect case message(Wire.StreamLayoutRequest)
  /// A request of more than `largeByteCount` bytes, not decoded yet, because that takes long.
  indirect case undecoded([UInt8])

  /// Requests of up to this many bytes are decoded where they arrive, also those of other calls.
  /// They are so small that a hundred at once, on the shared threads, do not delay anybody.
  package static let largeByteCount = 16 << 10

  /// Takes a request as it arrives: decodes it, unless it is large.
  ///
  /// - Throws: as `init(decoding:limits:)`.
  package init(arriving bytes: RawSpan) throws {
    guard bytes.byteCount > Self.largeByteCount else {
      self = try Self(decoding: bytes)
      return
    }
    self = unsafe .undecoded(bytes.withUnsafeBytes { unsafe Array($0) })
  }

  /// Decodes a request within the bounds of `BoundedDecoding`.
  ///
  /// - Throws: FIELD_INVALID if it exceeds `limits`; INVALID_ARGUMENT if the bytes are not a
  ///   request.
  package init(decoding bytes: RawSpan, limits: DecodingLimits = .init()) throws {
    if let step = ScrollStep(bytes) {
      self = .scroll(step)
    } else {
      self = .message(try BoundedDecoding.decode(bytes, limits: limits))
    }
  }

  /// The request as a message, however it was decoded.
  package var message: Wire.StreamLayoutRequest {
    switch self {
    case .scroll(let step): step.message
    case .message(let message): message
    // Empty if the bytes are no request: `decoded()` says why.
    case .undecoded: (try? decoded())?.message ?? Wire.StreamLayoutRequest()
    }
  }

  /// The request, decoded whatever its size.
  ///
  /// - Throws: as `init(decoding:limits:)`.
  package func decoded() throws -> StreamRequest {
    guard case .undecoded(let bytes) = self else { return self }
    // Safe: the span lives no longer than the array.
    return try unsafe StreamRequest(decoding: bytes.span.bytes)
  }

  /// The bytes of a request that is not decoded yet; nil = it is.
  package var undecodedBytes: [UInt8]? {
    if case .undecoded(let bytes) = self { bytes } else { nil }
  }
}
