// SPDX-License-Identifier: Apache-2.0

/// Long runs of items, taken together with the chunks and nodes that hold them.
extension ItemSequence {
  /// A run of chunks that lie completely in a range, sharing the nodes of the tree: from the first
  /// such chunk up to the first for which a condition does not hold.
  ///
  /// - Parameter least: if the run has fewer items, nil is returned.
  /// - Parameter holds: must be true of a run of chunks exactly if it is true of each of them.
  /// - Returns: the items of the run, and the index of the first of them.
  /// - Complexity: O(log n)
  /// - Precondition: `range` is within 0 ..< count.
  public func wholeChunks(
    in range: Range<Int>,
    atLeast least: Int,
    where holds: (ItemSummary) -> Bool
  ) -> (items: ItemSequence, start: Int)? {
    guard !range.isEmpty else { return nil }
    var (first, start) = (0, 0)
    if range.lowerBound > 0 {
      let place = place(of: range.lowerBound)
      let isWhole = place.start == range.lowerBound
      first = isWhole ? place.index : place.index + 1
      start = isWhole ? place.start : place.start + place.element.chunk.count
    }
    var (last, end) = (chunks.count, count)
    if range.upperBound < count {
      let place = place(of: range.upperBound)
      (last, end) = (place.index, place.start)
    }
    let other = chunks.firstPlace(
      from: first,
      total: { $0.items.count },
      where: { !holds($0.items) }
    )
    if let other, other.index < last { (last, end) = (other.index, other.start) }
    guard first < last, end - start >= least else { return nil }
    return (ItemSequence(chunks: chunks.prefix(last).suffix(from: first)), start)
  }

  /// The first chunk at whose end a running total exceeds a number, with the index of its first
  /// item and the total before it; nil = the total of all items does not.
  ///
  /// - Parameter total: picks the total out of a summary; must be additive, and not negative.
  /// - Complexity: O(log n)
  public func chunk(
    exceeding number: Double,
    _ total: (ItemSummary) -> Double
  ) -> (chunk: ItemChunk, start: Int, before: Double)? {
    chunks.firstPosition { total($0.items) > number }.map {
      ($0.element.chunk, $0.prefix.items.count, total($0.prefix.items))
    }
  }

  /// The chunk that contains an item, with the index of its first item and the summary of all items
  /// before it.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  public func chunkWithPrefix(
    containing index: Int
  ) -> (chunk: ItemChunk, start: Int, before: ItemSummary) {
    let position = chunks.position(at: place(of: index).index)
    return (position.element.chunk, position.prefix.items.count, position.prefix.items)
  }

  /// Roughly the memory of the nodes at the ends of a run, in bytes; all others are shared with the
  /// items that it is taken from.
  ///
  /// - Complexity: O(1)
  public var edgeByteCount: Int { chunks.edgeByteCount }
}

extension SummaryTree {
  /// Roughly the memory of the nodes on the paths to the first and to the last element, in bytes.
  var edgeByteCount: Int {
    let slots = root.height * MemoryLayout<TreeNode<Element>>.stride + MemoryLayout<Element>.stride
    return 2 * TreeNode<Element>.maxSlots * slots
  }
}
