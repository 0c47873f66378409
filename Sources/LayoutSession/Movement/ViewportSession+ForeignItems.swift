// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
public import CollectionModel

/// Items from elsewhere that the user holds over the session's contents. The session's preview
/// shows them as rows that the collection does not have.
extension ViewportSession {
  // MARK: - Picking up

  /// Picks up items from elsewhere, or asks the owner to look them up.
  ///
  /// - Throws: MOVE_REFUSED if the rules are against it, FIELD_INVALID if there are none or too
  ///   many, KEY_TAKEN, FEATURE_UNSUPPORTED.
  mutating func begin(_ items: ForeignItems, seq: UInt64) throws(Refusal) -> [SessionMessage] {
    switch items {
    case .new(let items):
      try hold(items, from: nil, field: "begin_foreign.new_items.blocks")
      return [.eventResult(EventResult(eventSequence: seq))]
    case .collection(let name, let keys):
      let field = "begin_foreign.collection_items"
      guard isShared else {
        throw Refusal(
          .featureUnsupported,
          "Contents of a session's own take no items of collections.",
          metadata: ["feature": field]
        )
      }
      try Self.checkCount(keys.count, most: mostHeldItems, field: "\(field).keys")
      unsettled.append(seq)
      return [.lookUp(eventSequence: seq, ForeignKeys(collection: name, keys: keys))]
    }
  }

  /// Takes items that the session asked its owner to look up.
  ///
  /// - Parameters:
  ///   - seq: the sequence number that came with `SessionMessage.lookUp`; others are ignored.
  ///   - source: the name of the collection that has them.
  ///   - now: the time since the same moment in all calls.
  /// - Returns: the result of the event, for the client.
  public mutating func foreignFound(
    _ items: DraggedItems,
    from source: String,
    seq: UInt64,
    at now: Duration
  ) -> [SessionMessage] {
    guard let index = unsettled.firstIndex(of: seq) else { return [] }
    unsettled.remove(at: index)
    link.lastOutgoing = max(link.lastOutgoing, now)
    var result = EventResult(eventSequence: seq)
    do throws(Refusal) {
      try hold(items, from: source, field: "begin_foreign.collection_items.keys")
    } catch { result.problem = error }
    return [.eventResult(result)]
  }

  /// - Throws: FIELD_INVALID if there are none or too many, MOVE_REFUSED if the rules are against
  ///   it, KEY_TAKEN if the collection has some.
  private mutating func hold(
    _ items: DraggedItems,
    from source: String?,
    field: String
  ) throws(Refusal) {
    try Self.checkCount(items.count, most: mostHeldItems, field: field)
    if let rules = movementRules?.value.rules {
      try rules.checkCount(items.count, field: field)
      if rules.staysInSection {
        let found = "the rules let items go only to the sections that they come from"
        throw Refusal(.moveRefused, field: field, found)
      }
    }
    let taken = takenKeys(items)
    guard taken.isEmpty else { throw .keysTaken(taken, field: field) }
    movement = MovementState(
      items: items.trees.map { HeldItem(count: $0.count, depth: $0.depth) },
      foreign: Boxed(ForeignHold(items, source: source)),
      isShown: false,
      path: IndexPath(section: 0, item: 0)
    )
    // From now on the server scrolls sections, although nothing is shown of the items yet.
    isViewportDirty = true
  }

  /// The keys of the items that the collection has already.
  private func takenKeys(_ items: DraggedItems) -> [String] {
    items.keys.filter { contents.whole.indexPath(ofItemKey: $0) != nil }
  }

  // MARK: - Preview

  /// Shows the items at their place, in their earlier slots. They stay hidden if that is not
  /// possible.
  mutating func show(_ held: inout MovementState) {
    guard var foreign = held.foreign?.value,
      let change = try? contents.effective.showing(foreign.items, at: held.path)
    else { return }
    diverge(by: change)
    held.isShown = true
    setSizes(foreign.measured.map { (row: held.path(at: $0), item: nil, size: $1) })
    live.readmit((foreign.slots ?? []).map { (slot: $0.slot, path: held.path(at: $0.index)) })
    foreign.slots = nil
    held.foreign = Boxed(foreign)
  }

  /// Removes the items from the preview, and notes their slots.
  mutating func hide(_ held: inout MovementState) {
    guard let run = held.run, var foreign = held.foreign?.value, let first = run.lowerBound.item
    else { return }
    foreign.slots = live.cells(in: run).map { cell in
      (index: (cell.path.item ?? first) - first, slot: cell.slot)
    }
    held.foreign = Boxed(foreign)
    held.isShown = false
    // Cannot be refused: this session has inserted these rows.
    let rows = first ..< first + held.items.count
    let change = try? contents.effective.hiding(
      rows,
      ofSection: run.lowerBound.section,
      kindNames: contents.base.cellKindNames
    )
    if let change { diverge(by: change) }
  }

  // MARK: - Under batches

  /// Resumes a movement after a batch. If it is the movement's own batch, the items have arrived
  /// and keep their slots; otherwise they are shown where they were until the target is found
  /// again.
  ///
  /// - Parameter change: the change of all items; nil = only expansions have changed.
  mutating func resumeForeign(_ held: MovementState, after change: ContentsChange?) {
    guard var foreign = held.foreign?.value else { return }
    var held = held
    if held.committing != nil {
      let arrived = arrivedPaths(held, foreign, after: change)
      live.readmit(arrived)
      takeSizes(of: &foreign, held, after: change)
      held.foreign = Boxed(foreign)
      if !arrived.isEmpty {
        foreign.slots = nil
        held.foreign = Boxed(foreign)
      }
      // Until the outcome is known: the batch may have been another client's.
      movement = held
      return
    }
    guard takenKeys(foreign.items).isEmpty else { return }
    let next = followed(held, after: change)
    movement = next.state
    defer { forgetSlotsUnlessShown() }
    guard let target = next.target else { return }
    move(next.state, to: target)
    movement?.isPlacePending = next.state.isPlacePending
  }

  /// What becomes of hidden items from elsewhere after a batch: the movement, and the place where
  /// they are shown. nil = they stay hidden until the next step, for example because the rules
  /// refuse the place now.
  ///
  /// Items from elsewhere are no rows while they are hidden, so the place depends on nothing that
  /// showing them would change.
  ///
  /// - Parameter change: the change of all items; nil = only expansions have changed.
  /// - Complexity: O(k) for k items
  private func followed(
    _ held: MovementState,
    after change: ContentsChange?
  ) -> (state: MovementState, target: Destination?) {
    var next = held
    next.isPlacePending = held.position != nil && held.target == nil
    let old = IndexPath(section: (held.target ?? held.path).section)
    let new = change == nil ? old : change?.newIndexPath(ofOld: old)
    guard held.target != nil || held.foreign?.value.slots != nil,
      let section = new?.section, section < contents.effective.sectionCount,
      accepts(section, next)
    else { return (next, nil) }
    let place = (held.target ?? held.path).item ?? 0
    let gap = min(place, rowCount(ofSection: section, without: next))
    var shown = next
    if held.target != nil {
      shown.target = IndexPath(section: section, item: gap)
      shown.wish = DropPreference(level: held.wish.level)
    }
    guard let target = destination(inGap: gap, ofSection: section, shown), fits(target, shown)
    else {
      return (next, nil)
    }
    return (shown, target)
  }

  /// What becomes of hidden items from elsewhere through a batch that is followed by others, as if
  /// they were shown after it and hidden again; nil = the movement ends.
  ///
  /// - Parameters:
  ///   - change: the change of all items.
  ///   - keys: the items' keys.
  /// - Precondition: they are not being dropped.
  /// - Complexity: O(k log n) for k items, and O(k) if the batch brings none
  func suspendedForeign(
    _ held: MovementState,
    after change: ContentsChange,
    keys: Set<ExactText>
  ) -> MovementState? {
    guard let foreign = held.foreign?.value, !brings(keys, of: foreign.items, change) else {
      return nil
    }
    let next = followed(held, after: change)
    var state = next.state
    if let target = next.target {
      state.path = IndexPath(section: target.section, item: target.gap)
      state.place = target.place
      state.level = target.level
    } else {
      // As after a frame without them.
      var hidden = foreign
      hidden.slots = nil
      state.foreign = Boxed(hidden)
    }
    return state
  }

  /// Whether a change brings an item that has the key of a held one.
  ///
  /// - Parameter keys: those of `items`.
  private func brings(
    _ keys: Set<ExactText>,
    of items: DraggedItems,
    _ change: ContentsChange
  ) -> Bool {
    let count = change.insertedItemCount
    guard count > 0, !keys.isEmpty else { return false }
    guard count <= keys.count else { return !takenKeys(items).isEmpty }
    func isTaken(_ path: IndexPath) -> Bool {
      change.new.key(at: path).map { keys.contains(ExactText($0)) } ?? false
    }
    let isInSection = change.sectionSplices.contains { splice in
      splice.new.contains { section in
        let count = change.new.section(at: section).items.count
        return (0 ..< count).contains { isTaken(IndexPath(section: section, item: $0)) }
      }
    }
    return isInSection
      || change.changedSections.contains { section in
        section.itemSplices.contains { splice in
          splice.new.contains { isTaken(IndexPath(section: section.newIndex, item: $0)) }
        }
      }
  }

  /// Forgets the slots of hidden items, which the next frame gives to others.
  private mutating func forgetSlotsUnlessShown() {
    guard var held = movement, !held.isShown, var foreign = held.foreign?.value else { return }
    foreign.slots = nil
    held.foreign = Boxed(foreign)
    movement = held
  }

  /// Gives items that have arrived the sizes that were measured in the preview.
  private mutating func takeSizes(
    of foreign: inout ForeignHold,
    _ held: MovementState,
    after change: ContentsChange?
  ) {
    guard !foreign.measured.isEmpty else { return }
    let keys = foreign.items.keys
    let sizes = foreign.measured.compactMap { index, size in
      arrivedItem(index, held, foreign, keys, after: change).map { item in
        (row: contents.base.rowPath(ofItem: item), item: Optional(item), size: size)
      }
    }
    guard !sizes.isEmpty else { return }
    setSizes(sizes)
    foreign.measured = [:]
  }

  /// The rows of items that have arrived, with their slots in the preview.
  private func arrivedPaths(
    _ held: MovementState,
    _ foreign: ForeignHold,
    after change: ContentsChange?
  ) -> [(slot: UInt32, path: IndexPath)] {
    guard let slots = foreign.slots, !slots.isEmpty else { return [] }
    let keys = foreign.items.keys
    return slots.compactMap { cell in
      arrivedItem(cell.index, held, foreign, keys, after: change)
        .flatMap { contents.base.rowPath(ofItem: $0) }.map { (cell.slot, $0) }
    }
  }

  /// The index path of an item that has arrived, among all items; nil = it has not arrived.
  ///
  /// - Parameters:
  ///   - index: the index of the item among the held ones.
  ///   - keys: `foreign.items.keys`, passed in because that property computes them for each caller.
  private func arrivedItem(
    _ index: Int,
    _ held: MovementState,
    _ foreign: ForeignHold,
    _ keys: [String],
    after change: ContentsChange?
  ) -> IndexPath? {
    if foreign.items.areKeyed {
      return keys.indices.contains(index) ? contents.whole.indexPath(ofItemKey: keys[index]) : nil
    }
    // Items without keys are not in outlines, so rows are items.
    let row = held.path(at: index)
    guard let change, change.new.contains(row), change.oldIndexPath(ofNew: row) == nil else {
      return nil
    }
    return row
  }

  // MARK: - Dropping

  /// Inserts the items into the collection.
  ///
  /// - Throws: MOVE_REFUSED if no place has accepted them; then the movement has ended.
  mutating func commit(
    _ held: MovementState,
    _ foreign: ForeignHold,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    guard held.isShown else {
      endMovement()
      throw Refusal(.moveRefused, field: "end", "no place has accepted the items")
    }
    movement?.committing = seq
    if let source = foreign.source {
      unsettled.append(seq)
      let place = held.place.map(ItemTransfer.Place.relative) ?? .path(held.path)
      let transfer = ItemTransfer(.keys(foreign.items.keys), to: place)
      return [.transfer(eventSequence: seq, from: source, transfer)]
    }
    let batch = insertion(of: foreign.items, held)
    if isShared { return try apply(batch, seq: seq) }
    defer { endMovement() }
    return try apply(batch, seq: seq)
  }

  /// The batch that inserts new items.
  private func insertion(of items: DraggedItems, _ held: MovementState) -> UpdateBatch {
    let (blocks, newCellKinds) = items.blocks(for: contents.whole)
    let change: UpdateBatch.Change =
      if let place = held.place {
        .outline([.insert(at: place, blocks: blocks)])
      } else {
        .operations([.insertItems(at: held.path, items: blocks)])
      }
    return UpdateBatch(
      // Another batch could add other kinds under the same numbers.
      expectedDataVersion: newCellKinds.isEmpty ? nil : contents.version,
      change: change,
      newCellKinds: newCellKinds
    )
  }
}

extension MovementState {
  /// The place of a row in its outline, if it shows an item from elsewhere.
  func foreignPosition(ofRow path: IndexPath) -> OutlinePosition? {
    guard let foreign, let level, let run, run.contains(path), let row = path.item,
      let first = run.lowerBound.item, foreign.value.items.trees.indices.contains(row - first)
    else { return nil }
    let isTree = foreign.value.items.trees[row - first].count > 1
    return OutlinePosition(level: level, isExpanded: isTree ? false : nil)
  }
}
