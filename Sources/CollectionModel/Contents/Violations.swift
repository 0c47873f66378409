// SPDX-License-Identifier: Apache-2.0

/// Collects what is wrong, as far as it has the same reason as the first that was found.
struct Violations {
  private(set) var error: Refusal?

  /// So many are enough to see what is meant.
  static let limit = 16

  var isEmpty: Bool { error == nil }

  /// Whether more would be left out.
  var isFull: Bool { (error?.violations.count ?? 0) >= Self.limit }

  mutating func add(_ reason: Refusal.Reason, _ field: String, _ description: String) {
    let violation = FieldViolation(field: field, description: description)
    guard error != nil else {
      error = Refusal(reason, [violation])
      return
    }
    if error?.reason == reason && !isFull { error?.violations.append(violation) }
  }

  func throwIfAny() throws(Refusal) {
    if let error { throw error }
  }
}
