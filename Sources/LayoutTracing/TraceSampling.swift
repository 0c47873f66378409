// SPDX-License-Identifier: Apache-2.0

/// Which traces are recorded: those whose caller records them, and a part of those that begin here.
public struct TraceSampling: Hashable, Sendable {
  /// Of the lower 63 bits of a trace's identifier, what is below is recorded.
  private let bound: UInt64

  /// - Parameter ratio: the part of the traces that begin here, 0 to 1. Values outside count as the nearest
  ///   of these, and NaN as 0.
  public init(ratio: Double) {
    if ratio >= 1 {
      bound = 1 << 63
    } else {
      bound = ratio > 0 ? UInt64(ratio * 0x1p63) : 0
    }
  }

  /// Whether a trace that begins here is recorded. Servers with the same ratio decide alike.
  func records(_ trace: TraceIdentifier) -> Bool { trace.low & (.max >> 1) < bound }
}
