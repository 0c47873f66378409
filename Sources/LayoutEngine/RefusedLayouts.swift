// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import ResourceAccounting

/// Remembers the computations that exceeded a limit, so that repeated requests do not repeat the
/// work.
///
/// The same computation always takes the same steps and bytes, and the limits are the engine's,
/// equal for all callers. Entries of older versions are removed with the first one of a newer
/// version of the contents; above `countLimit`, the least recently used entries are removed.
struct RefusedLayouts {
  /// Identifies a computation.
  struct Key: Hashable {
    let variant: Variant
    let version: UInt64
    /// The version of the layout that it derives from; nil = it starts from the contents alone.
    /// From another version it may take less.
    let base: UInt64?
  }

  private struct Entry {
    let stop: LayoutWork.Stop
    let position: Int
    /// The charge for the key.
    let lease: Lease
  }

  private let countLimit: Int
  private let byteLimit: Int
  private let account: Account
  private var entries: [Key: Entry] = [:]
  private var recency = RecencyList<Key>()
  private(set) var bytes = 0

  /// - Parameters:
  ///   - byteLimit: the most bytes of all keys together.
  ///   - account: charged for the keys. If it has no room for a key, the refusal is not remembered.
  init(countLimit: Int = 256, byteLimit: Int = 4 << 20, account: Account) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
    self.account = account
  }

  var count: Int { entries.count }

  /// Why a computation was refused; nil = it is not known to be. The entry becomes the most
  /// recently used one.
  ///
  /// - Complexity: O(1)
  mutating func stop(of key: Key) -> LayoutWork.Stop? {
    guard let entry = entries[key] else { return nil }
    recency.markUsed(entry.position)
    return entry.stop
  }

  /// Notes why a computation was refused.
  ///
  /// - Complexity: O(entries)
  mutating func insert(_ key: Key, _ stop: LayoutWork.Stop) {
    removeAll { $0.variant.identity == key.variant.identity && $0.version < key.version }
    remove(key)
    guard key.variant.byteCount <= byteLimit,
      let lease = try? account.charge(key.variant.byteCount)
    else { return }
    entries[key] = Entry(stop: stop, position: recency.insert(key), lease: lease)
    bytes += key.variant.byteCount
    while entries.count > countLimit || bytes > byteLimit, let oldest = recency.leastRecent {
      remove(oldest)
    }
  }

  /// Removes all entries of some contents.
  ///
  /// - Complexity: O(entries)
  mutating func removeAll(of identity: ContentsIdentity) {
    removeAll { $0.variant.identity == identity }
  }

  private mutating func removeAll(where isRemoved: (Key) -> Bool) {
    for key in entries.keys.filter(isRemoved) { remove(key) }
  }

  private mutating func remove(_ key: Key) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    recency.remove(entry.position)
    bytes -= key.variant.byteCount
  }
}
