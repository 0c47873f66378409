// SPDX-License-Identifier: Apache-2.0

/// Why contents or a batch were refused.
public struct UpdateError: Error, Hashable {
  /// What kind of fault it is; raw values are the reasons of the contract.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// Operations contradict each other, or what is there.
    case batchInconsistent = "BATCH_INCONSISTENT"
    case indexOutOfRange = "INDEX_OUT_OF_RANGE"
    /// A value that no collection may have.
    case fieldInvalid = "FIELD_INVALID"
    case quotaItems = "QUOTA_ITEMS"
    case quotaSections = "QUOTA_SECTIONS"
    case quotaOperations = "QUOTA_OPERATIONS"
  }

  /// One field at fault.
  public struct Violation: Hashable, Sendable {
    /// A path in the contract's names: "operations[3].move_item.to".
    public var field: String
    /// What was found and what is allowed.
    public var description: String

    public init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  public var reason: Reason
  /// At least one; not necessarily all that is wrong.
  public var violations: [Violation]

  public init(_ reason: Reason, _ violations: [Violation]) {
    self.reason = reason
    self.violations = violations
  }

  public init(_ reason: Reason, field: String, _ description: String) {
    self.init(reason, [Violation(field: field, description: description)])
  }

  /// The same with every field's path led by another: "batch" + "operations[0]".
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
  public var description: String {
    let details = violations.map { "\($0.field): \($0.description)" }
    return "\(reason.rawValue): \(details.joined(separator: "; "))"
  }
}
