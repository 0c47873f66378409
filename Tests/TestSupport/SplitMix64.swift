// SPDX-License-Identifier: Apache-2.0

/// A small generator whose sequence depends on its seed alone (Steele, Lea, Flood 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  public mutating func int(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  public mutating func double(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  /// One of 0 ..< `limit`; 0 where there is none.
  public mutating func below(_ limit: Int) -> Int { int(0 ... max(limit, 1) - 1) }

  /// True so often.
  public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
