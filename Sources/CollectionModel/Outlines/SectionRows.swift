// SPDX-License-Identifier: Apache-2.0

/// The visible items of one outline, for one viewer or for all viewers with the same base.
public struct SectionRows: Sendable {
  /// Which items are rows.
  public internal(set) var map: RowMap
  /// Which items are expanded.
  var rule: ExpansionRule
  /// Whether rows were moved after the map was made, as in the preview of a movement by hand: then
  /// items are found by key.
  var isRearranged = false

  /// Roughly the memory in use, in bytes.
  var byteCount: Int {
    map.byteCount + rule.exceptions.count * MemoryLayout<ExpansionException>.stride
  }
}

/// All items of some contents, for contents that have only the visible ones.
final class WholeContents: Sendable {
  let contents: CollectionContents
  /// The base for sections that are added later.
  let base: ExpansionBase

  init(_ contents: CollectionContents, base: ExpansionBase) {
    self.contents = contents
    self.base = base
  }
}

extension SectionContents {
  /// The section as seen with a rule.
  ///
  /// - Parameter rule: which items are expanded.
  /// - Complexity: O(items) if the rule has no exceptions, else that of `ExpansionRule.runs`
  func showing(_ rule: ExpansionRule) -> SectionContents {
    var section = self
    let map = rule.rowMap(of: items)
    section.items = items.showing(map)
    section.rows = SectionRows(map: map, rule: rule)
    return section
  }
}

extension ItemSequence {
  /// The visible items.
  ///
  /// - Complexity: O(runs + chunks)
  fileprivate func showing(_ map: RowMap) -> ItemSequence {
    if map.rowCount == count { return self }
    var slices: [ChunkSlice] = []
    var start = 0
    for run in map.runs(in: 0 ..< count).runs {
      slices += self.slices(in: start ..< start + run.shown)
      start += run.itemCount
    }
    return ItemSequence(slices: slices)
  }
}

extension CollectionContents {
  /// Whether some section is an outline.
  ///
  /// - Complexity: O(1)
  public var hasOutlines: Bool { sections.summary.outlineCount > 0 }

  /// What viewers see who start with the data's expansions and have none of their own; the contents
  /// themselves if there are no outlines.
  ///
  /// - Complexity: O(1) once computed, for all copies; the first time O(items)
  public var rows: CollectionContents { rows(startingFrom: .contents) }

  /// All items, if these are only the visible rows of others; otherwise these contents.
  ///
  /// - Complexity: O(1)
  public var whole: CollectionContents { wholeContents?.contents ?? self }

  /// What viewers see who start with `base` and have no expansions of their own; the contents
  /// themselves if there are no outlines.
  ///
  /// - Complexity: O(1) once computed, for all copies; the first time O(items)
  public func rows(startingFrom base: ExpansionBase) -> CollectionContents {
    rowsCache?.rows(of: self, startingFrom: base) ?? self
  }

  /// The rows shared by all viewers who start with the base of these rows and have no expansions of
  /// their own.
  ///
  /// - Complexity: O(1)
  /// - Precondition: these rows have no exceptions either.
  public var sharedRows: CollectionContents {
    let whole = whole
    whole.rowsCache?.note(self, startingFrom: expansionBase)
    return whole.rows(startingFrom: expansionBase)
  }

  /// Computes what a viewer sees.
  func showing(_ base: ExpansionBase) -> CollectionContents {
    let entries = sections.map { entry in
      guard entry.summary.outlineCount > 0 else { return entry }
      let section = entry.contents
      return entry.replacing(section.showing(section.rule(startingFrom: base)))
    }
    return seen(as: SummaryTree(entries), base)
  }

  /// These contents with only some items visible.
  ///
  /// - Parameter sections: the same sections with their visible items.
  func seen(as sections: SummaryTree<SectionEntry>, _ base: ExpansionBase) -> CollectionContents {
    var seen = self
    seen.sections = sections
    seen.rowsCache = nil
    seen.wholeContents = hasOutlines ? WholeContents(self, base: base) : nil
    return seen
  }

  /// Discards `rows` after a change of the sections, so that they are computed again.
  mutating func sectionsChanged() {
    rowsCache = hasOutlines && wholeContents == nil ? RowsCache() : nil
  }

  /// The index path, among all items, of a row; nil = there is no such row.
  ///
  /// - Complexity: O(log n)
  public func wholePath(ofRow path: IndexPath) -> IndexPath? {
    guard contains(path) else { return nil }
    guard let row = path.item, let rows = section(at: path.section).rows else { return path }
    if rows.isRearranged { return key(at: path).flatMap { whole.indexPath(ofItemKey: $0) } }
    return IndexPath(section: path.section, item: rows.map.item(ofRow: row))
  }

  /// The index path, among the rows, of an item; nil = it is hidden, or there is no such item.
  ///
  /// - Parameter path: among all items.
  /// - Complexity: O(log n)
  public func rowPath(ofItem path: IndexPath) -> IndexPath? {
    guard whole.contains(path) else { return nil }
    guard let item = path.item, let rows = section(at: path.section).rows else { return path }
    return rows.map.row(of: item).map { IndexPath(section: path.section, item: $0) }
  }

  /// The place of a row in its outline; nil = its section is not an outline.
  ///
  /// - Complexity: O(log n)
  public func outlinePosition(ofRow path: IndexPath) -> OutlinePosition? {
    guard hasOutlines, path.item != nil, let found = wholePath(ofRow: path), whole.contains(found),
      let index = found.item, let rows = section(at: found.section).rows
    else { return nil }
    let items = whole.section(at: found.section).items
    let item = items.outlineItem(at: index)
    guard item.isExpandable || items.hasChildren(at: index) else {
      return OutlinePosition(level: item.level, isExpanded: nil)
    }
    let isExpanded = rows.rule.exception(of: index)?.isExpanded
    return OutlinePosition(
      level: item.level,
      isExpanded: isExpanded ?? rows.rule.isExpandedByBase(item)
    )
  }
}

/// A row's place in its outline.
public struct OutlinePosition: Hashable, Sendable {
  /// How many ancestors the item has; 0 = it is a root.
  public var level: Int
  /// Whether the item is expanded; nil = it cannot be.
  public var isExpanded: Bool?

  /// A place with the given values.
  public init(level: Int, isExpanded: Bool?) {
    self.level = level
    self.isExpanded = isExpanded
  }
}

extension SectionContents {
  /// The expansions of viewers who start with `base`. If expansions are shared, the data decide.
  func rule(startingFrom base: ExpansionBase) -> ExpansionRule {
    ExpansionRule(base: outline == .shared ? .contents : base)
  }
}
