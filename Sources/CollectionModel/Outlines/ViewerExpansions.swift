// SPDX-License-Identifier: Apache-2.0

/// An item that a viewer expands or collapses.
public struct ItemExpansion: Hashable, Sendable {
  /// The index path of the item, counting all items.
  public var path: IndexPath
  /// Whether to expand it; otherwise it is collapsed.
  public var isExpanded: Bool

  /// An item to expand or to collapse.
  public init(_ path: IndexPath, isExpanded: Bool) {
    self.path = path
    self.isExpanded = isExpanded
  }
}

/// What a viewer has expanded and collapsed, by key, as exceptions from a base.
public struct ViewerExpansions: Hashable, Sendable {
  /// The expansions that the viewer started with.
  public var base: ExpansionBase
  /// The keys of items that are expanded although the base has them collapsed.
  public var expanded: [String]
  /// The keys of items that are collapsed although the base has them expanded.
  public var collapsed: [String]

  /// Expansions with the given values; by default the data's.
  public init(base: ExpansionBase = .contents, expanded: [String] = [], collapsed: [String] = []) {
    self.base = base
    self.expanded = expanded
    self.collapsed = collapsed
  }

  /// Whether they name any items.
  public var namesItems: Bool { !expanded.isEmpty || !collapsed.isEmpty }

  /// Whether they are those that the data says.
  public var isDefault: Bool { base == .contents && expanded.isEmpty && collapsed.isEmpty }
}

extension CollectionContents {
  /// How many items a viewer has expanded or collapsed as exceptions from its base; 0 if these are
  /// not the rows of a viewer.
  ///
  /// - Complexity: O(1)
  public var expansionExceptionCount: Int { sections.summary.exceptionCount }

  /// The base that the viewer of these rows started with.
  public var expansionBase: ExpansionBase { wholeContents?.base ?? .contents }

  /// What the viewer of these rows has expanded.
  ///
  /// - Complexity: O(exceptions · log n)
  public var viewerExpansions: ViewerExpansions {
    var result = ViewerExpansions(base: expansionBase)
    var next = 0
    while let place = sections.firstPlace(
      from: next,
      total: { $0.itemCount },
      where: { $0.exceptionCount > 0 }
    ) {
      for exception in place.element.contents.rows?.rule.exceptions ?? [] {
        let path = IndexPath(section: place.index, item: exception.item)
        guard let key = whole.key(at: path) else { continue }
        if exception.isExpanded {
          result.expanded.append(key)
        } else {
          result.collapsed.append(key)
        }
      }
      next = place.index + 1
    }
    return result
  }

  /// The rows of a viewer with these expansions. Unknown keys, and keys in sections that share
  /// their expansions, are ignored.
  ///
  /// - Complexity: O(exceptions · log n) and that of `rows(startingFrom:)`
  /// - Precondition: these are not rows.
  public func rows(showing expansions: ViewerExpansions) -> CollectionContents {
    let rows = rows(startingFrom: expansions.base)
    let changes = changes(to: expansions)
    return changes.isEmpty ? rows : rows.expanding(changes).new
  }

  /// The items to expand and collapse for a viewer who starts with the base of `expansions`.
  /// Unknown keys are ignored.
  ///
  /// - Complexity: O(k log n), where k counts the keys
  public func changes(to expansions: ViewerExpansions) -> [ItemExpansion] {
    itemExpansions(ofKeys: expansions.collapsed, isExpanded: false)
      + itemExpansions(ofKeys: expansions.expanded, isExpanded: true)
  }

  /// The items with some keys, to be expanded or collapsed. Unknown keys are ignored.
  ///
  /// - Complexity: O(k log n), where k counts the keys
  public func itemExpansions(ofKeys keys: [String], isExpanded: Bool) -> [ItemExpansion] {
    let whole = whole
    return keys.compactMap { key in
      whole.indexPath(ofItemKey: key).map { ItemExpansion($0, isExpanded: isExpanded) }
    }
  }

  /// Whether expanding or collapsing items for the viewer of these rows may take more than so many
  /// steps.
  ///
  /// - Complexity: O((items + most + exceptions below the items) · log n)
  public func takesLong(toExpand items: [ItemExpansion], most: Int) -> Bool {
    var most = most
    let whole = whole
    return items.contains { item in
      guard item.path.section < sectionCount, let index = item.path.item,
        let rule = sections[item.path.section].contents.rows?.rule
      else { return false }
      let all = whole.section(at: item.path.section).items
      return index < all.count && rule.hasMoreRuns(below: index, than: &most, of: all)
    }
  }

  /// Expands and collapses items for the viewer of these rows. Items that are not there, and those
  /// in sections that are no outlines or share their expansions, are passed over. The last change
  /// of an item counts.
  ///
  /// - Parameter includesShared: whether those in sections that share their expansions count too.
  ///   Rows that differ from the data there are for a while: the next batch that reaches the
  ///   section loses them.
  /// - Parameter proceed: called for each hidden run below the items; returns whether to go on. If
  ///   it does not, the result is of no use.
  /// - Complexity: O(k log n), where k counts the changes, and the visible and hidden runs below
  ///   them
  public func expanding(
    _ changes: [ItemExpansion],
    includesShared: Bool = false,
    proceed: () -> Bool = { true }
  ) -> ContentsChange {
    var sections = sections
    var changed: [ContentsChange.SectionChange] = []
    var maps: [ItemMap] = []
    var hiddenSections: [Int] = []
    let bySection = Dictionary(grouping: changes) { $0.path.section }
    for index in bySection.keys.sorted() where index < sectionCount {
      let entry = sections[index]
      guard includesShared || entry.contents.outline == .perViewer,
        let edit = entry.contents.expanding(
          bySection[index] ?? [],
          in: whole,
          at: index,
          proceed: proceed
        )
      else { continue }
      sections[index] = entry.replacing(edit.section)
      guard !edit.splices.splices.isEmpty else {
        hiddenSections.append(index)
        continue
      }
      maps.append(ItemMap(oldSection: index, newSection: index, items: edit.splices))
      changed.append(
        ContentsChange.SectionChange(
          oldIndex: index,
          newIndex: index,
          itemSplices: edit.splices.splices,
          metricsChanged: false
        )
      )
    }
    var new = self
    new.sections = sections
    return ContentsChange(
      old: self,
      new: new,
      isAnimated: false,
      sectionMap: SpliceMap(),
      changedSections: changed,
      itemMaps: maps,
      moves: [],
      hiddenSections: hiddenSections
    )
  }

  /// The changes that expand or collapse all descendants of an item that can be expanded; nil = too
  /// many.
  ///
  /// - Parameter path: among all items.
  /// - Parameter limit: the most changes.
  /// - Parameter steps: how many items may be visited; reduced by those that were. If it falls
  ///   below 0, nil is returned.
  /// - Complexity: O(log n + descendants), at most `steps` of them
  public func expansions(
    below path: IndexPath,
    isExpanded: Bool,
    limit: Int,
    steps: inout Int
  ) -> [ItemExpansion]? {
    guard let item = path.item, whole.contains(path),
      let rule = section(at: path.section).rows?.rule
    else { return [] }
    let items = whole.section(at: path.section).items
    var changes: [ItemExpansion] = []
    let range = item + 1 ..< items.endOfSubtree(at: item)
    steps -= range.count + 1
    guard steps >= 0 else { return nil }
    items.forEachChunk(in: range) { chunk, start in
      for index in range.clamped(to: start ..< start + chunk.count) {
        let value = chunk.outline.value(at: index - start)
        let next = index - start + 1
        let isParent =
          next < chunk.count
          ? chunk.outline.value(at: next).level > value.level : items.hasChildren(at: index)
        guard isParent || value.isExpandable,
          (rule.exception(of: index)?.isExpanded ?? rule.isExpandedByBase(value)) != isExpanded
        else { continue }
        changes.append(
          ItemExpansion(IndexPath(section: path.section, item: index), isExpanded: isExpanded)
        )
        if changes.count > limit { return false }
      }
      return true
    }
    return changes.count > limit ? nil : changes
  }

  /// The row of an item or, if it is hidden, of its nearest visible ancestor; nil = there is no
  /// such item.
  ///
  /// - Parameter path: counts all items.
  /// - Complexity: O(levels · log n)
  public func visibleRow(ofItem path: IndexPath) -> IndexPath? {
    guard var item = path.item, whole.contains(path) else { return nil }
    let items = whole.section(at: path.section).items
    while true {
      let here = IndexPath(section: path.section, item: item)
      if let row = rowPath(ofItem: here) { return row }
      guard let parent = items.parent(of: item) else { return nil }
      item = parent
    }
  }

  /// The ancestors of an item, the nearest first.
  ///
  /// - Parameter path: counts all items.
  /// - Complexity: O(levels · log n)
  public func ancestors(ofItem path: IndexPath) -> [IndexPath] {
    guard var item = path.item, whole.contains(path) else { return [] }
    let items = whole.section(at: path.section).items
    var result: [IndexPath] = []
    while let parent = items.parent(of: item) {
      result.append(IndexPath(section: path.section, item: parent))
      item = parent
    }
    return result
  }
}

extension SectionContents {
  /// The section after some items were expanded or collapsed; nil = nothing has changed.
  ///
  /// - Parameter index: the index of the section in `whole`.
  /// - Parameter proceed: as in `ExpansionRule.runs`.
  fileprivate func expanding(
    _ changes: [ItemExpansion],
    in whole: CollectionContents,
    at index: Int,
    proceed: () -> Bool
  ) -> (section: SectionContents, splices: SpliceMap)? {
    guard let rows else { return nil }
    let items = whole.section(at: index).items
    var wanted: [Int: Bool] = [:]
    for change in changes {
      guard let item = change.path.item, item < items.count else { continue }
      wanted[item] = change.isExpanded
    }
    var rule = rows.rule
    let changed = wanted.filter { rule.isExpanded($0.key, in: items) != $0.value }.keys.sorted()
    guard !changed.isEmpty else { return nil }
    rule.toggle(changed, in: items)
    var projection = SectionProjection(old: items, new: items, seen: self, rule: rule)
    var end = 0
    for item in changed where item >= end && rows.map.row(of: item) != nil {
      end = items.endOfSubtree(at: item)
      let range = item ..< end
      projection.append(
        OutlineRegion(parts: [.init(splice: Splice(old: range, new: range), kind: nil)]),
        proceed: proceed
      )
    }
    let result = projection.finish()
    var section = self
    section.items = result.items
    section.rows = SectionRows(map: result.map, rule: rule)
    return (section, result.splices)
  }
}
