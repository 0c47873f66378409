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

  /// Encodes a message with the generated code.
  package init(_ response: Wire.StreamLayoutResponse) {
    // Serialising fails only if required fields are missing, and proto3 has none. An empty message
    // would be a valid response.
    bytes = (try? response.serializedBytes()) ?? []
  }
}
