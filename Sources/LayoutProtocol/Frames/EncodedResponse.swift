// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// An encoded `StreamLayoutResponse`.
///
/// Frames are encoded by hand-written code directly from a session's arrays, and everything else by
/// the generated code: building a generated message for each element would cost more than the
/// layout itself.
public struct EncodedResponse: Sendable {
  /// The encoded message.
  public let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// A part of a frame with other numbers, for another client that is sent the same changes.
  ///
  /// - Parameters:
  ///   - sequence: the number of the frame, above 0.
  ///   - base: the number of the frame that it changes; 0 = it is a keyframe.
  /// - Returns: nil = this is not a part of a frame as `FrameEncoder` makes them.
  /// - Complexity: O(bytes)
  package func renumbered(_ sequence: UInt64, base: UInt64) -> EncodedResponse? {
    // The frame is the only field, and its numbers are its first ones.
    // Safe: the span is used only here, while the array is not changed.
    let span = unsafe bytes.span.bytes
    var cursor = WireCursor(count: bytes.count)
    guard cursor.varint(in: span) == Self.frameTag, let length = cursor.varint(in: span),
      length == UInt64(cursor.range.count), cursor.varint(in: span) == Self.sequenceTag,
      cursor.varint(in: span) != nil
    else { return nil }
    var rest = cursor.range
    if cursor.varint(in: span) == Self.baseTag {
      guard cursor.varint(in: span) != nil else { return nil }
      rest = cursor.range
    }
    var writer = WireWriter(capacity: 32)
    writer.uint(1, sequence)
    writer.uint(2, base)
    let numbers = writer.take()
    writer.varint(Self.frameTag)
    writer.varint(UInt64(numbers.count + rest.count))
    var renumbered: [UInt8] = []
    renumbered.reserveCapacity(bytes.count + 32)
    renumbered += writer.take()
    renumbered += numbers
    renumbered += bytes[rest]
    return EncodedResponse(bytes: renumbered)
  }

  private static let frameTag: UInt64 = 2 << 3 | 2
  private static let sequenceTag: UInt64 = 1 << 3
  private static let baseTag: UInt64 = 2 << 3

  /// Encodes a message with the generated code.
  package init(_ response: Wire.StreamLayoutResponse) {
    // Serialising fails only if required fields are missing, and proto3 has none. An empty message
    // would be a valid response.
    bytes = (try? response.serializedBytes()) ?? []
  }
}
