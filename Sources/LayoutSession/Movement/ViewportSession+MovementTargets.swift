// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A place to which held items can go.
struct Destination {
  var section: Int
  /// How many rows of the section lie before it, without the held ones.
  var gap: Int
  /// The place in an outline; nil = the section is not an outline.
  var place: OutlinePlace?
  /// The level there; nil = the section is not an outline.
  var level: Int?
}

extension ViewportSession {
  // MARK: - Where the position lies

  /// Finds the target for the lead's position in the arrangement on screen. Waits for the layout if
  /// it has not been supplied.
  mutating func placeHeldItems() {
    guard let held = movement, held.isPlacePending, let position = held.position, isPrepared,
      let prepared
    else { return }
    movement?.isPlacePending = false
    let work = LayoutWork(stepLimit: SessionLimits.eventSteps)
    let queries = LayoutQueries(
      prepared.layout,
      shown: prepared.box.shown,
      viewport: viewport,
      work: work
    )
    let cell = queries.cell(at: position, preferring: held.run)
    // If finding the cell takes too many steps, the held items keep their place.
    guard !work.isStopped else { return }
    if let cell {
      guard held.run?.contains(cell) != true, accepts(cell.section, held) else { return }
      let third = held.wish.nests ? queries.third(of: cell, position) : nil
      let target = destination(over: cell, third: third, held)
      guard !work.isStopped, let target else { return }
      move(held, to: target)
    } else if let section = prepared.layout.emptySection(at: position), accepts(section, held),
      let target = destination(inGap: 0, ofSection: section, held)
    {
      move(held, to: target)
    }
  }

  /// The place of items that are held over another row.
  ///
  /// - Parameter third: which third of the row, from 0 to 2; nil = the items do not nest.
  private func destination(
    over cell: IndexPath,
    third: Int?,
    _ held: MovementState
  ) -> Destination? {
    guard let row = cell.item else { return nil }
    // Rows before the held items move back, rows after them move up.
    let end = cell.section == held.path.section ? held.run?.upperBound.item : nil
    let isAhead = end.map { row > $0 } ?? false
    let gap = isAhead ? row - held.items.count : row
    switch third {
    case nil:
      return destination(
        inGap: isAhead ? gap + 1 : gap,
        ofSection: cell.section,
        prefersUpper: isAhead,
        held
      )
    case 0: return destination(inGap: gap, ofSection: cell.section, held)
    case 2: return destination(inGap: gap + 1, ofSection: cell.section, prefersUpper: true, held)
    default: return nested(in: cell, held)
    }
  }

  /// The place of the last child of a row.
  private func nested(in cell: IndexPath, _ held: MovementState) -> Destination? {
    guard let key = contents.effective.key(at: cell),
      let item = contents.whole.indexPath(ofItemKey: key),
      let row = contents.base.rowPath(ofItem: item)?.item
    else { return nil }
    let end = contents.base.section(at: cell.section).items.endOfSubtree(at: row)
    return Destination(
      section: cell.section,
      gap: end - held.count(before: end, ofSection: cell.section),
      place: .lastChild(of: key),
      level: contents.whole.level(at: item) + 1
    )
  }

  // MARK: - Gaps

  /// How many rows a section has without those that are held.
  func rowCount(ofSection section: Int, without held: MovementState) -> Int {
    let count = contents.effective.section(at: section).items.count
    return held.isShown && section == held.path.section ? count - held.items.count : count
  }

  /// A place between two rows.
  ///
  /// - Parameter gap: how many rows lie before it, without the held ones.
  /// - Parameter prefersUpper: whether the items go next to the row before it, and not to the one
  ///   behind.
  /// - Returns: nil = it is in an outline that has no rows and no key.
  func destination(
    inGap gap: Int,
    ofSection section: Int,
    prefersUpper: Bool = false,
    _ held: MovementState
  ) -> Destination? {
    var result = Destination(section: section, gap: gap)
    guard contents.whole.section(at: section).outline != nil else { return result }
    let upper = gap > 0 ? neighbor(gap - 1, ofSection: section, held) : nil
    let count = rowCount(ofSection: section, without: held)
    let lower = gap < count ? neighbor(gap, ofSection: section, held) : nil
    guard let upper, lower.map({ $0.level <= upper.level }) ?? true else {
      guard let lower else {
        let key = contents.whole.section(at: section).key
        result.place = key.isEmpty ? nil : .lastRoot(ofSection: key)
        result.level = 0
        return result.place == nil ? nil : result
      }
      result.place = .before(lower.key)
      result.level = lower.level
      return result
    }
    let lowest = lower?.level ?? 0
    let wanted = held.wish.level ?? (prefersUpper || lower == nil ? upper.level : lowest)
    let level = min(max(wanted, lowest), upper.level)
    result.level = level
    if let lower, level == lower.level {
      result.place = .before(lower.key)
    } else {
      result.place = ancestorKey(of: upper, atLevel: level).map { .after($0) }
    }
    return result.place == nil ? nil : result
  }

  /// A row next to a place.
  private typealias Neighbor = (item: IndexPath, key: String, level: Int)

  /// - Parameter row: without the held ones.
  private func neighbor(
    _ row: Int,
    ofSection section: Int,
    _ held: MovementState
  ) -> Neighbor? {
    var path = IndexPath(section: section, item: row)
    if held.isShown, path >= held.path, section == held.path.section {
      path = path.advanced(by: held.items.count)
    }
    guard let item = contents.effective.wholePath(ofRow: path),
      let key = contents.whole.key(at: item)
    else { return nil }
    return (item, key, contents.whole.level(at: item))
  }

  /// The key of a row or of its ancestor at a level.
  private func ancestorKey(of row: Neighbor, atLevel level: Int) -> String? {
    guard level < row.level else { return row.key }
    let ancestors = contents.whole.ancestors(ofItem: row.item)
    let index = row.level - level - 1
    return ancestors.indices.contains(index) ? contents.whole.key(at: ancestors[index]) : nil
  }

  // MARK: - Rules

  /// Whether the rules let items go to a section.
  func accepts(_ section: Int, _ held: MovementState) -> Bool {
    let whole = contents.whole
    let isOutline = whole.section(at: section).outline != nil
    if let items = held.foreign?.value.items {
      guard isOutline ? items.areKeyed : !items.hasTrees else { return false }
    } else if isOutline != (held.level != nil) {
      return false
    }
    guard let rules = movementRules?.value.rules else { return true }
    let strangers = held.items.filter { held.foreign != nil || $0.item.section != section }
    if rules.staysInSection, !strangers.isEmpty { return false }
    guard !rules.targets.isEmpty else { return true }
    let named = whole.section(at: section)
    guard let target = rules.targets.first(where: { $0.section.names(section, named) }) else {
      return false
    }
    if let most = target.mostItems, !strangers.isEmpty,
      named.items.count + strangers.reduce(0, { $0 + $1.count }) > most
    {
      return false
    }
    guard !target.kinds.isEmpty else { return true }
    let kinds = Set(target.kinds.map { ExactText($0) })
    if let items = held.foreign?.value.items {
      return items.usedKinds.allSatisfy { kinds.contains(ExactText($0)) }
    }
    return held.items.allSatisfy { kinds.contains(ExactText(whole.cellKind(at: $0.item))) }
  }

  // MARK: - Going there

  /// Moves the held items to a place that the client names.
  ///
  /// - Parameter path: the lead's path afterwards.
  /// - Throws: INDEX_OUT_OF_RANGE if there is no such place, MOVE_REFUSED if items cannot go there.
  mutating func place(
    _ held: MovementState,
    at path: IndexPath,
    level: Int?
  ) throws(Refusal) {
    let (next, target) = try placing(held, at: path, level: level)
    move(next, to: target)
  }

  /// What becomes of a movement at a place that the client names: its state, and where the items
  /// go.
  ///
  /// - Parameter path: the lead's path afterwards.
  /// - Complexity: O(k + log n) for k items
  /// - Throws: as `place` does.
  func placing(
    _ held: MovementState,
    at path: IndexPath,
    level: Int?
  ) throws(Refusal) -> (state: MovementState, target: Destination) {
    guard let row = path.item, path.section < contents.effective.sectionCount,
      row <= rowCount(ofSection: path.section, without: held)
    else {
      throw Refusal(.indexOutOfRange, field: "target", "there is no place \(path)")
    }
    guard accepts(path.section, held) else {
      let found = "section \(path.section) does not accept the items"
      throw Refusal(.moveRefused, field: "target", found)
    }
    var next = held
    next.target = path
    next.wish = DropPreference(level: level)
    next.isPlacePending = false
    guard let target = destination(inGap: row, ofSection: path.section, next),
      fits(target, next)
    else {
      throw Refusal(.moveRefused, field: "target", "the items do not fit at \(path)")
    }
    return (next, target)
  }

  /// Whether no item would be too deep.
  func fits(_ target: Destination, _ held: MovementState) -> Bool {
    guard let level = target.level else { return true }
    return held.items.allSatisfy { level + $0.depth <= OutlineItem.highestLevel }
  }

  /// Moves the held items to a place, unless some would be too deep there.
  mutating func move(_ held: MovementState, to target: Destination) {
    guard fits(target, held) else { return }
    var next = held
    next.isPlacePending = false
    next.pendingTarget = nil
    next.path = IndexPath(section: target.section, item: target.gap)
    next.place = target.place
    next.level = target.level
    next.preview = next.path == held.path ? held.preview : nil
    if !held.isShown {
      show(&next)
    } else if next.path != held.path {
      preview(zip(held.moves, next.moves).map { ($0.to, $1.to) })
    }
    movement = next
  }
}

extension MovementRules.Section {
  /// Whether this names the section.
  fileprivate func names(_ index: Int, _ contents: SectionContents) -> Bool {
    switch self {
    case .index(let wanted): wanted == index
    case .key(let key): key.hasSameBytes(as: contents.key)
    case .layoutName(let name): name.hasSameBytes(as: contents.layoutName)
    case .gone: false
    }
  }
}

extension LayoutQueries {
  /// In which third of a cell a point lies, along the scroll axis in reading direction: 0 to 2; nil
  /// = there is no such cell.
  fileprivate func third(of path: IndexPath, _ point: Point) -> Int? {
    let kind = prepared.context.contents.cellKind(at: path)
    let key = ElementKey(category: .cell, kind: kind, indexPath: path)
    guard let frame = attributes(of: key)?.frame else { return nil }
    let axis = prepared.scrollAxis ?? .vertical
    let span = axis.axisRect(frame)
    guard span.mainLength > 0 else { return nil }
    let part = (axis.main(point) - span.main) / span.mainLength * 3
    let third = part < 1 ? 0 : part < 2 ? 1 : 2
    return viewport.isRightToLeft && axis == .horizontal ? 2 - third : third
  }
}
