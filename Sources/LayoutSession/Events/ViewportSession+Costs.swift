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
      !isShared && batch.cost(in: contents.whole) > SessionLimits.eventItems
    case .scrollTarget(let request): mayTakeLong(request)
    case .movement(let step):
      takesLong(holding: itemsHeld(after: step)) || mayTakeLong(step)
    case .outline(let event):
      event.change.expanded.count + event.change.collapsed.count + event.toggledSlots.count
        > SessionLimits.eventKeys || itemsHeld > 0 && takesLong(holding: itemsHeld)
        || contents.whole.itemCount > SessionLimits.eventItems
          && (event.change.includesDescendants || !isShared)
    case .measurements(let report): report.slots.count > SessionLimits.eventSizes
    case .viewport(let change): change.sectionOffsets.count > SessionLimits.eventKeys
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
    live.count + SessionLimits.elementsPerHeldItem * count > SessionLimits.frameElements
  }

  private var itemsHeld: Int { movement?.items.count ?? 0 }

  /// Whether taking over a layout may take more than a millisecond or so, because much waits for
  /// it.
  public var takesLongToSupply: Bool {
    // Their cost is not known before.
    if !waitingScrolls.isEmpty, contents.effective.itemCount > SessionLimits.eventItems {
      return true
    }
    guard let expansions = pendingExpansions?.value else { return false }
    return expansions.expanded.count + expansions.collapsed.count > SessionLimits.eventKeys
  }

  /// A question takes up to a step per item if the layout has no order. Most take few, so it is
  /// tried first.
  private func mayTakeLong(_ request: ScrollRequest) -> Bool {
    guard contents.effective.itemCount > SessionLimits.eventItems, isPresentable else {
      return false
    }
    switch request {
    // The first search for a key may build the key index.
    case .item, .neighbor(of: .item, _, _): return true
    case .release, .element, .neighbor: break
    }
    return takesMany(SessionLimits.questionSteps, toFind: request)
  }

  /// For private contents, dropped items become a batch immediately.
  private func mayTakeLong(_ step: InteractiveMovement) -> Bool {
    guard case .end = step, !isShared else { return false }
    return contents.whole.itemCount > SessionLimits.eventItems
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
