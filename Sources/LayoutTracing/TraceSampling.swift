// SPDX-License-Identifier: Apache-2.0

/// Which traces are recorded: those whose caller records them, up to a number per second, and a
/// fraction of those that begin here.
public struct TraceSampling: Hashable, Sendable {
  /// A trace is recorded if the lower 63 bits of its identifier are below this.
  private let bound: UInt64
  /// The most spans per second that begin because their caller says so.
  let callsPerSecond: Int

  /// - Parameters:
  ///   - ratio: the fraction of the traces that begin here, 0 to 1. Values outside count as the
  ///     nearest of these, and NaN as 0.
  ///   - callsPerSecond: the most calls per second that are recorded because their caller records
  ///     them; of further ones the same fraction is recorded as of traces that begin here.
  public init(ratio: Double, callsPerSecond: Int = 100) {
    self.callsPerSecond = max(0, callsPerSecond)
    if ratio >= 1 {
      bound = 1 << 63
    } else {
      bound = ratio > 0 ? UInt64(ratio * 0x1p63) : 0
    }
  }

  /// Whether a trace that begins here is recorded. Servers with the same ratio decide the same.
  func records(_ trace: TraceIdentifier) -> Bool { trace.low & (.max >> 1) < bound }
}
