// SPDX-License-Identifier: Apache-2.0

/// The items of a section as an array of chunks, which is faster to read in order than the tree.
struct FlatItems {
  private var chunks: [ItemChunk] = []
  /// The index of the first item of each chunk.
  private var starts: [Int] = []
  /// The index of the chunk that was read last.
  private var current = 0
  /// The number of items.
  let count: Int

  /// - Complexity: O(chunks)
  init(_ items: ItemSequence) {
    count = items.count
    items.forEachChunk(in: 0 ..< items.count) { chunk, start in
      chunks.append(chunk)
      starts.append(start)
      return true
    }
  }

  /// The chunk that contains an item, and the item's index in the chunk.
  ///
  /// - Complexity: O(1) in the chunk that was read last and in the next one, else O(log n)
  /// - Precondition: `item` is within 0 ..< count.
  mutating func locate(_ item: Int) -> (chunk: ItemChunk, index: Int) {
    if item < starts[current] || item >= starts[current] + chunks[current].count {
      if current + 1 < starts.count, item >= starts[current + 1],
        item < starts[current + 1] + chunks[current + 1].count
      {
        current += 1
      } else {
        current = starts.partitioningIndex { $0 > item } - 1
      }
    }
    return (chunks[current], item - starts[current])
  }

  /// The key of an item; nil = it has none.
  mutating func key(_ item: Int) -> String? {
    let (chunk, index) = locate(item)
    return chunk.keys.value(at: index)
  }

  /// Whether both items have a key, and the same one.
  mutating func hasSameKey(_ item: Int, as other: inout FlatItems, _ otherItem: Int) -> Bool {
    let (mine, i) = locate(item)
    let (theirs, j) = other.locate(otherItem)
    guard case .packed(let a) = mine.keys, case .packed(let b) = theirs.keys else { return false }
    return a.hasSameText(at: i, as: b, at: j)
  }

  /// Whether two items have the same values, whatever their keys.
  mutating func hasSameValues(_ item: Int, as other: inout FlatItems, _ otherItem: Int) -> Bool {
    let (a, i) = locate(item)
    let (b, j) = other.locate(otherItem)
    return a.widths.value(at: i) == b.widths.value(at: j)
      && a.heights.value(at: i) == b.heights.value(at: j)
      && a.xs.value(at: i) == b.xs.value(at: j) && a.ys.value(at: i) == b.ys.value(at: j)
      && a.cellKinds.value(at: i) == b.cellKinds.value(at: j)
      && a.outline.value(at: i) == b.outline.value(at: j)
      && a.data.hasSameValue(at: i, as: b.data, at: j)
  }
}
