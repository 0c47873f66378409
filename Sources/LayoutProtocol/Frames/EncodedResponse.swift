// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// A `StreamLayoutResponse` as the bytes that travel.
///
/// Frames are written by hand straight from a session's arrays, all else by the generated code: the
/// messages that generated code would build for each element cost more than the layout itself.
public struct EncodedResponse: Sendable {
  public let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  package init(_ response: Wire.StreamLayoutResponse) {
    // Fails for missing required fields alone, which proto3 has not; nothing is a valid response.
    bytes = (try? response.serializedBytes()) ?? []
  }
}
