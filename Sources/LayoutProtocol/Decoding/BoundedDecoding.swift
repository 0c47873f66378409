// SPDX-License-Identifier: Apache-2.0

import GRPCCore
package import SwiftProtobuf

/// Decodes requests in memory that is bounded by what they may hold, not by what they claim.
package enum BoundedDecoding {
  /// Decodes a request. Fields that this version does not know are dropped: nobody would read them,
  /// and what is kept of a request must not keep them.
  ///
  /// - Parameter keepsUnknownFields: for requests parts of which are stored as they were sent; the
  ///   caller limits what it stores.
  /// - Throws: FIELD_INVALID, naming the field, where the request holds more than the limits allow;
  ///   INVALID_ARGUMENT where the bytes are no such message.
  /// - Complexity: O(bytes).
  package static func decode<Output: Message>(
    _ bytes: RawSpan,
    as type: Output.Type = Output.self,
    limits: DecodingLimits = .init(),
    keepsUnknownFields: Bool = false
  ) throws -> Output {
    if let shape = MessageShapes.standard.index(of: type) {
      var census = MessageCensus(limits)
      census.count(bytes, as: shape)
      if let problem = census.problem { throw problem }
    }
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = limits.depth
    options.discardUnknownFields = !keepsUnknownFields
    do {
      return try Output(serializedBytes: bytes, options: options)
    } catch {
      throw LayoutProblem(
        code: .invalidArgument,
        reason: .none,
        message: "The request is not a \(type.protoMessageName): \(error)."
      )
    }
  }
}
