// SPDX-License-Identifier: Apache-2.0

/// What the cache of prepared layouts holds and has done.
public struct EngineStatistics: Hashable, Sendable {
  /// Prepared layouts in the cache.
  public var entries = 0
  /// What these keep in memory: the layouts, their keys, and the contents that they were prepared
  /// for, once for each version. Versions that share are counted in full.
  public var bytes = 0
  /// Requests answered from the cache, or by a computation that was already under way.
  public var hits: UInt64 = 0
  /// Requests that led to a computation.
  public var misses: UInt64 = 0
  /// Those of the computations that began from an older version.
  public var incrementalUpdates: UInt64 = 0
  /// Prepared layouts dropped to make room.
  public var evictions: UInt64 = 0

  public init() {}
}
