// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension ContentsChange {
  /// The same change in rows, from `old.rows` to `new.rows`, as viewers see it who start with the
  /// data's expansions and have none of their own. The change itself if there are no outlines.
  ///
  /// - Complexity: O(1) once computed, for all copies; the first time that of `rows(on:)`
  public var rows: ContentsChange { rows(startingFrom: .contents) }

  /// The same change in rows, as viewers see it who started with `base` and have no expansions of
  /// their own. The change itself if there are no outlines.
  ///
  /// - Complexity: O(1) once computed, for all copies; the first time that of `rows(on:)`, if the
  ///   rows of `old` have been computed
  public func rows(startingFrom base: ExpansionBase) -> ContentsChange {
    guard old.hasOutlines || new.hasOutlines else { return self }
    return map.rowsChanges.withLock { known in
      if let change = known[base] { return change }
      let change = rows(on: old.rows(startingFrom: base))
      new.rowsCache?.note(change.new, startingFrom: base)
      known[base] = change
      return change
    }
  }

  /// Whether `rows(startingFrom:)` can be computed without visiting all items.
  ///
  /// - Complexity: O(1)
  public func knowsRows(startingFrom base: ExpansionBase) -> Bool {
    old.rowsCache?.knows(base) ?? true
  }

  /// The same change in one viewer's rows. The change itself if there are no outlines.
  ///
  /// - Parameter seen: what the viewer sees of `old`.
  /// - Complexity: O(k log n) for a batch that touched k items and sections, where k counts the
  ///   visible and hidden runs below items that were added or moved; also O(sections) for a
  ///   snapshot.
  public func rows(on seen: CollectionContents) -> ContentsChange {
    guard old.hasOutlines || new.hasOutlines else { return self }
    var projection = RowsProjection(self, on: seen)
    return projection.project()
  }
}

/// Derives what a viewer sees of a change.
private struct RowsProjection {
  private let change: ContentsChange
  private let old: CollectionContents
  private let base: ExpansionBase
  private var maps: [ItemMap] = []
  private var splices: [Int: [Splice]] = [:]
  private var moves: [PlaceMove] = []

  init(_ change: ContentsChange, on seen: CollectionContents) {
    self.change = change
    old = seen
    base = seen.wholeContents?.base ?? .contents
  }

  mutating func project() -> ContentsChange {
    var sections = old.sections
    for splice in change.sectionSplices.reversed() {
      let entries = splice.new.map { entry(ofNew: $0) }
      sections.replaceSubrange(splice.old, with: entries)
    }
    for changed in change.changedSections {
      let entry = entry(ofNew: changed.newIndex)
      sections.replaceSubrange(changed.newIndex ..< changed.newIndex + 1, with: [entry])
    }
    if change.map.renumbersSections {
      sections = SummaryTree(zip(sections, change.new.sections).map { $0.identified(as: $1) })
    }
    let new = change.new.seen(as: sections, base)
    for move in change.map.moves { add(move, to: new) }
    var changedSections: [ContentsChange.SectionChange] = []
    var hiddenSections: [Int] = []
    for var changed in change.changedSections {
      changed.itemSplices = splices[changed.newIndex] ?? []
      if !changed.itemSplices.isEmpty || changed.metricsChanged {
        changedSections.append(changed)
      } else {
        hiddenSections.append(changed.newIndex)
      }
    }
    return ContentsChange(
      old: old,
      new: new,
      isAnimated: change.isAnimated,
      sectionMap: change.map.sectionMap,
      changedSections: changedSections,
      itemMaps: maps.sorted { $0.oldSection < $1.oldSection },
      moves: moves.sorted { $0.old < $1.old },
      renumbersSections: change.map.renumbersSections,
      hiddenSections: hiddenSections
    )
  }

  // MARK: - Sections

  /// A section of the new contents as the viewer sees it.
  private mutating func entry(ofNew index: Int) -> SectionEntry {
    let entry = change.new.sections[index]
    let source = change.oldIndexPath(ofNew: IndexPath(section: index))?.section
    let itemMap = change.map.itemMap(ofNew: index).map { change.map.itemMaps[$0] }
    let seen = source.map { old.section(at: $0) }
    let isOutline = entry.summary.outlineCount > 0
    guard isOutline || seen?.rows != nil else {
      if let itemMap { note(itemMap) }
      return entry
    }
    let section = entry.contents
    var rule = section.rule(startingFrom: base)
    if section.outline == .perViewer { rule.exceptions = exceptions(inNew: index, from: source) }
    guard let source, let seen else {
      return isOutline ? entry.replacing(section.showing(rule)) : entry
    }
    let before = change.old.section(at: source)
    var projection = SectionProjection(
      old: before.items,
      new: section.items,
      seen: seen,
      rule: isOutline ? rule : nil
    )
    let map = itemMap?.items ?? SpliceMap()
    if before.outline == section.outline {
      for region in projection.regions(of: map) { projection.append(region) }
    } else {
      projection.append(projection.everything(map))
    }
    let rows = projection.finish()
    note(ItemMap(oldSection: source, newSection: index, items: rows.splices))
    var result = section
    result.items = rows.items
    result.rows = isOutline ? SectionRows(map: rows.map, rule: rule) : nil
    return entry.replacing(result)
  }

  private mutating func note(_ map: ItemMap) {
    guard !map.items.splices.isEmpty else { return }
    maps.append(map)
    splices[map.newSection] = map.items.splices
  }

  /// The viewer's exceptions in a section after the change.
  ///
  /// - Parameter source: the section's old index; nil = it is new.
  /// - Complexity: O(exceptions + splices), a few nanoseconds for each that only shifts; O(log k)
  ///   for each that is in a splice or was moved here
  private func exceptions(inNew index: Int, from source: Int?) -> [ExpansionException] {
    var found: [ExpansionException] = []
    func follow(_ section: Int, _ exceptions: some Sequence<ExpansionException>) {
      for exception in exceptions {
        let path = IndexPath(section: section, item: exception.item)
        guard let new = change.newIndexPath(ofOld: path), new.section == index,
          let item = new.item
        else { continue }
        found.append(ExpansionException(item: item, isExpanded: exception.isExpanded))
      }
    }
    if let source, let rule = old.section(at: source).rows?.rule {
      let exceptions = rule.exceptions
      var (next, shift) = (0, 0)
      for splice in change.itemSplices(ofOldSection: source) {
        let inside =
          rule.index(of: splice.old.lowerBound) ..< rule.index(of: splice.old.upperBound)
        found.append(exceptions[next ..< inside.lowerBound], shiftedBy: shift)
        follow(source, exceptions[inside])
        next = inside.upperBound
        shift = splice.new.upperBound - splice.old.upperBound
      }
      found.append(exceptions[next...], shiftedBy: shift)
    }
    for move in change.map.moves {
      guard move.new.section == index, move.old.section != source, let item = move.old.item,
        let rule = old.section(at: move.old.section).rows?.rule
      else { continue }
      follow(
        move.old.section,
        rule.exceptions[rule.index(of: item) ..< rule.index(of: item + move.count)]
      )
    }
    return change.hasMoves ? found.sorted { $0.item < $1.item } : found
  }

  // MARK: - Moves

  /// Adds the rows of a move that are visible before and after it.
  private mutating func add(_ move: PlaceMove, to new: CollectionContents) {
    guard let from = move.old.item, let to = move.new.item else {
      moves.append(move)
      return
    }
    let oldRows = old.section(at: move.old.section).rows?.map
    let newRows = new.section(at: move.new.section).rows?.map
    guard oldRows != nil || newRows != nil else {
      moves.append(move)
      return
    }
    var before = RunCursor(oldRows, from ..< from + move.count)
    var after = RunCursor(newRows, to ..< to + move.count)
    var (oldRow, newRow) = (
      oldRows?.rowCount(before: from) ?? from, newRows?.rowCount(before: to) ?? to
    )
    RunCursor.walk(&before, &after, count: move.count) { count, wasShown, isShown, _ in
      if wasShown && isShown {
        moves.append(
          PlaceMove(
            old: IndexPath(section: move.old.section, item: oldRow),
            new: IndexPath(section: move.new.section, item: newRow),
            count: count,
            kind: move.kind
          )
        )
      }
      if wasShown { oldRow += count }
      if isShown { newRow += count }
    }
  }
}

extension [ExpansionException] {
  /// Adds exceptions whose items have so many more items before them, or fewer. The array itself,
  /// uncopied, where they are all and shift by nothing.
  fileprivate mutating func append(_ exceptions: ArraySlice<Element>, shiftedBy shift: Int) {
    guard shift != 0 || !isEmpty else {
      self = Array(exceptions)
      return
    }
    append(
      contentsOf: exceptions.lazy.map {
        ExpansionException(item: $0.item + shift, isExpanded: $0.isExpanded)
      }
    )
  }
}
