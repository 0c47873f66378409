// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import ResourceAccounting

/// The newest prepared layout of each variant, bounded by bytes; the least recently used goes first.
///
/// An entry is charged with all that it keeps alive: the prepared layout, what it is found by, and
/// the contents that it was prepared for, which entries of one version share. A layout that is not
/// kept is still found while somebody else uses it.
///
/// Entries that leave are handed back to the caller, who releases them outside of any lock.
struct PreparedLayoutCache {
  /// A layout that is kept, and what the cache's account is charged for it.
  struct Entry {
    let shared: SharedLayout
    fileprivate let hold: Hold
    fileprivate let position: Int

    /// The layout's own bytes and those of its key.
    fileprivate var bytes: Int { shared.bytes.count }
  }

  /// Contents that some entries keep alive.
  private struct ContentsRecord {
    var entryCount = 1
    let hold: Hold
  }

  private struct IdentityRecord {
    var variants: Set<Variant> = []
    /// The versions at which layouts were kept, in that order; some have left since.
    var log: Deque<(version: UInt64, variant: Variant)> = []
  }

  private struct WeakLayout {
    weak let layout: SharedLayout?
  }

  let byteLimit: Int
  /// A layout that so many newer versions have left behind is of no use to anybody: no list of
  /// changes reaches back to it.
  let usefulVersions: UInt64
  private(set) var bytes = 0
  private(set) var evictions: UInt64 = 0
  private let account: Account
  private var entries: [Variant: Entry] = [:]
  private var recency = RecencyList<Variant>()
  private var contents: [ContentsVersion: ContentsRecord] = [:]
  private var identities: [ContentsIdentity: IdentityRecord] = [:]
  /// All layouts that anybody uses, by the hash of variant and version.
  private var used: [Int: [WeakLayout]] = [:]
  private var usedCount = 0
  private var sweepCount = 64

  /// - Parameter account: for which the entries are charged; where it has no room, they are not kept.
  init(byteLimit: Int, usefulVersions: UInt64, account: Account) {
    self.byteLimit = byteLimit
    self.usefulVersions = usefulVersions
    self.account = account
  }

  var count: Int { entries.count }

  /// What is noted beside the entries.
  var bookkeepingCount: Int {
    used.count + identities.values.reduce(0) { $0 + $1.log.count } + contents.count
  }

  // MARK: - Finding

  /// - Complexity: O(1)
  mutating func layout(of variant: Variant, version: UInt64) -> SharedLayout? {
    if let entry = entries[variant], entry.shared.version == version {
      recency.markUsed(entry.position)
      return entry.shared
    }
    for candidate in used[Self.hash(variant, version)] ?? [] {
      guard let layout = candidate.layout else { continue }
      if layout.version == version, layout.variant == variant { return layout }
    }
    return nil
  }

  /// The newest that is kept of a variant.
  /// - Complexity: O(1)
  func newest(of variant: Variant) -> SharedLayout? { entries[variant]?.shared }

  // MARK: - Keeping

  /// Makes a layout known, and keeps it where it is the newest of its variant and there is room.
  ///
  /// - Parameter contents: what it was prepared for, in bytes.
  /// - Returns: what is no longer kept.
  /// - Complexity: O(1), and O(entries that leave)
  mutating func insert(_ layout: SharedLayout, contents contentsBytes: Int) -> [Entry] {
    note(layout)
    let variant = layout.variant
    if let kept = entries[variant], kept.shared.version > layout.version { return [] }
    var left: [Entry] = []
    if let old = remove(variant) { left.append(old) }
    left += removeUseless(after: layout)
    guard layout.bytes.count <= byteLimit else { return left }
    guard let hold = try? account.hold(layout.bytes), retain(layout, contentsBytes) else {
      return left
    }
    let position = recency.insert(variant)
    entries[variant] = Entry(shared: layout, hold: hold, position: position)
    bytes += layout.bytes.count
    log(layout)
    // What was used last stays even where its contents alone are above the limit: else each
    // question about a large collection would be a computation.
    while bytes > byteLimit, entries.count > 1, let entry = removeLeastRecent() {
      left.append(entry)
      evictions += 1
    }
    return left
  }

  /// Drops the entry that was used longest ago, to make room for something else.
  mutating func evict() -> Entry? {
    guard let entry = removeLeastRecent() else { return nil }
    evictions += 1
    return entry
  }

  mutating func removeAll(of identity: ContentsIdentity) -> [Entry] {
    (identities[identity]?.variants ?? []).compactMap { remove($0) }
  }

  private mutating func removeLeastRecent() -> Entry? {
    recency.leastRecent.flatMap { remove($0) }
  }

  /// Drops the variants of a collection that nobody has asked for in a long time.
  private mutating func removeUseless(after layout: SharedLayout) -> [Entry] {
    let identity = layout.variant.identity
    var left: [Entry] = []
    while let oldest = identities[identity]?.log.first {
      let isCurrent = entries[oldest.variant]?.shared.version == oldest.version
      let isUseful =
        oldest.version >= layout.version || layout.version - oldest.version <= usefulVersions
      guard !(isCurrent && isUseful) else { break }
      identities[identity]?.log.removeFirst()
      if isCurrent, let entry = remove(oldest.variant) { left.append(entry) }
    }
    return left
  }

  private mutating func log(_ layout: SharedLayout) {
    let variant = layout.variant
    identities[variant.identity, default: IdentityRecord()].variants.insert(variant)
    identities[variant.identity]?.log.append((layout.version, variant))
    guard let record = identities[variant.identity],
      record.log.count > 2 * record.variants.count + 64
    else { return }
    let current = record.variants.compactMap { entries[$0]?.shared }
    identities[variant.identity]?.log = Deque(
      current.sorted { $0.version < $1.version }.map { ($0.version, $0.variant) }
    )
  }

  private mutating func remove(_ variant: Variant) -> Entry? {
    guard let entry = entries.removeValue(forKey: variant) else { return nil }
    recency.remove(entry.position)
    bytes -= entry.bytes
    release(entry.shared)
    identities[variant.identity]?.variants.remove(variant)
    if identities[variant.identity]?.variants.isEmpty == true { identities[variant.identity] = nil }
    return entry
  }

  // MARK: - Contents

  /// Charges the contents of a layout, unless another entry of the same version has done so.
  private mutating func retain(_ layout: SharedLayout, _ contentsBytes: Int) -> Bool {
    let version = ContentsVersion(identity: layout.variant.identity, number: layout.version)
    if contents[version] != nil {
      contents[version]?.entryCount += 1
      return true
    }
    let shared = SharedBytes(contentsBytes)
    guard let hold = try? account.hold(shared) else { return false }
    contents[version] = ContentsRecord(hold: hold)
    bytes += shared.count
    return true
  }

  private mutating func release(_ layout: SharedLayout) {
    let version = ContentsVersion(identity: layout.variant.identity, number: layout.version)
    guard let record = contents[version] else { return }
    guard record.entryCount == 1 else {
      contents[version]?.entryCount -= 1
      return
    }
    contents[version] = nil
    bytes -= record.hold.shared.count
  }

  // MARK: - Layouts that others use

  private mutating func note(_ layout: SharedLayout) {
    used[Self.hash(layout.variant, layout.version), default: []].append(WeakLayout(layout: layout))
    usedCount += 1
    guard usedCount >= sweepCount else { return }
    usedCount = 0
    used = used.compactMapValues { layouts in
      let live = layouts.filter { $0.layout != nil }
      usedCount += live.count
      return live.isEmpty ? nil : live
    }
    sweepCount = max(64, usedCount * 2)
  }

  private static func hash(_ variant: Variant, _ version: UInt64) -> Int {
    var hasher = Hasher()
    hasher.combine(variant)
    hasher.combine(version)
    return hasher.finalize()
  }
}
