// SPDX-License-Identifier: Apache-2.0

package import SwiftProtobuf

extension FieldReader {
  /// Checks a number: finite and of at most `limit` in magnitude; 0 if it is refused.
  @inline(__always)
  package mutating func number(_ value: Double, _ name: StaticString) -> Double {
    // False for NaN as well.
    if value.magnitude <= limit { return value }
    reject(name, "\(value) found; finite numbers of at most 2^40 in magnitude are allowed")
    return 0
  }

  /// Checks a length: finite, not negative and at most `limit`; 0 if it is refused.
  @inline(__always)
  package mutating func length(_ value: Double, _ name: StaticString) -> Double {
    if value >= 0, value <= limit { return value }
    reject(name, "\(value) found; finite numbers from 0 to 2^40 are allowed")
    return 0
  }

  /// Checks a number against a range; the lower bound if it is refused.
  package mutating func number(
    _ value: Double,
    _ name: StaticString,
    in range: ClosedRange<Double>
  ) -> Double {
    if range.contains(value) { return value }
    reject(
      name,
      "\(value) found; finite numbers from \(range.lowerBound) to \(range.upperBound) are "
        + "allowed"
    )
    return range.lowerBound
  }

  /// Checks a column of an item block: empty, one value for all items, or one for each. Empty if it
  /// is refused.
  ///
  /// - Parameters:
  ///   - count: the number of items.
  ///   - lowest: the lowest value that is allowed.
  /// - Complexity: O(n), without allocating.
  mutating func column(
    _ values: [Double],
    _ name: StaticString,
    count: Int,
    from lowest: Double
  ) -> [Double] {
    guard columnCount(values.count, name, count: count) else { return [] }
    let highest = FieldReader.maxMagnitude
    // A plain loop over the storage, because a block may have several hundred thousand values.
    let span = values.span
    var fault = -1
    for index in span.indices where !(span[index] >= lowest && span[index] <= highest) {
      fault = index
      break
    }
    guard fault >= 0 else { return values }
    reject(
      name,
      at: fault,
      "\(values[fault]) found; finite numbers "
        + (lowest == 0 ? "from 0 to 2^40 are allowed" : "of at most 2^40 in magnitude are allowed")
    )
    return []
  }

  /// Whether a column has an allowed number of values; otherwise refuses it.
  mutating func columnCount(_ found: Int, _ name: StaticString, count: Int) -> Bool {
    if found == 0 || found == 1 || found == count { return true }
    reject(name, "\(found) values found; none, 1 or count = \(count) are allowed")
    return false
  }

  /// Whether a repeated field has at most `limit` values; otherwise refuses it.
  mutating func limit(_ found: Int, _ name: StaticString, to limit: Int) -> Bool {
    if found <= limit { return true }
    reject(name, "\(found) values found; at most \(limit) are allowed")
    return false
  }

  /// Reads a value of an enumeration.
  ///
  /// - Parameter map: returns nil for values to refuse.
  /// - Returns: what `map` returns.
  package mutating func choice<Choice: SwiftProtobuf.Enum & CaseIterable, Value>(
    _ choice: Choice,
    _ name: StaticString,
    _ map: (Choice) -> Value?
  ) -> Value? where Choice.RawValue == Int {
    if let value = map(choice) { return value }
    let known = Choice.allCases.map(\.rawValue)
    reject(
      name,
      "\(choice.rawValue) is unknown; \(known.min() ?? 0) to \(known.max() ?? 0) are allowed"
    )
    return nil
  }

  /// Checks the length of a string, in UTF-8 bytes; "" if it is refused.
  package mutating func text(
    _ value: String,
    _ name: StaticString,
    maxBytes: Int
  ) -> String {
    if value.utf8.count <= maxBytes { return value }
    reject(name, "\(value.utf8.count) bytes found; at most \(maxBytes) are allowed")
    return ""
  }
}
