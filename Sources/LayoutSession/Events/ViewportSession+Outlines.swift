// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

extension ViewportSession {
  // MARK: - Expanding

  /// Expands and collapses items. Those of sections that share their expansions become a batch.
  ///
  /// - Throws: FIELD_INVALID if an item would be both expanded and collapsed, QUOTA_EXPANSIONS if
  ///   the viewer would have too many exceptions from its base; nothing has changed then.
  mutating func apply(
    _ event: OutlineEvent,
    seq: UInt64
  ) throws(Refusal) -> [SessionMessage] {
    try event.change.checkKeys()
    showPendingExpansions()
    let named =
      contents.whole.itemExpansions(ofKeys: event.change.expanded, isExpanded: true)
      + contents.whole.itemExpansions(ofKeys: event.change.collapsed, isExpanded: false)
      + toggled(event.toggledSlots)
    let (own, shared) = try sorted(named, includesDescendants: event.change.includesDescendants)
    if let both = shared.firstKeyOnBothSides {
      // Keys alone have been checked.
      throw Refusal(
        .fieldInvalid,
        field: "toggled_slots",
        "\"\(both)\" is toggled, and named to become the opposite; only one of both"
      )
    }
    try expand(own, isAnimated: event.isAnimated)
    guard !shared.expanded.isEmpty || !shared.collapsed.isEmpty else {
      return [.eventResult(EventResult(eventSequence: seq))]
    }
    return try apply(
      UpdateBatch(change: .outline([.expansion(shared)]), isAnimated: event.isAnimated),
      seq: seq
    )
  }

  /// The items in some slots, each expanded if it is collapsed and the other way round.
  func toggled(_ slots: [UInt32]) -> [ItemExpansion] {
    guard !slots.isEmpty else { return [] }
    let wanted = Set(slots)
    var found: [ItemExpansion] = []
    for live in live.elements where wanted.contains(live.slot) && live.element.category == .cell {
      guard let path = contents.effective.wholePath(ofRow: live.path),
        let position = contents.effective.outlinePosition(ofRow: live.path)
      else { continue }
      found.append(ItemExpansion(path, isExpanded: position.isExpanded != true))
    }
    return found
  }

  /// Sorts changes by who decides on them: the viewer, or the data.
  ///
  /// - Throws: QUOTA_EXPANSIONS; QUOTA_STEPS if the named items have too many descendants.
  private func sorted(
    _ named: [ItemExpansion],
    includesDescendants: Bool
  ) throws(Refusal) -> (own: [ItemExpansion], shared: ExpansionChange) {
    var own: [ItemExpansion] = []
    var steps = SessionLimits.eventSteps
    var shared = ExpansionChange(includesDescendants: includesDescendants)
    for item in named {
      switch contents.whole.section(at: item.path.section).outline {
      case nil: continue
      case .shared?:
        guard let key = contents.whole.key(at: item.path) else { continue }
        if item.isExpanded { shared.expanded.append(key) } else { shared.collapsed.append(key) }
      case .perViewer?:
        own.append(item)
        guard includesDescendants else { continue }
        let below = contents.base.expansions(
          below: item.path,
          isExpanded: item.isExpanded,
          limit: maxExpansionExceptions,
          steps: &steps
        )
        guard let below else { throw steps < 0 ? Self.tooManyDescendants : tooManyExpansions() }
        own += below
      }
    }
    return (own, shared)
  }

  /// Expands and collapses items for this viewer.
  ///
  /// - Throws: QUOTA_EXPANSIONS
  mutating func expand(_ items: [ItemExpansion], isAnimated: Bool) throws(Refusal) {
    guard !items.isEmpty else { return }
    let collapsed = movement?.items.filter(\.isCollapsed) ?? []
    // An item that a movement has collapsed was not collapsed by the viewer.
    let own = contents.base.expanding(
      collapsed.map { ItemExpansion($0.item, isExpanded: true) },
      includesShared: true
    )
    let count = own.new.expanding(items).new.expansionExceptionCount
    guard count <= maxExpansionExceptions else { throw tooManyExpansions(count) }
    let held = suspendMovement()
    follow(contents.expand(items))
    geometry += 1
    layoutVersion += 1
    if isAnimated { isAnimationWanted = true }
    if let held { resumeMovement(held, after: nil) }
  }

  private static var tooManyDescendants: Refusal {
    Refusal(
      .quotaSteps,
      field: "descendants",
      "More than \(SessionLimits.eventSteps) items are below those that are named; name fewer at a time"
    )
  }

  /// - Parameter count: nil = an unknown number above the limit.
  private func tooManyExpansions(_ count: Int? = nil) -> Refusal {
    let found = count.map { "\($0)" } ?? "More than \(maxExpansionExceptions)"
    return Refusal(
      .quotaExpansions,
      "\(found) items would be expanded or collapsed other than the base; at most "
        + "\(maxExpansionExceptions) may be.",
      metadata: ["limit": "\(maxExpansionExceptions)"]
    )
  }

  // MARK: - Restoring

  /// Expands what the viewer had expanded. Exceptions from the base wait until the layout that
  /// sessions with this base share is supplied, so that the viewer's layout is derived from that.
  mutating func restore(_ expansions: ViewerExpansions) {
    pendingExpansions = nil
    guard !expansions.isDefault, contents.whole.hasOutlines else { return }
    if expansions.base != contents.base.expansionBase {
      contents.show(contents.whole.rows(startingFrom: expansions.base))
    }
    guard !expansions.expanded.isEmpty || !expansions.collapsed.isEmpty else { return }
    if isShared {
      pendingExpansions = Boxed(expansions)
    } else {
      contents.show(contents.whole.rows(showing: expansions))
    }
  }

  /// Applies what `restore` left for later, once the layout that sessions share has been supplied.
  mutating func applyPendingExpansions() {
    if prepared?.isProvisional != true { showPendingExpansions() }
  }

  /// Applies what `restore` left for later now, although the viewer's layout is then prepared for
  /// it alone, because the next change builds on it.
  private mutating func showPendingExpansions() {
    guard let expansions = pendingExpansions?.value else { return }
    pendingExpansions = nil
    let held = suspendMovement()
    follow(contents.expand(contents.whole.changes(to: expansions)))
    geometry += 1
    if let held { resumeMovement(held, after: nil) }
  }

  /// Removes expansions that `restore` left for later if their items are gone: items that return
  /// with the same keys are new ones.
  mutating func forgetPendingExpansionsOfMissingItems() {
    guard var expansions = pendingExpansions?.value else { return }
    let whole = contents.whole
    expansions.expanded.removeAll { whole.indexPath(ofItemKey: $0) == nil }
    expansions.collapsed.removeAll { whole.indexPath(ofItemKey: $0) == nil }
    pendingExpansions = Boxed(expansions)
  }

  /// Shows the rows that a start refers to, before a layout is requested.
  ///
  /// - Throws: ELEMENT_HIDDEN if the start is at an item that is hidden and must not be revealed;
  ///   QUOTA_EXPANSIONS if too many items would be expanded to reveal it.
  mutating func showRows(for start: SessionStart) throws(Refusal) {
    switch start {
    case .edge, .fraction: return
    case .element, .item: break
    }
    if let expansions = pendingExpansions?.value {
      pendingExpansions = nil
      let whole = contents.whole
      contents.show(whole.rows(startingFrom: expansions.base))
      contents.show(contents.base.expanding(whole.changes(to: expansions)))
    }
    guard case .item(let key, _, let reveals) = start, let hidden = hiddenItem(ofKey: key) else {
      return
    }
    guard reveals, contents.whole.section(at: hidden.section).outline == .perViewer else {
      throw .elementHidden(key, field: "start.element.item_key")
    }
    let ancestors = contents.whole.ancestors(ofItem: hidden)
    let change = contents.base.expanding(ancestors.map { .init($0, isExpanded: true) })
    guard change.new.expansionExceptionCount <= maxExpansionExceptions else {
      throw tooManyExpansions(change.new.expansionExceptionCount)
    }
    contents.show(change)
  }

  // MARK: - Rows

  /// Notes the place of each cell in its outline.
  mutating func markOutlines() {
    let contents = contents.effective
    guard contents.hasOutlines else { return }
    let held = movement
    for index in scratch.buffer.elements.indices
    where scratch.buffer.elements[index].category == .cell {
      let path = scratch.buffer.elements[index].indexPath
      let found = contents.outlinePosition(ofRow: path)
      guard var position = found ?? held?.foreignPosition(ofRow: path) else { continue }
      if let held, let level = held.level, held.run?.contains(path) == true {
        position.level = level
      }
      scratch.buffer.elements[index].outline = OutlineMark(position)
    }
  }

  /// The index path of an item, counting all items, if it is there and hidden.
  func hiddenItem(ofKey key: String) -> IndexPath? {
    guard contents.base.hasOutlines, let path = contents.whole.indexPath(ofItemKey: key),
      contents.base.rowPath(ofItem: path) == nil
    else { return nil }
    return path
  }

  /// Expands the ancestors that hide an item.
  ///
  /// - Throws: ELEMENT_HIDDEN if that is not wanted, or would change the data; QUOTA_EXPANSIONS.
  mutating func reveal(_ path: IndexPath, isWanted: Bool) throws(Refusal) {
    let key = contents.whole.key(at: path) ?? ""
    guard isWanted, contents.whole.section(at: path.section).outline == .perViewer else {
      throw Refusal.elementHidden(key, field: "element.item_key")
    }
    let ancestors = contents.whole.ancestors(ofItem: path)
    try expand(ancestors.map { ItemExpansion($0, isExpanded: true) }, isAnimated: false)
  }
}
