// SPDX-License-Identifier: Apache-2.0

/// The entries of a registry, and the identifiers that are being created.
struct RegistryEntries {
  private var entries: [String: CollectionEntry] = [:]
  /// The keys of `entries`.
  private(set) var ids = SortedIDs()
  /// Identifiers of collections that are being created. They count as collections for the limit.
  private var reserved: Set<String> = []

  /// The entry of a collection; nil = there is none.
  subscript(_ id: String) -> CollectionEntry? { entries[id] }

  /// The records after `id`; see `CollectionRegistry.records`.
  ///
  /// - Complexity: O(log n + limit + damaged records among them)
  func records(
    after id: String,
    beginningWith beginning: String,
    limit: Int,
    byteLimit: Int
  ) -> [CollectionRecord] {
    var records: [CollectionRecord] = []
    var bytes = 0
    ids.forEach(from: max(id, beginning)) { next in
      // Only records after it are wanted; the beginning itself is one of them.
      if next == id { return true }
      if records.count >= limit || !next.hasPrefix(beginning) { return false }
      guard let entry = entries[next], entry.fault == nil else { return true }
      let record = entry.record.value
      bytes += record.byteCount
      if !records.isEmpty && bytes > byteLimit { return false }
      records.append(record)
      return true
    }
    return records
  }

  /// Whether a collection with this identifier is being created.
  func isReserved(_ id: String) -> Bool { reserved.contains(id) }

  /// Reserves an identifier for a collection that is about to be created.
  ///
  /// - Parameter limit: the most collections.
  /// - Returns: why it is refused; nil = it is reserved.
  mutating func reserve(_ id: String, limit: Int) -> StoreError? {
    if entries[id] != nil || reserved.contains(id) { return .exists(id: id) }
    if ids.count + reserved.count >= limit { return .tooManyCollections(limit: limit) }
    reserved.insert(id)
    return nil
  }

  /// Frees a reserved identifier.
  mutating func release(_ id: String) { reserved.remove(id) }

  /// Adds an entry, and frees its reserved identifier.
  ///
  /// - Complexity: O(log n)
  mutating func insert(_ entry: CollectionEntry) {
    reserved.remove(entry.id)
    if entries.updateValue(entry, forKey: entry.id) == nil { ids.insert(entry.id) }
  }

  /// Adds all entries of a storage, none of whose identifiers is reserved.
  ///
  /// - Complexity: O(n log n), and O(n) if there are no others and they are sorted
  mutating func insert(_ all: [CollectionEntry]) {
    let old = entries.count
    entries.reserveCapacity(old + all.count)
    // Of several entries with one identifier the last one counts.
    for entry in all { entries[entry.id] = entry }
    let areNew = old == 0 && entries.count == all.count
    // Storages have most of them in order already, unlike the dictionary.
    ids = SortedIDs(areNew ? all.map(\.id) : Array(entries.keys))
  }

  /// Removes an entry.
  ///
  /// - Returns: false = it was removed before.
  /// - Complexity: O(log n)
  mutating func remove(_ entry: CollectionEntry) -> Bool {
    guard entries[entry.id] === entry else { return false }
    entries[entry.id] = nil
    ids.remove(entry.id)
    return true
  }
}
