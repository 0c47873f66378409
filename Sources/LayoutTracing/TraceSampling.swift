// SPDX-License-Identifier: Apache-2.0

/// Which traces are recorded: those whose caller records them, and a fraction of those that begin
/// here.
public struct TraceSampling: Hashable, Sendable {
  /// A trace is recorded if the lower 63 bits of its identifier are below this.
  private let bound: UInt64

  /// - Parameter ratio: the fraction of the traces that begin here, 0 to 1. Values outside count as
  ///   the nearest of these, and NaN as 0.
  public init(ratio: Double) {
    if ratio >= 1 {
      bound = 1 << 63
    } else {
      bound = ratio > 0 ? UInt64(ratio * 0x1p63) : 0
    }
  }

  /// Whether a trace that begins here is recorded. Servers with the same ratio decide the same.
  func records(_ trace: TraceIdentifier) -> Bool { trace.low & (.max >> 1) < bound }
}
