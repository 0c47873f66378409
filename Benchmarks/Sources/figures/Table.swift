// SPDX-License-Identifier: Apache-2.0

/// One figure of the design and what was measured.
struct Figure {
  enum Comparison {
    case atMost(Double)
    case atLeast(Double)
  }

  var name: String
  var target: Comparison
  var unit: String
  var measured: Double

  var isReached: Bool {
    switch target {
    case .atMost(let limit): measured <= limit
    case .atLeast(let limit): measured >= limit
    }
  }

  /// A row: what, how much was wanted, how much it is, whether that is enough.
  var row: String {
    let wanted =
      switch target {
      case .atMost(let limit): "≤ \(limit.short)"
      case .atLeast(let limit): "≥ \(limit.short)"
      }
    return "| \(name) | \(wanted) \(unit) | \(measured.short) \(unit) | "
      + "\(isReached ? "reached" : "not reached") |"
  }
}

extension Double {
  /// Three digits, more or less.
  var short: String {
    if !isFinite { return "–" }
    if self == rounded() || magnitude >= 100 { return String(Int(rounded())) }
    let scale = magnitude >= 10 ? 10.0 : 100
    return String((self * scale).rounded() / scale)
  }
}
