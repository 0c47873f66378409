// SPDX-License-Identifier: Apache-2.0

/// The tree that the items of an outline form. They are in depth-first order, so the descendants of
/// an item are a range after it. All methods take O(log n).
extension ItemSequence {
  /// An item's place in the outline.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func outlineItem(at index: Int) -> OutlineItem {
    let (chunk, start) = chunk(containing: index)
    return chunk.outline.value(at: index - start)
  }

  /// The end of an item's descendants.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func endOfSubtree(at index: Int) -> Int {
    firstIndex(from: index + 1, upToLevel: outlineItem(at: index).level)
  }

  /// Whether an item has children.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func hasChildren(at index: Int) -> Bool {
    index + 1 < count && outlineItem(at: index + 1).level > outlineItem(at: index).level
  }

  /// The index of an item's parent; nil = it is a root.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func parent(of index: Int) -> Int? {
    let (chunk, start) = chunk(containing: index)
    let level = chunk.outline.value(at: index - start).level
    guard level > 0 else { return nil }
    if let found = chunk.outline.lastIndex(before: index - start, belowLevel: level) {
      return start + found
    }
    let place = chunks.lastPlace(
      before: place(of: index).index,
      total: { $0.items.count },
      where: { $0.items.outline.lowestLevel < level }
    )
    guard let place else { return nil }
    let found = place.element.chunk.outline.lastIndex(
      before: place.element.chunk.count,
      belowLevel: level
    )
    return found.map { place.start + $0 }
  }

  /// The first item at or after an index whose level is not deeper than `level`; `count` = there is
  /// none.
  ///
  /// - Precondition: `index` is within 0 ... count.
  func firstIndex(from index: Int, upToLevel level: Int) -> Int {
    guard index < count else { return count }
    let here = place(of: index)
    let chunk = here.element.chunk
    if let found = chunk.outline.firstIndex(from: index - here.start, upToLevel: level, chunk.count)
    {
      return here.start + found
    }
    let next = chunks.firstPlace(
      from: here.index + 1,
      total: { $0.items.count },
      where: { $0.items.outline.lowestLevel <= level }
    )
    guard let next else { return count }
    let found = next.element.chunk.outline.firstIndex(
      from: 0,
      upToLevel: level,
      next.element.chunk.count
    )
    return next.start + (found ?? 0)
  }

  /// The lowest level of the items of a range; nil = the range is empty.
  ///
  /// - Precondition: `range` is within 0 ..< count.
  func lowestLevel(in range: Range<Int>) -> Int? {
    guard !range.isEmpty else { return nil }
    let (first, last) = (place(of: range.lowerBound), place(of: range.upperBound - 1))
    func lowest(_ place: SummaryTree<ChunkEntry>.Place, _ range: Range<Int>) -> Int {
      place.element.chunk.outline.lowestLevel(in: range)
    }
    if first.index == last.index {
      return lowest(first, range.lowerBound - first.start ..< range.upperBound - first.start)
    }
    let ends = min(
      lowest(first, range.lowerBound - first.start ..< first.element.chunk.count),
      lowest(last, 0 ..< range.upperBound - last.start)
    )
    let between = chunks.summary(in: first.index + 1 ..< last.index).items.outline.lowestLevel
    return min(ends, Int(between))
  }

  /// The highest level of the items of a range; 0 if it is empty.
  ///
  /// - Complexity: O(log n + items of the range)
  /// - Precondition: `range` is within 0 ..< count.
  public func highestLevel(in range: Range<Int>) -> Int {
    var highest = 0
    forEachChunk(in: range) { chunk, start in
      let part = range.clamped(to: start ..< start + chunk.count)
      let bytes = chunk.outline.bytes(in: part.lowerBound - start ..< part.upperBound - start)
      highest = bytes.reduce(highest) { max($0, Int($1 & 0x3F)) }
      return true
    }
    return highest
  }

  /// The first item of a range that has children.
  ///
  /// - Parameter isCollapsed: only items that are collapsed according to the data.
  /// - Precondition: `range` is within 0 ..< count.
  func firstParent(in range: Range<Int>, isCollapsed: Bool) -> Int? {
    guard !range.isEmpty else { return nil }
    let here = place(of: range.lowerBound)
    func found(_ place: SummaryTree<ChunkEntry>.Place, from index: Int) -> Int? {
      place.element.chunk.outline.firstParent(from: index, isCollapsed).map { place.start + $0 }
    }
    func checked(_ index: Int) -> Int? { index < range.upperBound ? index : nil }
    if let found = found(here, from: range.lowerBound - here.start) { return checked(found) }
    func joins(_ a: ChunkSummary, _ b: ChunkSummary) -> Bool {
      var joint = OutlineSummary.roots
      joint.note(a.items.outline.last, isFollowedBy: b.items.outline.first)
      return isCollapsed ? joint.hasCollapsedParent : joint.hasParent
    }
    let behind = here.start + here.element.chunk.count
    guard behind < range.upperBound else {
      guard behind < count, joins(here.element.summary, place(of: behind).element.summary) else {
        return nil
      }
      return checked(behind - 1)
    }
    if joins(here.element.summary, chunks[here.index + 1].summary) { return checked(behind - 1) }
    let next = chunks.firstPlace(
      from: here.index + 1,
      total: { $0.items.count },
      where: { isCollapsed ? $0.items.outline.hasCollapsedParent : $0.items.outline.hasParent },
      joins: joins
    )
    guard let next else { return nil }
    return checked(found(next, from: 0) ?? next.start + next.element.chunk.count - 1)
  }

  /// The first item whose level is more than one below that of the item before it, or that is a
  /// first item below level 0; nil = the levels of the range are those of an outline.
  ///
  /// - Parameter range: the items to check, each against the one before it.
  /// - Complexity: O(log n + items of the range)
  func firstLevelFault(in range: Range<Int>) -> Int? {
    var before = range.lowerBound > 0 ? outlineItem(at: range.lowerBound - 1).level : -1
    var fault: Int?
    forEachChunk(in: range) { chunk, start in
      for index in max(range.lowerBound, start) ..< min(range.upperBound, start + chunk.count) {
        let level = chunk.outline.value(at: index - start).level
        if level > before + 1 {
          fault = index
          return false
        }
        before = level
      }
      return true
    }
    return fault
  }
}

extension OutlineColumn {
  /// - Parameter count: the number of items of the chunk.
  fileprivate func firstIndex(from index: Int, upToLevel level: Int, _ count: Int) -> Int? {
    switch self {
    case .absent: index < count ? index : nil
    case .packed(let bytes): bytes[index...].firstIndex { $0 & 0x3F <= level }
    }
  }

  fileprivate func lastIndex(before index: Int, belowLevel level: Int) -> Int? {
    switch self {
    case .absent: index > 0 ? index - 1 : nil
    case .packed(let bytes): bytes[..<index].lastIndex { $0 & 0x3F < level }
    }
  }

  fileprivate func lowestLevel(in range: Range<Int>) -> Int {
    guard case .packed(let bytes) = self else { return 0 }
    return bytes[range].reduce(OutlineItem.highestLevel) { min($0, Int($1 & 0x3F)) }
  }

  /// The first item, at or behind an index, that has others of the chunk below it.
  fileprivate func firstParent(from index: Int, _ isCollapsed: Bool) -> Int? {
    guard case .packed(let bytes) = self, index + 1 < bytes.count else { return nil }
    return (index ..< bytes.count - 1).first {
      bytes[$0 + 1] & 0x3F > bytes[$0] & 0x3F
        && !(isCollapsed && bytes[$0] & OutlineItem.expandedBit != 0)
    }
  }
}
