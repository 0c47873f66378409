// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The data as this session sees it, and how it came to be so.
///
/// `effective` is the collection's own contents until the session measures elements or moves an
/// item by hand; from then on it is a private lineage that follows the collection's.
struct SessionContents: Sendable {
  private(set) var base: CollectionContents
  private(set) var version: UInt64
  private(set) var effective: CollectionContents
  /// Whether `effective` differs from `base` in sizes that were measured.
  private(set) var isMeasured = false
  /// Whether `effective` may differ from `base`.
  private(set) var isDerived = false
  /// Counts the changes of `effective`.
  private(set) var epoch = 0
  /// The last changes of `effective`, the newest at the end.
  private var recent: [(change: ContentsChange, byteCount: Int)] = []

  /// What `recent` keeps in memory that `effective` does not, in bytes.
  private var recentByteCount = 0

  /// More changes than that between two frames are not worth a derivation, nor an animation.
  private static let capacity = 16
  /// Nor are changes that keep more than this, and more than the contents themselves.
  private static let fewBytes = 1 << 20

  /// Whether others keep the collection's versions, whether or not this session does.
  private let isShared: Bool

  init(_ contents: CollectionContents, version: UInt64, isShared: Bool) {
    self.isShared = isShared
    base = contents
    effective = contents
    self.version = version
  }

  /// What happened after `epoch`, in order; nil = no longer known.
  func changes(since epoch: Int) -> [ContentsChange]? {
    let count = self.epoch - epoch
    return count <= recent.count ? recent.suffix(count).map(\.change) : nil
  }

  /// What it keeps in memory that the collection does not, in bytes.
  var byteCount: Int {
    // Versions of a shared collection are its own.
    guard !isShared || isDerived else { return 0 }
    return effective.approximateByteCount + recentByteCount
  }

  /// Forgets what happened until now: nobody will ask for it.
  mutating func forgetChanges() {
    guard !recent.isEmpty else { return }
    recent.removeAll(keepingCapacity: true)
    recentByteCount = 0
  }

  /// Follows a batch that the collection has taken. Returns what it did to `effective`.
  mutating func follow(_ change: ContentsChange, toVersion version: UInt64) -> ContentsChange {
    base = change.new
    self.version = version
    let change = isMeasured ? change.rebased(on: effective) : change
    record(change)
    return change
  }

  /// Changes `effective` alone.
  mutating func diverge(by change: ContentsChange, isMeasurement: Bool = false) {
    isDerived = true
    if isMeasurement { isMeasured = true }
    record(change)
  }

  /// Notes that `effective` has been led back to what `base` is but for measurements.
  mutating func rejoin() {
    guard !isMeasured else { return }
    effective = base
    isDerived = false
  }

  mutating func reset(to contents: CollectionContents, version: UInt64) {
    base = contents
    effective = contents
    isDerived = false
    isMeasured = false
    self.version = version
    // A jump that no list of changes explains.
    epoch += Self.capacity + 1
    forgetChanges()
  }

  private mutating func record(_ change: ContentsChange) {
    effective = change.new
    epoch += 1
    let byteCount = isShared && !isDerived ? 0 : change.replacedByteCount
    recent.append((change, byteCount))
    recentByteCount += byteCount
    let most = max(Self.fewBytes, effective.approximateByteCount)
    while recent.count > Self.capacity || recentByteCount > most, !recent.isEmpty {
      recentByteCount -= recent.removeFirst().byteCount
    }
  }
}
