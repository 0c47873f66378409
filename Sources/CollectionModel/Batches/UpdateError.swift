// SPDX-License-Identifier: Apache-2.0

/// Why contents or a batch were refused.
public struct UpdateError: Error, Hashable {
  /// The kind of fault; raw values are the reasons of the contract.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Operations contradict each other or the contents.
    case batchInconsistent = "BATCH_INCONSISTENT"
    /// A section or an item does not exist.
    case indexOutOfRange = "INDEX_OUT_OF_RANGE"
    /// A value that no collection may have.
    case fieldInvalid = "FIELD_INVALID"
    /// More items than `ContentsLimits.items`.
    case quotaItems = "QUOTA_ITEMS"
    /// More sections than `ContentsLimits.sections`.
    case quotaSections = "QUOTA_SECTIONS"
    /// More operations than `ContentsLimits.operations`.
    case quotaOperations = "QUOTA_OPERATIONS"
  }

  /// One field at fault.
  public struct Violation: Hashable, Sendable {
    /// A path in the contract's names: "operations[3].move_item.to".
    public var field: String
    /// What was found and what is allowed.
    public var description: String

    /// A violation of one field.
    public init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  /// The reason that all `violations` have in common.
  public var reason: Reason
  /// At least one, and at most 16; there may be further faults.
  public var violations: [Violation]

  /// An error with the given violations, of which there must be one.
  public init(_ reason: Reason, _ violations: [Violation]) {
    self.reason = reason
    self.violations = violations
  }

  /// An error with one violation.
  public init(_ reason: Reason, field: String, _ description: String) {
    self.init(reason, [Violation(field: field, description: description)])
  }

  /// The same error with a path before the path of every field: "batch" makes "batch.operations[0]" of
  /// "operations[0]".
  public func prefixed(by path: String) -> UpdateError {
    var error = self
    for i in error.violations.indices {
      let field = error.violations[i].field
      error.violations[i].field = field.isEmpty ? path : "\(path).\(field)"
    }
    return error
  }
}

extension UpdateError: CustomStringConvertible {
  /// The reason, then field and description of every violation.
  public var description: String {
    let details = violations.map { "\($0.field): \($0.description)" }
    return "\(reason.rawValue): \(details.joined(separator: "; "))"
  }
}
