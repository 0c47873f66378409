// SPDX-License-Identifier: Apache-2.0

/// Who decides which items of an outline are expanded.
public enum OutlineExpansion: Hashable, Sendable {
  /// Each viewer decides; the data say what viewers start with.
  case perViewer
  /// The data decide, for all viewers.
  case shared
}

/// The expansions that a viewer starts with.
public enum ExpansionBase: Hashable, Sendable, CaseIterable {
  /// As the data say.
  case contents
  /// Nothing is expanded.
  case collapsed
  /// Everything is expanded.
  case expanded
}

/// An item that is expanded or collapsed contrary to the base.
struct ExpansionException: Hashable, Sendable {
  /// The index of the item in its section, counting all items.
  var item: Int
  var isExpanded: Bool
}

/// Which items of a section are expanded: a base and exceptions from it.
struct ExpansionRule: Hashable, Sendable {
  var base = ExpansionBase.contents
  /// Sorted by item, each item at most once.
  var exceptions: [ExpansionException] = []

  /// The exception for an item; nil = there is none.
  ///
  /// - Complexity: O(log exceptions)
  func exception(of item: Int) -> ExpansionException? {
    let index = self.index(of: item)
    return index < exceptions.count && exceptions[index].item == item ? exceptions[index] : nil
  }

  /// The index of the first exception at or behind an item.
  func index(of item: Int) -> Int {
    exceptions.partitioningIndex { $0.item >= item }
  }

  /// Whether an item is expanded by the base alone.
  func isExpandedByBase(_ item: OutlineItem) -> Bool {
    switch base {
    case .contents: item.isExpanded
    case .collapsed: false
    case .expanded: true
    }
  }

  /// Whether an item is expanded.
  ///
  /// - Complexity: O(log exceptions + log n)
  /// - Precondition: `item` is an index of `items`.
  func isExpanded(_ item: Int, in items: ItemSequence) -> Bool {
    exception(of: item)?.isExpanded ?? isExpandedByBase(items.outlineItem(at: item))
  }

  /// Expands collapsed items, and collapses expanded ones. A result that equals the base is not an
  /// exception.
  ///
  /// - Parameter toggled: indices of `items`, sorted, each once.
  /// - Complexity: O(exceptions + k log n) for k items
  mutating func toggle(_ toggled: [Int], in items: ItemSequence) {
    var result: [ExpansionException] = []
    result.reserveCapacity(exceptions.count + toggled.count)
    var next = 0
    for item in toggled {
      while next < exceptions.count, exceptions[next].item < item {
        result.append(exceptions[next])
        next += 1
      }
      let byBase = isExpandedByBase(items.outlineItem(at: item))
      var isExpanded = byBase
      if next < exceptions.count, exceptions[next].item == item {
        isExpanded = exceptions[next].isExpanded
        next += 1
      }
      if isExpanded == byBase {
        result.append(ExpansionException(item: item, isExpanded: !isExpanded))
      }
    }
    exceptions = result + exceptions[next...]
  }

  // MARK: - Visibility

  /// The visible and hidden runs of a range of items.
  ///
  /// - Parameter proceed: told of each hidden run; returns whether to go on. If it does not, what
  ///   follows counts as visible.
  /// - Complexity: O((runs + exceptions in the range) · log n)
  /// - Precondition: `range` is within the indices of `items`.
  func runs(
    in range: Range<Int>,
    of items: ItemSequence,
    proceed: () -> Bool = { true }
  ) -> RowRunList {
    var list = RowRunList()
    guard !range.isEmpty else { return list }
    var next = range.lowerBound
    if let end = endOfHiding(at: next, in: items) {
      let hidden = min(end, range.upperBound)
      list.append(hidden: hidden - next)
      next = hidden
    }
    while next < range.upperBound {
      guard proceed(),
        let parent = firstCollapsedParent(in: next ..< range.upperBound, of: items)
      else {
        list.append(shown: range.upperBound - next)
        break
      }
      list.append(shown: parent + 1 - next)
      next = min(items.endOfSubtree(at: parent), range.upperBound)
      list.append(hidden: next - parent - 1)
    }
    return list
  }

  /// The end of the hidden run that an item is in; nil = the item is visible.
  ///
  /// - Complexity: O(levels · log n)
  func endOfHiding(at index: Int, in items: ItemSequence) -> Int? {
    var outermost: Int?
    var ancestor = items.parent(of: index)
    while let here = ancestor {
      if !isExpanded(here, in: items) { outermost = here }
      ancestor = items.parent(of: here)
    }
    return outermost.map { items.endOfSubtree(at: $0) }
  }

  /// The first item of a range that has others below it and is collapsed.
  ///
  /// - Complexity: O((1 + k) · log n), where k counts the exceptions in the range up to that item
  private func firstCollapsedParent(in range: Range<Int>, of items: ItemSequence) -> Int? {
    var start = range.lowerBound
    var next = index(of: start)
    while start < range.upperBound {
      let parent =
        base == .expanded
        ? nil : items.firstParent(in: start ..< range.upperBound, isCollapsed: base == .contents)
      let end = parent ?? range.upperBound
      while next < exceptions.count, exceptions[next].item < end {
        let exception = exceptions[next]
        if !exception.isExpanded, items.hasChildren(at: exception.item) { return exception.item }
        next += 1
      }
      guard let parent else { return nil }
      if exception(of: parent)?.isExpanded != true { return parent }
      start = parent + 1
    }
    return nil
  }

  /// Whether more than so many hidden runs lie below an item, or would if it were expanded.
  ///
  /// - Parameter most: reduced by the number of these runs.
  /// - Complexity: O(most · log n + exceptions below the item · log n)
  func hasMoreRuns(below item: Int, than most: inout Int, of items: ItemSequence) -> Bool {
    var next = item + 1
    let end = items.endOfSubtree(at: item)
    while next < end, let parent = firstCollapsedParent(in: next ..< end, of: items) {
      most -= 1
      if most < 0 { return true }
      next = items.endOfSubtree(at: parent)
    }
    return false
  }

  /// The visible and hidden runs of all items.
  ///
  /// - Complexity: O(items), about a nanosecond for each, if there are no exceptions
  func rowMap(of items: ItemSequence) -> RowMap {
    guard base == .contents, exceptions.isEmpty else {
      return RowMap(runs(in: 0 ..< items.count, of: items))
    }
    var list = RowRunList()
    // The level of the collapsed item whose subtree this is.
    var hiding = OutlineItem.highestLevel + 1
    items.forEachChunk(in: 0 ..< items.count) { chunk, _ in
      guard case .packed(let bytes) = chunk.outline else {
        list.append(shown: chunk.count)
        hiding = 0
        return true
      }
      for byte in bytes {
        let level = Int(byte & 0x3F)
        if level > hiding {
          list.append(hidden: 1)
        } else {
          list.append(shown: 1)
          let isExpanded = byte & OutlineItem.expandedBit != 0
          hiding = isExpanded ? OutlineItem.highestLevel + 1 : level
        }
      }
      return true
    }
    return RowMap(list)
  }
}
