// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The newest entries of a log with one entry for each version, limited by count and by bytes.
struct VersionedLog<Entry> {
  private let countLimit: Int
  private let byteLimit: Int
  private var entries: Deque<(entry: Entry, bytes: Int)> = []
  /// Bytes of the entries, as `append` was told.
  private(set) var byteCount = 0
  /// The version that the oldest entry leads on from. Without entries, the newest version.
  private(set) var start: UInt64

  /// An empty log after `version`.
  init(after version: UInt64, countLimit: Int, byteLimit: Int) {
    start = version
    self.countLimit = countLimit
    self.byteLimit = byteLimit
  }

  /// The version that the newest entry leads to.
  var end: UInt64 { start &+ UInt64(entries.count) }

  /// The oldest entry that is kept; nil = there is none.
  var oldest: Entry? { entries.first?.entry }

  /// Appends the entry that leads to the next version, and drops the oldest until the limits are
  /// kept. An entry that exceeds the byte limit by itself is dropped with all before it.
  mutating func append(_ entry: Entry, bytes size: Int) {
    entries.append((entry, size))
    byteCount += size
    while let oldest = entries.first, entries.count > countLimit || byteCount > byteLimit {
      removeOldest(bytes: oldest.bytes)
    }
  }

  /// Drops all but the newest `count` entries.
  mutating func keepLast(_ count: Int) {
    while let oldest = entries.first, entries.count > count { removeOldest(bytes: oldest.bytes) }
  }

  /// Drops all entries; the next one leads on from `version`.
  mutating func restart(after version: UInt64) {
    entries.removeAll()
    byteCount = 0
    start = version
  }

  /// The entries after a version, oldest first; nil = some of them are no longer kept. Empty if the
  /// version is the newest or has not been reached.
  ///
  /// - Parameter limit: the most entries to return; not negative.
  /// - Complexity: O(limit)
  func entries(after version: UInt64, limit: Int = .max) -> [Entry]? {
    guard version >= start else { return nil }
    guard version < end else { return [] }
    // start ≤ version < end, so the difference is an index of `entries`.
    let first = Int(version - start)
    return entries[first...].prefix(limit).map(\.entry)
  }

  private mutating func removeOldest(bytes: Int) {
    byteCount -= bytes
    entries.removeFirst()
    start &+= 1
  }
}

extension VersionedLog: Sendable where Entry: Sendable {}
