// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  // MARK: - Holding

  /// Holds items: collapses them, and moves them together behind the first one.
  ///
  /// - Parameter items: among all items; all are rows, and none is a descendant of another.
  /// - Returns: false = some would be too deep beside the first one; then nothing has changed.
  mutating func hold(_ items: [IndexPath]) -> Bool {
    guard let state = gathered(items) else { return false }
    show(state)
    return true
  }

  /// Collapses items, and says how they lie behind the first one, which the rows do not show yet.
  ///
  /// - Returns: nil = as for `hold`.
  private mutating func gathered(_ items: [IndexPath]) -> MovementState? {
    guard let (found, level) = heldItems(items) else { return nil }
    var held = found
    setHeldItems(held, areExpanded: false)
    if level != nil {
      for i in held.indices {
        held[i].row = contents.base.rowPath(ofItem: held[i].item) ?? held[i].row
      }
    }
    var state = MovementState(items: held, path: held[0].row, level: level)
    let row = state.path.item ?? 0
    state.path = state.path.advanced(by: -state.count(before: row, ofSection: state.path.section))
    return state
  }

  /// Shows items of the collection at the place of a movement, in rows that do not show it yet.
  private mutating func show(_ gathered: MovementState) {
    var state = gathered
    if state.moves.contains(where: { $0.from != $0.to }), let change = preview(state.moves) {
      state.preview = Boxed(MovementPreview(change: change, epoch: contents.epoch))
    }
    movement = state
  }

  /// The items to be held together, and their level then; nil = there are none, or some would be
  /// too deep.
  ///
  /// - Parameter items: as for `hold`.
  func heldItems(_ items: [IndexPath]) -> (items: [HeldItem], level: Int?)? {
    guard let lead = items.first else { return nil }
    guard contents.whole.section(at: lead.section).outline != nil else {
      return (items.map { HeldItem(item: $0, row: $0) }, nil)
    }
    var steps = SessionLimits.eventSteps
    let held = items.map { heldItem($0, steps: &steps) }
    let level = contents.whole.level(at: lead)
    let fits = held.allSatisfy { level + $0.depth <= OutlineItem.highestLevel }
    return fits ? (held, level) : nil
  }

  /// An item of an outline that is to be held.
  ///
  /// - Parameter steps: how many items may be visited; beyond that, the item is assumed to be as
  ///   deep as possible.
  private func heldItem(_ path: IndexPath, steps: inout Int) -> HeldItem {
    let items = contents.whole.section(at: path.section).items
    var held = HeldItem(item: path, row: contents.base.rowPath(ofItem: path) ?? path)
    guard let item = path.item else { return held }
    held.count = contents.whole.subtreeCount(of: path)
    guard held.count > 1 else { return held }
    held.isCollapsed = contents.base.outlinePosition(ofRow: held.row)?.isExpanded == true
    steps -= held.count
    let deepest =
      steps < 0 ? OutlineItem.highestLevel : items.highestLevel(in: item ..< item + held.count)
    held.depth = deepest - items.outlineItem(at: item).level
    return held
  }

  /// Collapses, or expands again, the items that the movement collapses.
  private mutating func setHeldItems(_ items: [HeldItem], areExpanded: Bool) {
    let changes = items.filter(\.isCollapsed)
      .map { ItemExpansion($0.item, isExpanded: areExpanded) }
    guard !changes.isEmpty else { return }
    follow(contents.expand(changes, includesShared: true))
    geometry += 1
  }

  // MARK: - Under batches

  /// Reverts the preview and ends the movement.
  ///
  /// - Returns: the movement, for `resumeMovement`; nil = there was none.
  @discardableResult
  mutating func suspendMovement() -> MovementState? {
    guard var held = movement else { return nil }
    movement = nil
    if held.foreign != nil {
      hide(&held)
    } else if let preview = held.preview?.value, preview.epoch == contents.epoch,
      !contents.isMeasured
    {
      diverge(by: preview.change.reversed)
    } else if held.moves.contains(where: { $0.from != $0.to }) {
      preview(held.moves.map { ($0.to, $0.from) })
    }
    held.preview = nil
    // Resuming uses `target`.
    held.pendingTarget = nil
    contents.rejoin()
    setHeldItems(held.items, areExpanded: true)
    return held
  }

  /// Resumes a movement after another batch, with the items that still exist and are visible. A
  /// movement whose commit is pending is not resumed: its batch moves the items.
  ///
  /// - Parameter change: the change of all items; nil = only expansions have changed.
  mutating func resumeMovement(_ held: MovementState, after change: ContentsChange?) {
    if held.foreign != nil { return resumeForeign(held, after: change) }
    guard held.committing == nil else { return }
    guard var state = gathered(itemsLeft(of: held, after: change)) else { return }
    state.position = held.position
    state.wish = held.wish
    state.isPlacePending = held.position != nil && held.target == nil
    let old = held.target.map { IndexPath(section: $0.section) }
    let new = change == nil ? old : old.flatMap { change?.newIndexPath(ofOld: $0) }
    guard let target = held.target, let section = new?.section else { return show(state) }
    guard state.level == nil else {
      // There the place depends on the neighbours.
      show(state)
      let last = rowCount(ofSection: section, without: state)
      let path = IndexPath(section: section, item: min(target.item ?? 0, last))
      // What the rules refuse now stays where it is.
      try? place(state, at: path, level: held.wish.level)
      return
    }
    if accepts(section, state) {
      // As `place` would do in a second step.
      let count = contents.effective.section(at: section).items.count
      let others = count - state.rows.count(inSection: section)
      state.path = IndexPath(section: section, item: min(target.item ?? 0, others))
      state.target = state.path
      state.wish = DropPreference(level: held.wish.level)
    }
    show(state)
  }

  /// The items of a movement that still exist, are visible and can lie together after a batch.
  ///
  /// - Parameter change: as for `resumeMovement`.
  func itemsLeft(of held: MovementState, after change: ContentsChange?) -> [IndexPath] {
    var follower = change.map { ItemFollower($0) }
    var outlines = OutlineSections(contents.whole)
    // A batch may have made an outline of one of several sections, or moved an item below another.
    var isLeadInOutline: Bool?
    var items: [IndexPath] = []
    items.reserveCapacity(held.items.count)
    for item in held.items {
      let followed = follower == nil ? item.item : follower?.newIndexPath(ofOld: item.item)
      guard let path = followed else { continue }
      let isInOutline = outlines.contains(path.section)
      if isInOutline, contents.base.rowPath(ofItem: path) == nil { continue }
      if isLeadInOutline == nil { isLeadInOutline = isInOutline }
      if isInOutline == isLeadInOutline { items.append(path) }
    }
    // Elsewhere nothing is below anything.
    return isLeadInOutline == true ? contents.whole.separateTrees(items) : items
  }

  // MARK: - Preview

  /// Shows rows at other places, in the session's private contents.
  ///
  /// - Returns: what that did to `effective`.
  @discardableResult
  mutating func preview(_ moves: [(from: IndexPath, to: IndexPath)]) -> ContentsChange? {
    // Never refused: the paths were found in these contents, each once.
    guard let change = try? contents.effective.rearranging(moves) else { return nil }
    return diverge(by: change)
  }

  /// The index path in the collection of a row in a movement's preview; nil = the item comes from
  /// elsewhere.
  func unmovedPath(ofPreview path: IndexPath) -> IndexPath? {
    guard let movement, let run = movement.run else { return path }
    if movement.foreign != nil {
      guard path.section == run.lowerBound.section, path >= run.lowerBound else { return path }
      return run.contains(path) ? nil : path.advanced(by: -movement.items.count)
    }
    return movement.unmoved(path)
  }

  /// The index path in a movement's preview of a row in the collection.
  func previewPath(of path: IndexPath) -> IndexPath {
    guard let movement else { return path }
    guard movement.foreign != nil else { return movement.moved(path) }
    let isBehind =
      movement.isShown && path.section == movement.path.section && path >= movement.path
    return isBehind ? path.advanced(by: movement.items.count) : path
  }

  // MARK: - Showing

  /// Shows the held items at the user's finger, with the greatest z-indices: the lead in front of
  /// all other elements, the others behind it.
  mutating func showHeldElements(
    in layout: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) {
    guard let held = movement, let run = held.run, held.position != nil || held.items.count > 1
    else { return }
    var found: [IndexPath: Int] = [:]
    for (index, element) in scratch.buffer.elements.enumerated()
    where element.category == .cell && run.contains(element.indexPath) {
      found[element.indexPath] = index
    }
    let effects = layout as? ScrollEffectLayout
    if effects != nil, !found.isEmpty {
      // They are shown with the effects that apply where they are held.
      scratch.buffer.elements.removeAll { $0.category == .cell && run.contains($0.indexPath) }
      found = [:]
    }
    let work = effort.work(limit: SessionCosts.frameSteps)
    var center = held.position
    for i in held.items.indices {
      let path = held.path(at: i)
      let zIndex = Int32.max - Int32(clamping: i)
      func lifted(_ frame: Rect) -> Rect {
        let leadCenter = center ?? frame.center
        center = leadCenter
        let step = Self.stackStep * Double(min(i, Self.stackHeight))
        return Rect(
          center: Point(x: leadCenter.x + step, y: leadCenter.y + step),
          size: frame.size
        )
      }
      if let index = found[path] {
        let frame = scratch.buffer.elements[index].frame
        scratch.buffer.elements[index].frame = lifted(frame)
        scratch.buffer.elements[index].zIndex = zIndex
        continue
      }
      let name = contents.effective.cellKind(at: path)
      let key = ElementKey(category: .cell, kind: name, indexPath: path)
      let settled = effects?.settled ?? layout
      let cell = settled.attributes(of: key, viewport: viewport, work: work)
      guard !work.isStopped else { throw FrameTooCostly() }
      guard var cell else { continue }
      cell.frame = lifted(cell.frame)
      cell.zIndex = Int(zIndex)
      if let effects { cell = effects.seen(cell, of: key, viewport: viewport) }
      // After a query of too many steps a buffer takes no more elements.
      scratch.buffer.append(
        cell,
        category: .cell,
        kind: kinds.number(of: name),
        indexPath: path
      )
    }
  }

  /// How far each of the first items behind the lead is offset, in points.
  private static let stackStep = 4.0
  /// How many items behind the lead are offset.
  private static let stackHeight = 3
}
