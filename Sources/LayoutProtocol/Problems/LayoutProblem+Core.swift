// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import GRPCCore
public import LayoutSession

// Errors of the core as problems of the protocol.

extension LayoutProblem {
  /// Contents, a batch or an event that the core refused.
  public init(_ refusal: Refusal) {
    self.init(
      code: refusal.reason.code,
      reason: Reason(rawValue: refusal.reason.rawValue),
      message: refusal.message,
      violations: refusal.violations,
      metadata: refusal.metadata
    )
  }

  /// The end of a stream whose client broke the protocol.
  public init(_ violation: ProtocolViolation) {
    self = .protocolViolation(violation.description)
  }
}

extension Refusal.Reason {
  /// The status of a call that fails with it, and the code of an event's problem.
  var code: RPCError.Code {
    switch self {
    case .fieldInvalid, .batchInconsistent: .invalidArgument
    case .keyUnknown, .layoutNotFound: .notFound
    case .keyTaken: .alreadyExists
    case .elementHidden: .failedPrecondition
    case .indexOutOfRange: .outOfRange
    case .quotaItems, .quotaSections, .quotaOperations, .quotaExpansions, .quotaMeasurements,
      .quotaMemory, .quotaSteps:
      .resourceExhausted
    case .versionConflict: .aborted
    case .wrongState, .moveRefused: .failedPrecondition
    case .featureUnsupported: .unimplemented
    case .permissionDenied: .permissionDenied
    }
  }
}
