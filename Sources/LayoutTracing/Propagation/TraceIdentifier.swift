// SPDX-License-Identifier: Apache-2.0

/// The identifier of a trace: 16 bytes, not all zero.
public struct TraceIdentifier: Hashable, Sendable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  /// nil = all zero.
  init?(high: UInt64, low: UInt64) {
    guard high | low != 0 else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// A random one.
  init(using generator: inout some RandomNumberGenerator) {
    high = .random(in: .min ... .max, using: &generator)
    low = .random(in: 1 ... .max, using: &generator)
  }

  var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

  /// 32 digits.
  public var description: String { high.hexadecimal + low.hexadecimal }
}

/// The identifier of a span within its trace: 8 bytes, not all zero.
public struct SpanIdentifier: Hashable, Sendable, CustomStringConvertible {
  let value: UInt64

  /// nil = zero.
  init?(_ value: UInt64) {
    guard value != 0 else { return nil }
    self.value = value
  }

  /// A random one.
  init(using generator: inout some RandomNumberGenerator) {
    value = .random(in: 1 ... .max, using: &generator)
  }

  var bytes: [UInt8] { value.bigEndianBytes }

  /// 16 digits.
  public var description: String { value.hexadecimal }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] {
    (0 ..< 8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }
  }

  fileprivate var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
