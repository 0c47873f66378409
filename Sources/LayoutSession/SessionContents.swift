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
  private var recent: [ContentsChange] = []

  /// More changes than that between two frames are not worth a derivation, nor an animation.
  private static let capacity = 16

  init(_ contents: CollectionContents, version: UInt64) {
    base = contents
    effective = contents
    self.version = version
  }

  /// What happened after `epoch`, in order; nil = no longer known.
  func changes(since epoch: Int) -> ArraySlice<ContentsChange>? {
    let count = self.epoch - epoch
    return count <= recent.count ? recent.suffix(count) : nil
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
    recent.removeAll()
  }

  private mutating func record(_ change: ContentsChange) {
    effective = change.new
    epoch += 1
    recent.append(change)
    if recent.count > Self.capacity { recent.removeFirst() }
  }
}
