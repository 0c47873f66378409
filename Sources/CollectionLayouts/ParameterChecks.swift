// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// Checks that several layouts apply to their parameters.
extension LayoutFindings {
  /// Rejects a number that is not finite or not allowed.
  mutating func expect(
    _ isAllowed: Bool,
    _ field: String,
    found value: Double,
    allowed: String
  ) {
    if !value.isFinite {
      reject(field, "is \(value); every number must be finite")
    } else if !isAllowed {
      reject(field, "is \(value); \(allowed)")
    }
  }

  /// Rejects a count that is not allowed.
  mutating func expect(
    _ isAllowed: Bool,
    _ field: String,
    found value: Int,
    allowed: String
  ) {
    if !isAllowed { reject(field, "is \(value); allowed are \(allowed)") }
  }

  /// Rejects a repeated field with too many entries.
  mutating func expectCount(_ count: Int, of noun: String, atMost limit: Int, _ field: String) {
    if count > limit { reject(field, "has \(count) \(noun); at most \(limit) are allowed") }
  }

  /// Rejects a number that is not finite.
  mutating func expectFinite(_ value: Double, _ field: String) {
    expect(true, field, found: value, allowed: "")
  }

  /// Rejects a number that is negative or not finite.
  mutating func expectNotNegative(_ value: Double, _ field: String) {
    expect(value >= 0, field, found: value, allowed: "must not be negative")
  }

  /// Rejects a number that is not greater than 0 or not finite.
  mutating func expectPositive(_ value: Double, _ field: String) {
    expect(value > 0, field, found: value, allowed: "must be greater than 0")
  }

  /// Rejects a divisor or distance by which quotients are no longer finite, or that is not finite
  /// itself.
  mutating func expectDivisor(_ value: Double, _ field: String) {
    expect(value >= 0.001, field, found: value, allowed: "must be at least 0.001")
  }

  /// Rejects a size with a length that is negative or not finite.
  mutating func expectLengths(_ size: Size, _ field: String) {
    expectNotNegative(size.width, "\(field).width")
    expectNotNegative(size.height, "\(field).height")
  }

  /// Rejects a point with a coordinate that is not finite.
  mutating func expectFinite(_ point: Point, _ field: String) {
    expectFinite(point.x, "\(field).x")
    expectFinite(point.y, "\(field).y")
  }

  /// Rejects insets that are not all finite.
  mutating func expectFinite(_ insets: EdgeInsets, _ field: String) {
    expectFinite(insets.top, "\(field).top")
    expectFinite(insets.leading, "\(field).leading")
    expectFinite(insets.bottom, "\(field).bottom")
    expectFinite(insets.trailing, "\(field).trailing")
  }
}
