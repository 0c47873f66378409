// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// What is wrong with the parameters of a layout, and what was perhaps not meant.
public struct LayoutFindings: Hashable, Sendable {
  /// Parameters that the layout cannot work with, with paths from its own message on; at most
  /// `limit`.
  public private(set) var violations: [FieldViolation] = []
  /// Parameters that work, though perhaps not as meant; at most `limit`.
  public private(set) var warnings: [FieldViolation] = []

  /// The most findings of either sort that are kept. Later ones are dropped.
  public static let limit = 64

  /// Makes an empty list of findings.
  public init() {}

  /// Adds a violation: a parameter that the layout cannot work with.
  public mutating func reject(_ field: String, _ description: String) {
    guard violations.count < Self.limit else { return }
    violations.append(FieldViolation(field: field, description: description))
  }

  /// Adds a warning: a parameter that works, though perhaps not as meant.
  public mutating func warn(_ field: String, _ description: String) {
    guard warnings.count < Self.limit else { return }
    warnings.append(FieldViolation(field: field, description: description))
  }
}
