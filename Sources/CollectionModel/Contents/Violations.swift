// SPDX-License-Identifier: Apache-2.0

/// Collects violations: the first one, and those after it that have the same reason.
struct Violations {
  /// What was collected; nil = nothing.
  private(set) var error: Refusal?

  /// The most violations that are collected: enough to see what is wrong, and few enough for an
  /// answer.
  static let limit = 16

  var isEmpty: Bool { error == nil }

  /// Whether further violations are dropped.
  var isFull: Bool { (error?.violations.count ?? 0) >= Self.limit }

  /// Adds a violation, unless it has another reason than the first or there are `limit` already.
  ///
  /// - Parameter field: a path in the contract's names.
  /// - Parameter description: what was found and what is allowed.
  mutating func add(_ reason: Refusal.Reason, _ field: String, _ description: String) {
    let violation = FieldViolation(field: field, description: description)
    guard error != nil else {
      error = Refusal(reason, [violation])
      return
    }
    if error?.reason == reason && !isFull { error?.violations.append(violation) }
  }

  /// - Throws: what was collected, if anything.
  func throwIfAny() throws(Refusal) {
    if let error { throw error }
  }
}
