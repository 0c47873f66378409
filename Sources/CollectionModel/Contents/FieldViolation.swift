// SPDX-License-Identifier: Apache-2.0

/// A field with an invalid value.
public struct FieldViolation: Hashable, Sendable {
  /// A path in the contract's names, from the message that was checked on:
  /// "operations[3].move_item.to". Empty if the message itself is at fault.
  public var field: String
  /// What was found and what is allowed.
  public var description: String

  /// A violation of one field.
  public init(field: String, description: String) {
    self.field = field
    self.description = description
  }

  /// The same, seen from a message that holds the checked one in its field `prefix`; empty = from
  /// the checked message itself.
  public func within(_ prefix: String) -> FieldViolation {
    if prefix.isEmpty { return self }
    return FieldViolation(
      field: field.isEmpty ? prefix : "\(prefix).\(field)",
      description: description
    )
  }

  /// A sentence with the first violation and the number of the others; nil if there is none.
  public static func summary(of violations: [FieldViolation]) -> String? {
    guard let first = violations.first else { return nil }
    let others = violations.count > 1 ? " (and \(violations.count - 1) more)" : ""
    let field = first.field.isEmpty ? "" : "\(first.field): "
    return "\(field)\(first.description)\(others)."
  }
}
