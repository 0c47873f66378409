// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The latest entries of a dense sequence of versions, limited by count and by bytes.
struct VersionedLog<Entry> {
  private let countLimit: Int
  private let byteLimit: Int
  private var entries: Deque<(entry: Entry, bytes: Int)> = []
  /// What the entries take in memory.
  private(set) var byteCount = 0
  /// The version before the oldest entry.
  private(set) var start: UInt64

  init(after version: UInt64, countLimit: Int, byteLimit: Int) {
    start = version
    self.countLimit = countLimit
    self.byteLimit = byteLimit
  }

  /// The version that the newest entry leads to.
  var end: UInt64 { start &+ UInt64(entries.count) }

  /// Appends the entry that leads to the next version, and drops old ones beyond the limits; an
  /// entry that is too large by itself is not kept either.
  mutating func append(_ entry: Entry, bytes size: Int) {
    entries.append((entry, size))
    byteCount += size
    while let oldest = entries.first, entries.count > countLimit || byteCount > byteLimit {
      drop(oldest.bytes)
    }
  }

  /// Drops all but the newest entries.
  mutating func keepLast(_ count: Int) {
    while let oldest = entries.first, entries.count > count { drop(oldest.bytes) }
  }

  /// Forgets everything and goes on after `version`.
  mutating func restart(after version: UInt64) {
    entries.removeAll()
    byteCount = 0
    start = version
  }

  /// The entries after a version, at most `limit`; nil where they are no longer kept. None for a
  /// version that is not reached yet.
  func entries(after version: UInt64, limit: Int = .max) -> [Entry]? {
    guard version >= start else { return nil }
    guard version < end else { return [] }
    let first = Int(version - start)
    return entries[first...].prefix(limit).map(\.entry)
  }

  private mutating func drop(_ bytes: Int) {
    byteCount -= bytes
    entries.removeFirst()
    start &+= 1
  }
}

extension VersionedLog: Sendable where Entry: Sendable {}
