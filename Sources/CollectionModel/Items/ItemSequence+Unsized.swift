// SPDX-License-Identifier: Apache-2.0

/// Finds items that lack sizes of their own. Such items lie in runs: a chunk has the same columns
/// for all its items.
extension ItemSequence {
  /// The index behind the run of items without width and height that an item belongs to.
  ///
  /// - Complexity: O(log n), however long the run is
  /// - Precondition: `index` is within 0 ..< count, and that item has neither width nor height.
  public func endOfUnsizedRun(at index: Int) -> Int {
    guard let first = chunks.firstPosition(where: { $0.items.count > index }) else { return count }
    return firstPosition(after: first.prefix) { $0.count - $0.unsizedCount }?.prefix.items.count
      ?? count
  }

  /// Calls `body` with each maximal range of chunks whose items lack a width or a height, in order,
  /// until it returns false.
  ///
  /// - Complexity: O(r log n) for r ranges, however long these are
  public func forEachRangeLackingSizes(_ body: (Range<Int>) -> Bool) {
    var before = ChunkSummary.zero
    while let first = firstPosition(after: before, \.lackingCount) {
      let next = firstPosition(after: first.prefix) { $0.count - $0.lackingCount }
      let end = next?.prefix.items.count ?? count
      guard body(first.prefix.items.count ..< end), let next else { return }
      before = next.prefix
    }
  }

  /// The first chunk behind a prefix that adds to a total.
  private func firstPosition(
    after prefix: ChunkSummary,
    _ total: (ItemSummary) -> Int
  ) -> SummaryTree<ChunkEntry>.Position? {
    let start = total(prefix.items)
    return chunks.firstPosition { total($0.items) > start }
  }
}

extension ItemSummary {
  /// How many items lack a width or a height.
  @inlinable public var lackingCount: Int { unsizedCount + partlySizedCount }
}
