// SPDX-License-Identifier: Apache-2.0

package import CollectionModel
import GRPCCore

/// Keys of values that `Problem` has no fields for and that are sent in its metadata.
private enum MetadataKey {
  static let retryDelay = "retryDelayMilliseconds"
  static let resourceType = "resourceType"
  static let resourceName = "resourceName"
}

extension Wire.Problem {
  /// The problem as the answer to one event.
  package init(_ problem: LayoutProblem) {
    let problem = problem.cut
    self.init()
    code = UInt32(clamping: problem.code.rawValue)
    reason = problem.reason.rawValue
    message = problem.message
    fieldViolations = problem.violations.map(Wire.FieldViolation.init)
    metadata = problem.metadata
    if let delay = problem.retryDelay {
      metadata[MetadataKey.retryDelay] = String(delay.wholeMilliseconds)
    }
    if let resource = problem.resource {
      metadata[MetadataKey.resourceType] = resource.type
      metadata[MetadataKey.resourceName] = resource.name
    }
  }
}

extension Wire.FieldViolation {
  /// The message of a violation.
  package init(_ violation: FieldViolation) {
    self.init()
    field = violation.field
    description_p = violation.description
  }
}

extension FieldViolation {
  /// The violation of a message.
  package init(_ message: Wire.FieldViolation) {
    self.init(field: message.field, description: message.description_p)
  }
}

extension LayoutProblem {
  /// The problem that a server reported for one event. A code or delay that cannot be read becomes
  /// `unknown` or nil.
  package init(_ message: Wire.Problem) {
    var metadata = message.metadata
    let delay = metadata.removeValue(forKey: MetadataKey.retryDelay).flatMap { Int64($0) }
    let type = metadata.removeValue(forKey: MetadataKey.resourceType)
    let name = metadata.removeValue(forKey: MetadataKey.resourceName)
    self.init(
      code: Status.Code(rawValue: Int(message.code)).flatMap { RPCError.Code($0) } ?? .unknown,
      reason: Reason(rawValue: message.reason),
      message: message.message,
      violations: message.fieldViolations.map(FieldViolation.init),
      metadata: metadata,
      resource: type.map { Resource(type: $0, name: name ?? "") },
      retryDelay: delay.map { .milliseconds($0) }
    )
  }
}

extension Duration {
  /// Milliseconds, rounded towards zero and clamped to `Int64`.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    let sum = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
  }
}
