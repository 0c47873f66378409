// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension Double {
  /// The number with at most `places` decimals and without trailing zeros: "12", "0.5", "-3.125".
  ///
  /// **Edge cases:** numbers beyond 2⁵³ / 10^places are formatted as Swift formats them.
  func text(places: Int = 2) -> String {
    guard isFinite else { return "\(self)" }
    var scale = 1.0
    for _ in 0 ..< places { scale *= 10 }
    let scaled = (magnitude * scale).rounded()
    guard scaled < 9_007_199_254_740_992 else { return "\(self)" }
    var digits = String(Int(scaled))
    if digits.count <= places {
      digits = String(repeating: "0", count: places + 1 - digits.count) + digits
    }
    let split = digits.index(digits.endIndex, offsetBy: -places)
    var fraction = digits[split...]
    while fraction.last == "0" { fraction.removeLast() }
    let whole = digits[..<split]
    let sign = self < 0 && scaled > 0 ? "-" : ""
    return fraction.isEmpty ? "\(sign)\(whole)" : "\(sign)\(whole).\(fraction)"
  }
}

extension Int {
  /// The sum, or the largest `Int` if the sum is larger. For counts from a server, which may answer
  /// with any numbers.
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  /// The number with commas between groups of three digits: "65,834".
  var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}

extension Size {
  var text: String { "\(width.text())×\(height.text())" }
}

extension Point {
  var text: String { "\(x.text()),\(y.text())" }
}

extension Rect {
  var text: String { "\(x.text()),\(y.text()),\(width.text()),\(height.text())" }
}
