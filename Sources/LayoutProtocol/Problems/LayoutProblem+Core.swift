// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
import GRPCCore
public import LayoutSession

// Errors of the core as problems of the protocol.

extension LayoutProblem {
  /// The refusal of a batch or of contents by the model.
  public init(_ error: UpdateError) {
    let violations = error.violations.map {
      Violation(field: $0.field, description: $0.description)
    }
    switch error.reason {
    case .batchInconsistent: self = .batchInconsistent(violations)
    case .indexOutOfRange: self = .indexOutOfRange(violations)
    case .fieldInvalid: self = .fieldsInvalid(violations)
    case .quotaItems, .quotaSections, .quotaOperations:
      self.init(
        code: .resourceExhausted,
        reason: Reason(rawValue: error.reason.rawValue),
        message: LayoutProblem.summary(of: violations, else: "A limit was reached."),
        violations: violations
      )
    }
  }

  /// The refusal of one event by a session.
  public init(_ problem: EventProblem) {
    self.init(
      code: Status.Code(rawValue: problem.reason.code).flatMap { RPCError.Code($0) } ?? .unknown,
      reason: Reason(rawValue: problem.reason.rawValue),
      message: problem.message,
      violations: problem.violations.map { .init(field: $0.field, description: $0.description) },
      metadata: problem.metadata
    )
  }

  /// The end of a stream whose client broke the protocol.
  public init(_ violation: ProtocolViolation) {
    self = .protocolViolation(violation.description)
  }
}

extension EventProblem {
  /// A problem that was found outside of the session, as the answer to one of its events.
  ///
  /// - Returns: nil if problems of this reason end the stream or call instead of one event.
  public init?(_ problem: LayoutProblem) {
    guard let reason = Reason(rawValue: problem.reason.rawValue) else { return nil }
    self.init(
      reason,
      problem.message,
      violations: problem.violations.map { .init(field: $0.field, description: $0.description) },
      metadata: problem.metadata
    )
  }
}
