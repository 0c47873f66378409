// SPDX-License-Identifier: Apache-2.0

/// Collects what is wrong, as far as it has the same reason as the first that was found.
struct Violations {
  private(set) var error: UpdateError?

  /// So many are enough to see what is meant.
  static let limit = 16

  var isEmpty: Bool { error == nil }

  /// Whether more would be left out.
  var isFull: Bool { (error?.violations.count ?? 0) >= Self.limit }

  mutating func add(_ reason: UpdateError.Reason, _ field: String, _ description: String) {
    let violation = UpdateError.Violation(field: field, description: description)
    guard error != nil else {
      error = UpdateError(reason, [violation])
      return
    }
    if error?.reason == reason && !isFull { error?.violations.append(violation) }
  }

  func throwIfAny() throws(UpdateError) {
    if let error { throw error }
  }
}
