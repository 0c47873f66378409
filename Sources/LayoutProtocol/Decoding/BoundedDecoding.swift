// SPDX-License-Identifier: Apache-2.0

import GRPCCore
package import SwiftProtobuf

/// Decodes requests within a bounded amount of memory: the messages in a request are counted before
/// anything is allocated for them.
package enum BoundedDecoding {
  /// Roughly the memory that a request takes while it is decoded, in bytes: the size of the
  /// request, an overhead for each message in it, and its texts and numbers as they are decoded.
  ///
  /// - Complexity: O(bytes), some nanoseconds for each field.
  package static func decodedByteCount(
    _ bytes: RawSpan,
    as type: any Message.Type,
    limits: DecodingLimits = .init()
  ) -> Int {
    var census = MessageCensus(limits)
    if let shape = MessageShapes.standard.index(of: type) { census.count(bytes, as: shape) }
    return byteCount(of: bytes, census)
  }

  private static func byteCount(of bytes: RawSpan, _ census: MessageCensus) -> Int {
    // No overflow: messages are counted up to a limit, and no request has 2⁵⁰ bytes.
    bytes.byteCount + census.messages * 320 + census.byteCount
  }

  /// Decodes a request. By default, fields that this version does not know are dropped, so that no
  /// stored part of a request keeps them in memory.
  ///
  /// - Parameter keepsUnknownFields: true for requests of which parts are stored as they were sent;
  ///   the caller limits what it stores.
  /// - Parameter charge: receives `decodedByteCount` before anything is decoded; may refuse it.
  /// - Throws: FIELD_INVALID, naming the field, if the request exceeds `limits`; INVALID_ARGUMENT
  ///   if the bytes are not a message of this type; what `charge` throws.
  /// - Complexity: O(bytes).
  package static func decode<Output: Message>(
    _ bytes: RawSpan,
    as type: Output.Type = Output.self,
    limits: DecodingLimits = .init(),
    keepsUnknownFields: Bool = false,
    charge: (Int) throws -> Void = { _ in }
  ) throws -> Output {
    var census = MessageCensus(limits)
    if let shape = MessageShapes.standard.index(of: type) { census.count(bytes, as: shape) }
    if let problem = census.problem { throw problem }
    try charge(byteCount(of: bytes, census))
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = limits.depth
    options.discardUnknownFields = !keepsUnknownFields
    do {
      return try Output(serializedBytes: bytes, options: options)
    } catch {
      throw LayoutProblem(
        code: .invalidArgument,
        reason: .none,
        message: "The request is not a valid \(type.protoMessageName): "
          + "\(fault(error, depth: limits.depth))."
      )
    }
  }

  /// What is wrong with the bytes, in words.
  private static func fault(_ error: any Error, depth: Int) -> String {
    switch error as? BinaryDecodingError {
    case .truncated: "its bytes end within a field"
    case .invalidUTF8: "a text is not UTF-8"
    case .messageDepthLimit: "messages are nested more than \(depth) deep"
    case .malformedProtobuf, .trailingGarbage: "its bytes are not fields of protobuf"
    case let other: other.map { "\($0)" } ?? "\(error)"
    }
  }
}
