// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The scheduled times of the edits of all streams, by the data version that each edit led to.
///
/// A viewer may see a version before the editor learns its number from the answer, so a viewer may
/// have to look up a version again later.
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

/// The versions by other editors that one stream has seen, and when it saw them.
struct SeenVersions: Sendable {
  private var unknown: [UInt64: Duration] = [:]

  /// If more versions than this are unknown to the log, the oldest are dropped: they were committed
  /// by clients outside of the load test.
  private static let maxUnknown = 1024

  /// The newest versions of a range. They are not counted: a server may name any version.
  private static func newest(of versions: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    let last = versions.upperBound
    return max(versions.lowerBound, last - min(last, UInt64(maxUnknown - 1))) ... last
  }

  /// Looks up the seen versions in the log.
  ///
  /// - Returns: the waits for versions that are known now, with their durations.
  mutating func take(
    _ versions: ClosedRange<UInt64>?,
    at now: Duration,
    by stream: Int,
    from log: CommitLog
  ) -> [LoadSession.Observation] {
    if let versions {
      for version in Self.newest(of: versions) { unknown[version] = now }
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
