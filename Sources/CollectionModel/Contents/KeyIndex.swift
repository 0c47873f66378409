// SPDX-License-Identifier: Apache-2.0

internal import HashTreeCollections

/// Finds items and sections of one version by key.
///
/// A key's hash leads to the places where it may be: a section by serial and a chunk in it by order
/// label. Both trees are descended by label, then the chunk is searched. Nothing here holds an index,
/// so that an edit changes only what belongs to the chunks that it replaced; a chunk that an edit
/// shifts, or a section that moves, keeps its label or its serial and with it all its entries.
///
/// Entries need not be true: what is found is compared with the contents, so that deleting a million
/// items leaves a million entries behind at no cost. When they outnumber the others the index is
/// built anew at the next need.
struct KeyIndex: Sendable {
  private var items = KeyTrie()
  private var sectionLabels: TreeDictionary<UInt32, UInt64> = [:]
  private var sectionSerials: TreeDictionary<String, UInt32> = [:]

  /// Items that had the key of an item before them when the index was built; not all where there are
  /// many.
  private(set) var duplicates: [(earlier: IndexPath, later: IndexPath)] = []

  /// - Complexity: O(items)
  init(of contents: CollectionContents) {
    var section = 0
    for entry in contents.sections {
      insertSection(entry)
      if entry.summary.keyedItemCount > 0 {
        var start = 0
        for chunk in entry.contents.items.chunks {
          let path = IndexPath(section: section, item: start)
          insertNoting(chunk, serial: entry.serial, first: path, contents)
          start += chunk.chunk.count
        }
      }
      section += 1
    }
  }

  private mutating func insertNoting(
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

  /// Whether most of what it holds is no longer true.
  func isWorn(for contents: CollectionContents) -> Bool {
    items.count > 2 * contents.sections.summary.keyedItemCount + 1024
  }

  // MARK: - Queries

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

  func sectionIndex(ofKey key: String, in contents: CollectionContents) -> Int? {
    sectionSerials[key].flatMap { section(serial: $0, in: contents)?.index }
  }

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

  /// Seeded anew in each process, so that nobody can choose keys that collide.
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

  mutating func insertSection(_ entry: SectionEntry) {
    sectionLabels[entry.serial] = entry.label
    let key = entry.summary.keyedSectionCount > 0 ? entry.contents.key : ""
    if !key.isEmpty { sectionSerials[key] = entry.serial }
  }

  /// Forgets a section; its items are not looked at.
  mutating func removeSection(_ entry: SectionEntry) {
    sectionLabels[entry.serial] = nil
    let key = entry.summary.keyedSectionCount > 0 ? entry.contents.key : ""
    if !key.isEmpty && sectionSerials[key] == entry.serial { sectionSerials[key] = nil }
  }

  mutating func insertItems(of entry: SectionEntry) {
    guard entry.summary.keyedItemCount > 0 else { return }
    for chunk in entry.contents.items.chunks { insert(chunk, serial: entry.serial) }
  }

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
      remove(old, in: shared.prefix ..< oldKeys.count - shared.suffix, serial: serial)
      insert(new, in: shared.prefix ..< newKeys.count - shared.suffix, serial: serial)
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

extension PackedKeys {
  /// How many keys at the start and at the end both have in common, counting none twice.
  fileprivate func sharedEnds(with other: PackedKeys) -> (prefix: Int, suffix: Int) {
    let limit = Swift.min(count, other.count)
    var prefix = 0
    while prefix < limit && hasSameKey(at: prefix, as: other, at: prefix) { prefix += 1 }
    var suffix = 0
    while suffix < limit - prefix
      && hasSameKey(at: count - 1 - suffix, as: other, at: other.count - 1 - suffix)
    {
      suffix += 1
    }
    return (prefix, suffix)
  }

  func hasSameKey(at index: Int, as other: PackedKeys, at otherIndex: Int) -> Bool {
    let mine = byteRange(at: index)
    let theirs = other.byteRange(at: otherIndex)
    guard mine.count == theirs.count else { return false }
    for i in 0 ..< mine.count
    where bytes[mine.lowerBound + i] != other.bytes[theirs.lowerBound + i] {
      return false
    }
    return true
  }
}
