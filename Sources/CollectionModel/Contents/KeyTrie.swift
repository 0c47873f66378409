// SPDX-License-Identifier: Apache-2.0

/// Where a key may be: a section and a chunk in it.
struct KeyPlace: Hashable, Sendable {
  /// The order label of the chunk.
  var chunkLabel: UInt64
  /// The serial of the section.
  var sectionSerial: UInt32
}

/// A persistent multimap from 32-bit hashes to places.
///
/// A radix tree with leaves of up to 64 entries: an entry takes little more than its 16 bytes, and
/// an insertion copies one leaf and the nodes above it.
struct KeyTrie: Sendable {
  private struct Entry: Sendable {
    var chunkLabel: UInt64
    var sectionSerial: UInt32
    var hash: UInt32
  }

  /// A leaf has entries; an inner node has 16 children, one for each value of the next four bits.
  ///
  /// A `shift` is the position of these bits in the hash: 28 at the root, and 0 at the eighth
  /// level, whose leaves grow without limit.
  private struct Node: Sendable {
    var entries: [Entry] = []
    var children: [Node] = []

    /// A leaf with more entries becomes an inner node.
    static let leafLimit = 64
    /// How many bits of the hash a level uses.
    static let bits: UInt32 = 4

    /// - Returns: whether there was an entry with the same hash.
    mutating func insert(_ entry: Entry, shift: UInt32) -> Bool {
      if !children.isEmpty {
        return children[Int(entry.hash >> shift & 15)].insert(entry, shift: shift - Self.bits)
      }
      let isKnown = entries.contains { $0.hash == entry.hash }
      entries.append(entry)
      if entries.count > Self.leafLimit && shift >= Self.bits { spread(shift: shift) }
      return isKnown
    }

    /// Turns a leaf into an inner node.
    private mutating func spread(shift: UInt32) {
      let all = entries
      entries = []
      children = Array(repeating: Node(), count: 16)
      for i in children.indices { children[i].entries.reserveCapacity(all.count / 8) }
      for entry in all {
        children[Int(entry.hash >> shift & 15)].entries.append(entry)
      }
    }

    /// - Returns: whether there was such an entry.
    mutating func remove(_ hash: UInt32, _ place: KeyPlace, shift: UInt32) -> Bool {
      if !children.isEmpty {
        return children[Int(hash >> shift & 15)].remove(hash, place, shift: shift - Self.bits)
      }
      let found = entries.firstIndex {
        $0.hash == hash && $0.chunkLabel == place.chunkLabel
          && $0.sectionSerial == place.sectionSerial
      }
      guard let found else { return false }
      entries.swapAt(found, entries.count - 1)
      entries.removeLast()
      return true
    }

    func forEachPlace(
      of hash: UInt32,
      shift: UInt32,
      _ body: (KeyPlace) -> Bool
    ) {
      if !children.isEmpty {
        children[Int(hash >> shift & 15)].forEachPlace(of: hash, shift: shift - Self.bits, body)
        return
      }
      for entry in entries where entry.hash == hash {
        let place = KeyPlace(chunkLabel: entry.chunkLabel, sectionSerial: entry.sectionSerial)
        if !body(place) { return }
      }
    }
  }

  private var root = Node()
  /// The number of entries, stale ones included.
  private(set) var count = 0

  private static let topShift: UInt32 = 28

  /// Roughly the memory of a trie with so many entries of different hashes, in bytes.
  ///
  /// - Complexity: O(levels)
  static func byteCount(ofEntries count: Int) -> Int {
    var leaves = 1
    while count / leaves > Node.leafLimit, leaves < 1 << topShift { leaves <<= Int(Node.bits) }
    let mean = count / leaves + 1
    // Arrays double their room, hashes do not spread evenly, and a leaf begins with room for an
    // eighth of its limit.
    var room = leaves == 1 ? 1 : Node.leafLimit / 8
    while room < min(Node.leafLimit, mean + mean / 2) { room *= 2 }
    return leaves * (MemoryLayout<Node>.stride + arrayBytes + room * MemoryLayout<Entry>.stride)
  }

  /// The overhead of an array, in bytes.
  private static let arrayBytes = 32

  /// Adds a place for a hash.
  ///
  /// - Complexity: O(1): at most eight levels and, except for colliding hashes, 64 entries.
  /// - Returns: whether there was a place for the same hash already.
  @discardableResult
  mutating func insert(_ hash: UInt32, _ place: KeyPlace) -> Bool {
    let entry = Entry(
      chunkLabel: place.chunkLabel,
      sectionSerial: place.sectionSerial,
      hash: hash
    )
    count += 1
    return root.insert(entry, shift: Self.topShift)
  }

  /// Removes one entry for this hash and place, if there is one.
  mutating func remove(_ hash: UInt32, _ place: KeyPlace) {
    if root.remove(hash, place, shift: Self.topShift) { count -= 1 }
  }

  /// Calls `body` with the places of a hash, in no particular order, until it returns false.
  func forEachPlace(of hash: UInt32, _ body: (KeyPlace) -> Bool) {
    root.forEachPlace(of: hash, shift: Self.topShift, body)
  }
}
