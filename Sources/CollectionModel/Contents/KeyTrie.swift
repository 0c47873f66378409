// SPDX-License-Identifier: Apache-2.0

/// Where a key was last seen: a section and the chunk in it, by their serial and label.
struct KeyPlace: Hashable, Sendable {
  var chunkLabel: UInt64
  var sectionSerial: UInt32
}

/// A persistent multimap from 32-bit hashes to places: a radix tree with wide leaves, so that an
/// entry costs little more than its 16 bytes and an insertion copies one leaf.
struct KeyTrie: Sendable {
  private struct Entry: Sendable {
    var chunkLabel: UInt64
    var sectionSerial: UInt32
    var hash: UInt32
  }

  /// A leaf has entries, an inner node 16 children, one for each value of the next four bits.
  private struct Node: Sendable {
    var entries: [Entry] = []
    var children: [Node] = []

    static let leafLimit = 64
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

    private mutating func spread(shift: UInt32) {
      let all = entries
      entries = []
      children = Array(repeating: Node(), count: 16)
      for i in children.indices { children[i].entries.reserveCapacity(all.count / 8) }
      for entry in all {
        children[Int(entry.hash >> shift & 15)].entries.append(entry)
      }
    }

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
  private(set) var count = 0

  private static let topShift: UInt32 = 28

  /// - Returns: whether there was a place for the same hash.
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

  mutating func remove(_ hash: UInt32, _ place: KeyPlace) {
    if root.remove(hash, place, shift: Self.topShift) { count -= 1 }
  }

  /// Calls `body` with all places of a hash, in no order, until it returns false.
  func forEachPlace(of hash: UInt32, _ body: (KeyPlace) -> Bool) {
    root.forEachPlace(of: hash, shift: Self.topShift, body)
  }
}
