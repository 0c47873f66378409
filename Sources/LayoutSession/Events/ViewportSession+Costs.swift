// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

extension ViewportSession {
  // MARK: - What takes long

  /// Whether an event may take more than a millisecond or so, by what it touches and not by its
  /// size. The owner processes such events where they delay nobody.
  ///
  /// - Complexity: O(operations)
  public func mayTakeLong(_ event: SessionEvent) -> Bool {
    switch event {
    case .update(let batch):
      !isShared && batch.cost(in: contents.whole) > SessionCosts.eventItems
    case .scrollTarget(let request): mayTakeLong(request)
    case .movement(let step):
      takesLong(holding: itemsHeld(after: step)) || mayTakeLong(step)
    case .outline(let event):
      event.change.expanded.count + event.change.collapsed.count + event.toggledSlots.count
        > SessionCosts.eventKeys || itemsHeld > 0 && takesLong(holding: itemsHeld)
        || contents.whole.itemCount > SessionCosts.eventItems
          && (event.change.includesDescendants || !isShared || mayTakeLong(toExpand: event))
    case .measurements(let report): report.slots.count > SessionCosts.eventSizes
    case .viewport(let change): change.sectionOffsets.count > SessionCosts.eventKeys
    case .layout, .namedLayout, .options, .resync, .close, .transition, .table, .invalidation,
      .sync,
      .unsupported:
      false
    }
  }

  /// Whether following changes of the contents may take more than a millisecond or so: it takes
  /// time for each element that the client has, and for held items, which are put back and shown
  /// again.
  public var takesLongToFollow: Bool { takesLong(holding: itemsHeld) || hasManyKinds }

  private func takesLong(holding count: Int) -> Bool {
    live.count + SessionCosts.elementsPerHeldItem * count > SessionCosts.frameElements
  }

  private var itemsHeld: Int { movement?.items.count ?? 0 }

  /// Whether so much is held that it alone takes more than a millisecond or so to put it back and
  /// show it again. Nothing of that can be paused.
  public var holdsMuch: Bool {
    SessionCosts.elementsPerHeldItem * itemsHeld > SessionCosts.frameElements
  }

  /// For how long the owner may leave what others commit after the session has taken over some: the
  /// more is held, the longer that took, and what is taken over at once takes it once.
  public var followingPause: Duration {
    holdsMuch ? SessionCosts.pausePerHeldItem * itemsHeld : .zero
  }

  /// Whether taking over a layout may take more than a millisecond or so, since much waits for it.
  public var takesLongToSupply: Bool {
    // Their cost is not known before.
    if !waitingScrolls.isEmpty, contents.effective.itemCount > SessionCosts.eventItems {
      return true
    }
    if holdsMuch, movement?.isPlacePending == true { return true }
    return pendingExpansions.map { takesLong(toShow: $0.value) } ?? false
  }

  /// Keys are searched for, for which the index of all may have to be made, and rows appear and
  /// disappear for each hidden run below the items.
  private func mayTakeLong(toExpand event: OutlineEvent) -> Bool {
    let change = event.change
    let keyCount = change.expanded.count + change.collapsed.count + event.toggledSlots.count
    // All exceptions may lie below each item.
    if pendingExpansions != nil
      || keyCount * contents.base.expansionExceptionCount > SessionCosts.eventItems
    {
      return true
    }
    guard contents.whole.hasKeyIndex || change.expanded.isEmpty && change.collapsed.isEmpty else {
      return true
    }
    let items =
      contents.whole.itemExpansions(ofKeys: change.expanded, isExpanded: true)
      + contents.whole.itemExpansions(ofKeys: change.collapsed, isExpanded: false)
      + toggled(event.toggledSlots)
    return contents.base.takesLong(toExpand: items, most: SessionCosts.eventRuns)
  }

  private func takesLong(toShow expansions: ViewerExpansions) -> Bool {
    let whole = contents.whole
    if expansions.expanded.count + expansions.collapsed.count > SessionCosts.eventKeys {
      return true
    }
    guard whole.itemCount > SessionCosts.eventItems else { return false }
    return !whole.hasKeyIndex
      || contents.base.takesLong(
        toExpand: whole.changes(to: expansions),
        most: SessionCosts.eventRuns
      )
  }

  /// A question takes up to a step per item if the layout has no order. Most take few, so it is
  /// tried first.
  private func mayTakeLong(_ request: ScrollRequest) -> Bool {
    guard contents.effective.itemCount > SessionCosts.eventItems, isPresentable else {
      return false
    }
    switch request {
    // The first search for a key may build the key index.
    case .item, .neighbor(of: .item, _, _): return true
    case .release, .element, .neighbor: break
    }
    return takesMany(SessionCosts.questionSteps, toFind: request)
  }

  /// Dropped items of private contents become a batch at once, and items may be named by key.
  private func mayTakeLong(_ step: InteractiveMovement) -> Bool {
    switch step {
    case .end where !isShared: contents.whole.itemCount > SessionCosts.eventItems
    // The first search for a key makes the index of all.
    case .beginItems(.keys):
      contents.whole.itemCount > SessionCosts.eventItems && !contents.whole.hasKeyIndex
    default: false
    }
  }

  private func itemsHeld(after step: InteractiveMovement) -> Int {
    switch step {
    case .beginItems(.paths(let paths)): paths.count
    case .beginItems(.keys(let keys)), .beginForeign(.collection(_, let keys)): keys.count
    case .beginForeign(.new(let items)): items.count
    case .begin, .position, .target, .rules, .end, .cancel: itemsHeld
    }
  }
}
