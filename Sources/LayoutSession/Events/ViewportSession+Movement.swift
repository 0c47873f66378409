// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// An item that the user moves by hand, from picking it up to the commit of the move.
struct MovementState: Sendable {
  /// The item's index path in the collection.
  var origin: IndexPath
  /// The item's index path in the session's preview of the move.
  var path: IndexPath
  /// The item's centre, in content coordinates; nil = the user has not moved it yet.
  var position: Point?
  /// Whether `path` has to be found for `position` once the layout has been supplied.
  var isPlacePending = false
  /// The event that dropped the item, while its commit is pending; nil = the user holds the item.
  var committing: UInt64?
}

extension ViewportSession {
  /// Carries out a step of a movement.
  ///
  /// - Throws: WRONG_STATE where the step does not follow the one before, INDEX_OUT_OF_RANGE where there
  ///   is no such item, FIELD_INVALID where the position is out of range.
  mutating func apply(
    _ step: InteractiveMovement,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    switch step {
    case .begin(let path):
      guard movement == nil else {
        throw Refusal(.wrongState, "An item is being moved already.")
      }
      guard path.item != nil, contents.base.contains(path) else {
        throw Refusal(.indexOutOfRange, field: "begin", "there is no item at \(path)")
      }
      movement = MovementState(origin: path, path: path)
    case .position(let point):
      guard movement != nil, movement?.committing == nil else { throw Self.nothingHeld }
      let limit = SessionLimits.length
      guard point.x.magnitude <= limit, point.y.magnitude <= limit else {
        throw Refusal(
          .fieldInvalid,
          field: "position",
          "\(point) where numbers of at most \(limit) are allowed"
        )
      }
      movement?.position = point
      movement?.isPlacePending = true
      placeHeldItem()
    case .end:
      guard let movement, movement.committing == nil else { throw Self.nothingHeld }
      return try commit(movement, seq: seq)
    case .cancel:
      guard movement != nil, movement?.committing == nil else { throw Self.nothingHeld }
      endMovement()
    }
    isViewportDirty = true
    return [.eventResult(EventResult(eventSequence: seq))]
  }

  private static var nothingHeld: Refusal {
    Refusal(.wrongState, "No item is being moved.")
  }

  /// Turns the movement into a batch with one move operation.
  private mutating func commit(
    _ held: MovementState,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    guard held.path != held.origin else {
      endMovement()
      return [.eventResult(EventResult(eventSequence: seq, dataVersion: contents.version))]
    }
    guard let (from, to) = wholePaths(of: held) else { throw Self.nothingHeld }
    let batch = UpdateBatch([.moveItem(from: from, to: to)])
    if isShared {
      movement?.committing = seq
      return try apply(batch, seq: seq)
    }
    endMovement()
    return try apply(batch, seq: seq)
  }

  /// Ends the movement: all items go back to their places in the collection.
  mutating func endMovement() {
    guard suspendMovement() != nil else { return }
    // The contents may be the same as before, but the held item was shown elsewhere.
    isInvalidated = true
    isViewportDirty = true
  }

  // MARK: - Under batches

  /// Reverts the preview and ends the movement.
  ///
  /// - Returns: the movement, for `resumeMovement`; nil = there was none.
  mutating func suspendMovement() -> MovementState? {
    guard let held = movement else { return nil }
    movement = nil
    if held.path != held.origin { preview(from: held.path, to: held.origin) }
    contents.rejoin()
    return held
  }

  /// Goes on with a movement after somebody else's batch, if the item still exists. A movement whose
  /// commit is pending is not resumed: its batch moves the item.
  mutating func resumeMovement(_ held: MovementState, after change: ContentsChange) {
    guard held.committing == nil, let path = change.newIndexPath(ofOld: held.origin) else { return }
    movement = MovementState(
      origin: path,
      path: path,
      position: held.position,
      isPlacePending: held.position != nil
    )
  }

  // MARK: - Preview

  /// Previews the move of the held item to the place of the item under its centre. Waits for the layout
  /// where that has not been supplied.
  mutating func placeHeldItem() {
    guard let held = movement, held.isPlacePending, let position = held.position, isPrepared,
      let prepared
    else { return }
    movement?.isPlacePending = false
    let work = LayoutWork(stepLimit: SessionLimits.eventSteps)
    let queries = LayoutQueries(
      prepared.layout,
      shown: prepared.held.shown,
      viewport: viewport,
      work: work
    )
    // The item keeps its place if finding the cell at the position takes too many steps.
    guard let place = queries.cell(at: position, preferring: held.path), place != held.path,
      !work.isStopped
    else { return }
    // In an outline the item may not fit there: then it keeps its place.
    if preview(from: held.path, to: place) { movement?.path = place }
  }

  /// Moves an item in the session's private contents, in an outline with the rows below it.
  ///
  /// - Returns: false = the outline would not be one any more.
  @discardableResult
  private mutating func preview(from: IndexPath, to: IndexPath) -> Bool {
    // Refused only in outlines: both index paths were found in these contents.
    guard
      let change = try? contents.effective.applying(
        UpdateBatch([.moveItem(from: from, to: to)]),
        limits: contentsLimits
      )
    else { return false }
    diverge(by: change)
    return true
  }

  /// Where a movement begins and ends among all items of the collection; nil = its item is not there.
  ///
  /// In an outline the item goes before the item of the row that follows it and the rows below it.
  private func wholePaths(of held: MovementState) -> (from: IndexPath, to: IndexPath)? {
    let (base, preview) = (contents.base, contents.effective)
    guard base.hasOutlines else { return (held.origin, held.path) }
    let whole = contents.whole
    guard let from = base.wholePath(ofRow: held.origin), let item = from.item,
      let row = held.path.item
    else { return nil }
    let source = whole.section(at: from.section)
    let target = whole.section(at: held.path.section)
    guard target.outline != nil else { return (from, held.path) }
    let count = source.outline == nil ? 1 : source.items.endOfSubtree(at: item) - item
    let rows = preview.section(at: held.path.section)
    let next = rows.items.endOfSubtree(at: row)
    var to = target.items.count
    if next < rows.items.count {
      let path = IndexPath(section: held.path.section, item: next)
      guard let place = preview.wholePath(ofRow: path)?.item else { return nil }
      to = place
    }
    if from.section == held.path.section, to > item { to -= count }
    return (from, IndexPath(section: held.path.section, item: to))
  }

  /// Shows the held item at the user's finger, in front of all other elements: with the greatest z-index
  /// that there is.
  mutating func showHeldElement(
    in layout: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) {
    guard let held = movement, let position = held.position else { return }
    let effects = layout as? ScrollEffectLayout
    var outline = OutlineMark.none
    if let index = scratch.buffer.elements.firstIndex(where: {
      $0.category == .cell && $0.indexPath == held.path
    }) {
      guard effects != nil else {
        let size = scratch.buffer.elements[index].frame.size
        scratch.buffer.elements[index].frame = Rect(center: position, size: size)
        scratch.buffer.elements[index].zIndex = .max
        return
      }
      // It is shown with the effects of where it is held.
      outline = scratch.buffer.elements.remove(at: index).outline
    }
    guard let item = contents.effective.item(at: held.path) else { return }
    let names = contents.effective.cellKindNames
    let name = item.cellKind < names.count ? names[item.cellKind] : ""
    let key = ElementKey(category: .cell, kind: name, indexPath: held.path)
    let work = effort.work(limit: SessionLimits.frameSteps)
    let found = (effects?.settled ?? layout).attributes(of: key, viewport: viewport, work: work)
    guard !work.isStopped else { throw FrameTooCostly() }
    guard var attributes = found else { return }
    attributes.frame = Rect(center: position, size: attributes.frame.size)
    attributes.zIndex = Int(Int32.max)
    if let effects { attributes = effects.seen(attributes, of: key, viewport: viewport) }
    let count = scratch.buffer.elements.count
    scratch.buffer.append(
      attributes,
      category: .cell,
      kind: kinds.number(of: name),
      indexPath: held.path
    )
    // A query that took too many steps leaves a buffer that takes no more elements.
    guard scratch.buffer.elements.count > count else { return }
    scratch.buffer.elements[count].outline = outline
  }
}
