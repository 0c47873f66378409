// SPDX-License-Identifier: Apache-2.0

/// The entries of a registry, and the identifiers that are being created.
struct RegistryEntries {
  private var entries: [String: CollectionEntry] = [:]
  /// The keys of `entries`, sorted.
  private(set) var ids: [String] = []
  /// Identifiers of collections that are being created. They count as collections for the limit.
  private var reserved: Set<String> = []

  /// The entry of a collection; nil = there is none.
  subscript(_ id: String) -> CollectionEntry? { entries[id] }

  /// The number of collections whose contents are in memory.
  ///
  /// - Complexity: O(collections)
  var residentCount: Int { entries.values.count { $0.live != nil } }

  /// The collections whose contents are in memory.
  ///
  /// - Complexity: O(collections)
  var inMemory: [LiveCollection] { entries.values.compactMap(\.live) }

  /// The records after `id`; see `CollectionRegistry.records`.
  ///
  /// - Complexity: O(log n + limit + damaged records among them)
  func records(
    after id: String,
    beginningWith beginning: String,
    limit: Int,
    byteLimit: Int
  ) -> [CollectionRecord] {
    let start =
      id < beginning
      ? ids.insertionIndex(of: beginning, afterEqual: false)
      : ids.insertionIndex(of: id, afterEqual: true)
    var records: [CollectionRecord] = []
    var bytes = 0
    for id in ids[start...] {
      if records.count >= limit || !id.hasPrefix(beginning) { break }
      guard let entry = entries[id], entry.fault == nil else { continue }
      let record = entry.record.value
      bytes += record.byteCount
      if !records.isEmpty && bytes > byteLimit { break }
      records.append(record)
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
  mutating func insert(_ entry: CollectionEntry) {
    let id = entry.id
    reserved.remove(id)
    guard entries.updateValue(entry, forKey: id) == nil else { return }
    ids.insert(id, at: ids.insertionIndex(of: id, afterEqual: false))
  }

  /// Removes an entry.
  ///
  /// - Returns: false = it was removed before.
  mutating func remove(_ entry: CollectionEntry) -> Bool {
    guard entries[entry.id] === entry else { return false }
    entries[entry.id] = nil
    let index = ids.insertionIndex(of: entry.id, afterEqual: false)
    if index < ids.count, ids[index] == entry.id { ids.remove(at: index) }
    return true
  }
}

extension [String] {
  /// Where `id` belongs in this sorted array: before an equal element, or after it.
  ///
  /// - Complexity: O(log n)
  fileprivate func insertionIndex(of id: String, afterEqual: Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < id || (afterEqual && self[middle] == id) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
