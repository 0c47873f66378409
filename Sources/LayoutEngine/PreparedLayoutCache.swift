// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import DequeModule
internal import ResourceAccounting

/// An LRU cache, bounded in bytes, of the newest prepared layout of each variant.
///
/// The size of an entry covers everything that it keeps alive: the prepared layout, its key, and
/// the contents that it was prepared for, which entries of the same version share. A layout that
/// was evicted or never cached is still found while somebody uses it.
///
/// Methods return evicted entries to the caller, who releases them outside of any lock.
struct PreparedLayoutCache {
  /// A cached layout, and the charge for it to the cache's account.
  struct Entry {
    let shared: SharedLayout
    fileprivate let hold: Hold
    fileprivate let position: Int

    /// Bytes of the layout and its key.
    fileprivate var bytes: Int { shared.bytes.count }
  }

  /// Identifies contents that entries keep alive. Rows from different bases are different contents.
  private struct ContentsKey: Hashable {
    let version: ContentsVersion
    let base: ExpansionBase

    init(_ layout: SharedLayout) {
      version = ContentsVersion(identity: layout.variant.identity, number: layout.version)
      base = layout.variant.base
    }
  }

  /// A version of some contents that entries keep alive.
  private struct ContentsRecord {
    /// The entries that were prepared for it.
    var entryCount = 1
    let hold: Hold
  }

  /// The cached variants of one collection or session.
  private struct IdentityRecord {
    var variants: Set<Variant> = []
    /// The versions of the layouts that were cached, in order of caching. Some are stale: the entry
    /// has been replaced or evicted since.
    var log: Deque<(version: UInt64, variant: Variant)> = []
  }

  private struct WeakLayout {
    weak let layout: SharedLayout?
  }

  let byteLimit: Int
  /// A layout that is more versions behind than this is useless: no list of changes reaches back to
  /// it.
  let usefulVersions: UInt64
  private(set) var bytes = 0
  private(set) var evictions: UInt64 = 0
  private let account: Account
  private var entries: [Variant: Entry] = [:]
  private var recency = RecencyList<Variant>()
  private var contents: [ContentsKey: ContentsRecord] = [:]
  private var identities: [ContentsIdentity: IdentityRecord] = [:]
  /// All layouts that anybody uses, by the hash of variant and version. References are weak; those
  /// to released layouts are removed when `usedCount` reaches `sweepCount`.
  private var used: [Int: [WeakLayout]] = [:]
  private var usedCount = 0
  private var sweepCount = 64

  /// - Parameter account: charged for the entries. If it has no room for a layout, that is not
  ///   cached.
  init(byteLimit: Int, usefulVersions: UInt64, account: Account) {
    self.byteLimit = byteLimit
    self.usefulVersions = usefulVersions
    self.account = account
  }

  var count: Int { entries.count }

  /// The number of records kept besides the entries, for tests.
  var bookkeepingCount: Int {
    used.count + identities.values.reduce(0) { $0 + $1.log.count } + contents.count
  }

  // MARK: - Finding

  /// The layout of a variant and version, if it is cached or somebody uses it. A cached one becomes
  /// the most recently used.
  ///
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

  /// The cached layout of a variant, which is the newest; nil = there is none. Does not count as a
  /// use.
  ///
  /// - Complexity: O(1)
  func newest(of variant: Variant) -> SharedLayout? { entries[variant]?.shared }

  // MARK: - Keeping

  /// Makes a layout known to `layout(of:version:)`, and caches it if it is the newest of its
  /// variant and the account has room.
  ///
  /// - Parameter contentsBytes: the size of the contents that it was prepared for.
  /// - Returns: the evicted entries.
  /// - Complexity: O(1 + evicted entries), amortised.
  mutating func insert(_ layout: SharedLayout, contents contentsBytes: Int) -> [Entry] {
    note(layout)
    layout.succession.add(layout)
    let variant = layout.variant
    if let kept = entries[variant], kept.shared.version > layout.version { return [] }
    var evicted: [Entry] = []
    if let old = remove(variant) { evicted.append(old) }
    evicted += removeOutdated(after: layout)
    guard layout.bytes.count <= byteLimit else { return evicted }
    guard let hold = try? account.hold(layout.bytes), retain(layout, contentsBytes) else {
      return evicted
    }
    let position = recency.insert(variant)
    entries[variant] = Entry(shared: layout, hold: hold, position: position)
    bytes += layout.bytes.count
    log(layout)
    // The newest entry stays even if its contents alone exceed the limit. Otherwise every request
    // for a large collection would lead to a computation.
    while bytes > byteLimit, entries.count > 1, let entry = removeLeastRecent() {
      evicted.append(entry)
      evictions += 1
    }
    return evicted
  }

  /// Evicts the least recently used entries that nobody else holds, until `bytes` fewer are charged
  /// to the account at the top. Evicting one that is in use frees nothing.
  ///
  /// - Returns: the evicted entries; none if all that may be evicted are fewer bytes.
  /// - Complexity: O(entries)
  mutating func evict(toFree bytes: Int) -> [Entry] {
    guard bytes <= self.bytes else { return [] }
    var (freed, evicted): (Int, [Variant]) = (0, [])
    var counts: [ContentsKey: Int] = [:]
    recency.forEachFromOldest { variant in
      guard let entry = entries[variant], entry.hold.isLast else { return true }
      evicted.append(variant)
      freed += entry.bytes
      let key = ContentsKey(entry.shared)
      counts[key, default: 0] += 1
      if let record = contents[key], record.entryCount == counts[key] {
        freed += record.hold.shared.count
      }
      return freed < bytes
    }
    guard freed >= bytes else { return [] }
    evictions += UInt64(evicted.count)
    return evicted.compactMap { remove($0) }
  }

  /// Removes all entries of some contents.
  mutating func removeAll(of identity: ContentsIdentity) -> [Entry] {
    (identities[identity]?.variants ?? []).compactMap { remove($0) }
  }

  private mutating func removeLeastRecent() -> Entry? {
    recency.leastRecent.flatMap { remove($0) }
  }

  /// Removes entries of the same contents that are more than `usefulVersions` older than `layout`.
  private mutating func removeOutdated(after layout: SharedLayout) -> [Entry] {
    let identity = layout.variant.identity
    var evicted: [Entry] = []
    while let oldest = identities[identity]?.log.first {
      let isCurrent = entries[oldest.variant]?.shared.version == oldest.version
      let isUseful =
        oldest.version >= layout.version || layout.version - oldest.version <= usefulVersions
      guard !(isCurrent && isUseful) else { break }
      identities[identity]?.log.removeFirst()
      if isCurrent, let entry = remove(oldest.variant) { evicted.append(entry) }
    }
    return evicted
  }

  /// Notes at which version a variant was cached. Rebuilds the log once most of it is stale.
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

  /// Charges the contents of a layout to the account, unless another entry of the same version has.
  ///
  /// - Returns: false = the account has no room for them.
  private mutating func retain(_ layout: SharedLayout, _ contentsBytes: Int) -> Bool {
    let key = ContentsKey(layout)
    if contents[key] != nil {
      contents[key]?.entryCount += 1
      return true
    }
    let shared = SharedBytes(contentsBytes)
    guard let hold = try? account.hold(shared) else { return false }
    contents[key] = ContentsRecord(hold: hold)
    bytes += shared.count
    return true
  }

  /// Takes back the charge for contents that no further entry keeps alive.
  private mutating func release(_ layout: SharedLayout) {
    let key = ContentsKey(layout)
    guard let record = contents[key] else { return }
    guard record.entryCount == 1 else {
      contents[key]?.entryCount -= 1
      return
    }
    contents[key] = nil
    bytes -= record.hold.shared.count
  }

  // MARK: - Layouts that others use

  /// Makes a layout findable for as long as somebody uses it.
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
