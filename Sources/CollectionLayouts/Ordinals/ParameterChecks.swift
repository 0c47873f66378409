// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// The rules that parameters of several layouts keep to.
extension LayoutFindings {
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

  /// For counts.
  mutating func expect(
    _ isAllowed: Bool,
    _ field: String,
    found value: Int,
    allowed: String
  ) {
    if !isAllowed { reject(field, "is \(value); allowed are \(allowed)") }
  }

  /// For repeated fields.
  mutating func expectCount(_ count: Int, of noun: String, atMost limit: Int, _ field: String) {
    if count > limit { reject(field, "has \(count) \(noun); at most \(limit) are allowed") }
  }

  mutating func expectFinite(_ value: Double, _ field: String) {
    expect(true, field, found: value, allowed: "")
  }

  mutating func expectNotNegative(_ value: Double, _ field: String) {
    expect(value >= 0, field, found: value, allowed: "must not be negative")
  }

  mutating func expectPositive(_ value: Double, _ field: String) {
    expect(value > 0, field, found: value, allowed: "must be greater than 0")
  }

  mutating func expectLengths(_ size: Size, _ field: String) {
    expectNotNegative(size.width, "\(field).width")
    expectNotNegative(size.height, "\(field).height")
  }

  mutating func expectFinite(_ point: Point, _ field: String) {
    expectFinite(point.x, "\(field).x")
    expectFinite(point.y, "\(field).y")
  }

  mutating func expectFinite(_ insets: EdgeInsets, _ field: String) {
    expectFinite(insets.top, "\(field).top")
    expectFinite(insets.leading, "\(field).leading")
    expectFinite(insets.bottom, "\(field).bottom")
    expectFinite(insets.trailing, "\(field).trailing")
  }
}
