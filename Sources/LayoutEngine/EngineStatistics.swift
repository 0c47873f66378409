// SPDX-License-Identifier: Apache-2.0

/// The size of the cache of prepared layouts, and counters since the engine was made.
public struct EngineStatistics: Hashable, Sendable {
  /// Prepared layouts in the cache.
  public var entries = 0
  /// Bytes that the entries keep in memory: the layouts, their keys, and the contents that they
  /// were prepared for. Contents are counted once for each version, and in full even if versions
  /// share parts.
  public var bytes = 0
  /// Requests answered from the cache, also those that are known to exceed a limit, or by a
  /// computation that was already pending.
  public var hits: UInt64 = 0
  /// Computations that were started.
  public var misses: UInt64 = 0
  /// Computations that derived a layout from one of an older version.
  public var incrementalUpdates: UInt64 = 0
  /// Prepared layouts evicted because the cache or the server had reached its limit.
  public var evictions: UInt64 = 0

  /// Creates statistics with all zeros.
  public init() {}
}
