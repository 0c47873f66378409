// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// When the edits of all streams were meant to happen, by the data version that each became.
///
/// A viewer may see a version before its editor has been told its number, so what a viewer saw may
/// have to be asked for again.
final class CommitLog: Sendable {
  struct Entry: Equatable, Sendable {
    var stream: Int
    var since: Duration
  }

  private let entries = Mutex<[UInt64: Entry]>([:])

  func record(version: UInt64, _ entry: Entry) {
    entries.withLock { $0[version] = entry }
  }

  func entries(_ versions: some Sequence<UInt64>) -> [UInt64: Entry] {
    entries.withLock { entries in
      var found: [UInt64: Entry] = [:]
      for version in versions { found[version] = entries[version] }
      return found
    }
  }
}

/// The edits of others that one stream has seen, and when.
struct SeenVersions: Sendable {
  private var unknown: [UInt64: Duration] = [:]

  /// Versions of which nobody here knows anything are given up beyond this many.
  private static let maxUnknown = 1024

  /// - Returns: the waits that have become known, each with its length.
  mutating func take(
    _ versions: ClosedRange<UInt64>?,
    at now: Duration,
    by stream: Int,
    from log: CommitLog
  ) -> [LoadSession.Observation] {
    if let versions {
      for version in versions.suffix(Self.maxUnknown) { unknown[version] = now }
    }
    guard !unknown.isEmpty else { return [] }
    var observations: [LoadSession.Observation] = []
    for (version, entry) in log.entries(unknown.keys) {
      guard let seen = unknown.removeValue(forKey: version), entry.stream != stream else {
        continue
      }
      observations.append(.latency(.othersEdit, seen - entry.since, since: entry.since))
    }
    while unknown.count > Self.maxUnknown, let oldest = unknown.keys.min() {
      unknown[oldest] = nil
    }
    return observations
  }
}
