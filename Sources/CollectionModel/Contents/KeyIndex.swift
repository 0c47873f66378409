// SPDX-License-Identifier: Apache-2.0

internal import HashTreeCollections

/// Finds items and sections of one version by key.
///
/// The index maps the hash of a key to candidate places: a section, by serial, and a chunk in it,
/// by order label. A search finds section and chunk by their labels in O(log n) and then scans the
/// chunk for the key. The index contains no positions, so an edit updates only the entries of the
/// chunks that it replaces: a chunk that is shifted keeps its label, and a section that moves its
/// serial.
///
/// Entries may be stale, because every candidate is compared with the contents: deleting a section
/// of a million items leaves a million entries behind at no cost. Once more than a fifth of the
/// entries are stale, the next version drops the index, and it is rebuilt when it is needed. So its
/// memory is never far from what is charged for it (`CollectionContents.indexedByteCount`).
struct KeyIndex: Sendable {
  /// Candidate places by the hash of an item's key.
  private var items = KeyTrie()
  /// The label of each section, by serial.
  private var sectionLabels: TreeDictionary<UInt32, UInt64> = [:]
  /// The serial of each section that has a key.
  private var sectionSerials: TreeDictionary<ExactText, UInt32> = [:]

  /// Items that had the key of an earlier item when the index was built: the first few, up to
  /// `Violations.limit`.
  private(set) var duplicates: [(earlier: IndexPath, later: IndexPath)] = []

  /// The index of all keys of some contents.
  ///
  /// - Complexity: O(items)
  init(of contents: CollectionContents) {
    var section = 0
    for entry in contents.sections {
      insertSection(entry)
      if entry.summary.keyedItemCount > 0 {
        var start = 0
        for chunk in entry.contents.items.chunks {
          let path = IndexPath(section: section, item: start)
          insertFindingDuplicates(chunk, serial: entry.serial, first: path, contents)
          start += chunk.chunk.count
        }
      }
      section += 1
    }
  }

  /// Inserts the keys of a chunk and notes those that an earlier item has.
  ///
  /// - Parameter first: the index path of the chunk's first item.
  private mutating func insertFindingDuplicates(
    _ entry: ChunkEntry,
    serial: UInt32,
    first: IndexPath,
    _ contents: CollectionContents
  ) {
    guard case .packed(let keys) = entry.chunk.keys else { return }
    let place = KeyPlace(chunkLabel: entry.label, sectionSerial: serial)
    for i in 0 ..< keys.count {
      let bytes = keys.bytes[keys.byteRange(at: i)]
      let hash = Self.hash(bytes)
      if items.insert(hash, place) {
        let here = IndexPath(section: first.section, item: (first.item ?? 0) + i)
        noteDuplicate(bytes, hash, here, contents)
      }
    }
  }

  /// Adds to `duplicates` where an earlier item really has the same key, and not only the same
  /// hash.
  private mutating func noteDuplicate(
    _ key: ArraySlice<UInt8>,
    _ hash: UInt32,
    _ here: IndexPath,
    _ contents: CollectionContents
  ) {
    guard duplicates.count < Violations.limit else { return }
    var earlier: IndexPath?
    items.forEachPlace(of: hash) { place in
      earlier = path(of: key, at: place, in: contents)
      return earlier == nil || earlier == here
    }
    if let earlier, earlier != here { duplicates.append((earlier, here)) }
  }

  /// Whether more than about a fifth of the entries are stale.
  func isWorn(for contents: CollectionContents) -> Bool {
    let keys = contents.sections.summary.keyedItemCount
    return items.count > keys + keys / 4 + 1024
  }

  // MARK: - Queries

  /// The index path of the item with a key; nil = no item has it.
  ///
  /// - Complexity: O(log n) expected
  func path(ofItem key: String, in contents: CollectionContents) -> IndexPath? {
    var key = key
    key.makeContiguousUTF8()
    let bytes = Array(key.utf8)[...]
    var found: IndexPath?
    items.forEachPlace(of: Self.hash(bytes)) { place in
      found = path(of: bytes, at: place, in: contents)
      return found == nil
    }
    return found
  }

  /// The index of the section with a key; nil = no section has it.
  ///
  /// - Complexity: O(log sections) expected
  func sectionIndex(ofKey key: String, in contents: CollectionContents) -> Int? {
    sectionSerials[ExactText(key)].flatMap { section(serial: $0, in: contents)?.index }
  }

  /// The section with a serial; nil = it is no longer there.
  private func section(
    serial: UInt32,
    in contents: CollectionContents
  ) -> SummaryTree<SectionEntry>.Position? {
    guard let label = sectionLabels[serial],
      let position = contents.sections.firstPosition(where: { $0.lastLabel >= label }),
      position.element.serial == serial
    else { return nil }
    return position
  }

  /// The index path of the item with a key, if it is at a candidate place.
  private func path(
    of key: ArraySlice<UInt8>,
    at place: KeyPlace,
    in contents: CollectionContents
  ) -> IndexPath? {
    guard let section = section(serial: place.sectionSerial, in: contents),
      let chunk = section.element.contents.items.chunks.firstPosition(
        where: { $0.lastLabel >= place.chunkLabel }),
      chunk.element.label == place.chunkLabel,
      case .packed(let keys) = chunk.element.chunk.keys,
      let item = keys.firstIndex(of: key)
    else { return nil }
    return IndexPath(section: section.index, item: chunk.prefix.items.count + item)
  }

  /// The hash of a key's UTF-8. `Hasher` has another seed in each process, so a client cannot
  /// choose keys that collide.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var hasher = Hasher()
    var word: UInt64 = 0
    var filled = 0
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      filled += 1
      if filled & 7 == 0 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(filled)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  // MARK: - Deriving

  /// Adds a section, or updates its label and key; its items are not added.
  mutating func insertSection(_ entry: SectionEntry) {
    sectionLabels[entry.serial] = entry.label
    let key = entry.summary.keyedSectionCount > 0 ? entry.contents.key : ""
    if !key.isEmpty { sectionSerials[ExactText(key)] = entry.serial }
  }

  /// Removes a section. The entries of its items stay behind as stale ones.
  mutating func removeSection(_ entry: SectionEntry) {
    sectionLabels[entry.serial] = nil
    let key = entry.summary.keyedSectionCount > 0 ? entry.contents.key : ""
    if !key.isEmpty && sectionSerials[ExactText(key)] == entry.serial {
      sectionSerials[ExactText(key)] = nil
    }
  }

  /// Adds all items of a section.
  ///
  /// - Complexity: O(items)
  mutating func insertItems(of entry: SectionEntry) {
    guard entry.summary.keyedItemCount > 0 else { return }
    for chunk in entry.contents.items.chunks { insert(chunk, serial: entry.serial) }
  }

  /// Follows an edit that put chunks in place of others. For a chunk that keeps its label, only the
  /// keys between the common start and the common end of both versions are replaced; of a chunk out
  /// of which keys were only taken, or to which keys were only added, only these.
  mutating func apply(_ replacement: ChunkReplacement, serial: UInt32) {
    for old in replacement.old {
      if !replacement.new.contains(where: { $0.label == old.label }) {
        remove(old, in: 0 ..< old.chunk.count, serial: serial)
      }
    }
    for new in replacement.new {
      guard let old = replacement.old.first(where: { $0.label == new.label }),
        case .packed(let oldKeys) = old.chunk.keys, case .packed(let newKeys) = new.chunk.keys
      else {
        insert(new, serial: serial)
        continue
      }
      let shared = oldKeys.sharedEnds(with: newKeys)
      let oldPart = shared.prefix ..< oldKeys.count - shared.suffix
      let newPart = shared.prefix ..< newKeys.count - shared.suffix
      if let gone = oldKeys.rest(in: oldPart, without: newKeys, newPart) {
        for i in gone { remove(old, in: i ..< i + 1, serial: serial) }
      } else if let added = newKeys.rest(in: newPart, without: oldKeys, oldPart) {
        for i in added { insert(new, in: i ..< i + 1, serial: serial) }
      } else {
        remove(old, in: oldPart, serial: serial)
        insert(new, in: newPart, serial: serial)
      }
    }
  }

  private mutating func insert(_ entry: ChunkEntry, serial: UInt32) {
    insert(entry, in: 0 ..< entry.chunk.count, serial: serial)
  }

  private mutating func insert(_ entry: ChunkEntry, in range: Range<Int>, serial: UInt32) {
    guard case .packed(let keys) = entry.chunk.keys else { return }
    let place = KeyPlace(chunkLabel: entry.label, sectionSerial: serial)
    for i in range { items.insert(Self.hash(keys.bytes[keys.byteRange(at: i)]), place) }
  }

  private mutating func remove(_ entry: ChunkEntry, in range: Range<Int>, serial: UInt32) {
    guard case .packed(let keys) = entry.chunk.keys else { return }
    let place = KeyPlace(chunkLabel: entry.label, sectionSerial: serial)
    for i in range { items.remove(Self.hash(keys.bytes[keys.byteRange(at: i)]), place) }
  }
}

extension PackedStrings {
  /// How many keys both have in common at the start, and how many of the rest at the end.
  fileprivate func sharedEnds(with other: PackedStrings) -> (prefix: Int, suffix: Int) {
    let limit = Swift.min(count, other.count)
    var prefix = 0
    while prefix < limit && hasSameText(at: prefix, as: other, at: prefix) { prefix += 1 }
    var suffix = 0
    while suffix < limit - prefix
      && hasSameText(at: count - 1 - suffix, as: other, at: other.count - 1 - suffix)
    {
      suffix += 1
    }
    return (prefix, suffix)
  }

  /// The places of the keys in a range that are left over once those of another range, which come
  /// in the same order, are taken out; nil = the others are not all there in this order.
  ///
  /// - Complexity: O(range)
  fileprivate func rest(
    in range: Range<Int>,
    without other: PackedStrings,
    _ others: Range<Int>
  ) -> [Int]? {
    let count = range.count - others.count
    guard count >= 0 else { return nil }
    var rest: [Int] = []
    var next = others.lowerBound
    for i in range {
      if next < others.upperBound, hasSameText(at: i, as: other, at: next) {
        next += 1
      } else if rest.count < count {
        rest.append(i)
      } else {
        return nil
      }
    }
    return rest
  }
}
