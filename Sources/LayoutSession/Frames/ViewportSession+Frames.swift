// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Builds the next frame, with everything that has happened since the last one.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Returns: the frame to send; nil = the window of frames in flight is full, the shortest
  ///   interval has not passed, a layout has to be supplied first, nothing has changed for the
  ///   client, or the session cannot begin where it should (`startRefusal`).
  /// - Complexity: O(log items + elements in the coverage)
  public mutating func nextFrame(at now: Duration) -> SessionFrame? {
    var scratch = SessionScratch()
    return nextFrame(at: now, scratch: &scratch)
  }

  /// The same with storage that sessions share, so that each keeps only its elements.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Parameter scratch: where the frame is built. Pass the frame to `takeBack` once it is
  ///   encoded.
  /// - Parameter effort: how much the frame may cost. If that is too little, nothing changes for
  ///   the client, and `needsTurn` and `isCostly` are set. A draft that was settled for the frame
  ///   stays settled, with a new geometry.
  public mutating func nextFrame(
    at now: Duration,
    scratch: inout SessionScratch,
    effort: FrameEffort = .unlimited
  ) -> SessionFrame? {
    needsTurn = false
    guard isFrameDue(at: now), let box = presentedBox else { return nil }
    let limitsMany =
      isGeometryNew && viewport.sectionOffsets.count > SessionLimits.fewScrolledSections
    if isCostly || holdsMuch || limitsMany || bringsManyKinds(box), case .small = effort {
      needsTurn = true
      return nil
    }
    swap(&self.scratch, &scratch)
    defer { swap(&self.scratch, &scratch) }
    let before = (viewport, anchorViewport, start, isViewportDirty, isInvalidated)
    // Settling a draft may move what is in view, so the elements are looked up again.
    var tries = 0
    while let box = presentedBox {
      do throws(FrameNotMade) {
        let frame = try makeFrame(of: box, at: now, effort, isSettled: tries == Self.maxSettlings)
        isCostly =
          effort.steps > SessionLimits.frameSteps || hasManyKinds
          || frame != nil && live.count > SessionLimits.frameElements
        return frame
      } catch {
        (viewport, anchorViewport, start, isViewportDirty, isInvalidated) = before
        guard case .unsettled(let rect) = error else { break }
        tries = settleDraft(in: rect) ? tries + 1 : Self.maxSettlings
      }
    }
    isCostly = true
    needsTurn = true
    return nil
  }

  /// How often a draft is settled for one frame. Then it is shown as it is.
  private static var maxSettlings: Int { 4 }

  /// - Parameter isSettled: whether the layout is shown as it is, even if it is a draft with a seam
  ///   in view.
  /// - Throws: before the client's elements have changed. The kinds are restored here, and
  ///   `nextFrame` restores the viewport and what else this has changed.
  private mutating func makeFrame(
    of box: LayoutBox,
    at now: Duration,
    _ effort: FrameEffort,
    isSettled: Bool
  ) throws(FrameNotMade) -> SessionFrame? {
    let isGeometryNew = isGeometryNew
    guard let adjustment = try isGeometryNew ? placed(in: box.value, effort) : .zero else {
      return nil
    }
    if isGeometryNew { limitSectionOffsets(in: box) }
    anchorViewport = viewport
    isViewportDirty = false
    let forgotten = forgetKinds(beyond: box.value)
    let lookupOffsets = lookupOffsets(of: box)
    let lookedUp = viewport.scrollingSections(to: lookupOffsets)
    let mustMove = isGeometryNew || needsKeyframe || leavesCoverage(box.value)
    if !mustMove, isUntouched(box, lookedUp, lookupOffsets) {
      sent?.viewport = viewport
      return nil
    }
    isInvalidated = false
    let coverage: Rect
    do throws(FrameNotMade) {
      coverage = try look(at: box, mustMove: mustMove, lookedUp, effort, isSettled: isSettled)
    } catch {
      // The next attempt finds its place by the elements that the client has.
      if let forgotten { restore(forgotten) }
      throw error
    }
    if lookupOffsets != nil { moveIntoSections(of: box, lookedUp: lookedUp) }
    scratch.buffer.sort()
    let scrolls = changedSectionScrolls(
      of: box,
      lookedUp: lookupOffsets == nil ? nil : lookedUp
    )
    let sequence = link.window.lastSent + 1
    let oldExtras = live.extras
    replaceLive(frame: sequence)
    let owed = owedAdjustment
    if !isGeometryNew, !needsKeyframe, scratch.changes.isEmpty, owed == .zero,
      coverage == sent?.coverage, scrolls?.needsFrame != true
    {
      sent?.viewport = viewport
      sent?.lookupOffsets = lookupOffsets
      return nil
    }
    var frame = frame(sequence, of: box, coverage: coverage, adjustment: adjustment + owed)
    frame.sectionScrolls = scrolls?.states
    toldSectionScrolls(scrolls, frame: sequence)
    if let sent, isAnimationWanted, !needsKeyframe, target == nil, capabilities.animations {
      addTransition(
        to: &frame,
        scratch.changes,
        oldExtras: oldExtras,
        from: sent,
        to: box,
        adjustment: adjustment,
        effort
      )
    }
    adjustments.record(adjustment, of: sequence)
    noteSent(sequence, of: box, coverage: coverage, lookupOffsets, at: now)
    return frame
  }

  /// Places the viewport in a layout with a new geometry.
  ///
  /// - Returns: the adjustment of its offset; nil = the session cannot begin where it should.
  private mutating func placed(
    in presented: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameNotMade) -> Point? {
    do throws(FrameTooCostly) { return try place(in: presented, effort) } catch {
      throw .tooCostly
    }
  }

  private var overscan: Overscan {
    Overscan(
      ahead: options.overscanAhead ?? 1,
      behind: options.overscanBehind ?? 0.5,
      motion: motion
    )
  }

  /// Whether the client needs elements beyond the coverage of the last frame.
  private func leavesCoverage(_ presented: any PreparedLayout) -> Bool {
    guard let sent else { return false }
    return !overscan.holds(
      viewport.rect,
      in: sent.coverage,
      contentSize: presented.contentSize,
      axis: presented.scrollAxis
    )
  }

  /// Whether the elements of the last frame are still right, as long as they cover the viewport.
  private func isUntouched(
    _ box: LayoutBox,
    _ lookedUp: Viewport,
    _ lookupOffsets: [Int: Double]?
  ) -> Bool {
    guard let sent else { return false }
    return !isInvalidated && movement == nil
      && lookedUp.sectionOffsets == sent.lookedUp.sectionOffsets
      && (lookupOffsets == nil) == (sent.lookupOffsets == nil) && owedAdjustment == .zero
      && seen(box).invalidation(from: sent.lookedUp, to: lookedUp) == .none
  }

  /// Looks up the elements of the next frame.
  ///
  /// - Parameter mustMove: whether the coverage is chosen again, around the viewport.
  /// - Returns: the coverage.
  private mutating func look(
    at box: LayoutBox,
    mustMove: Bool,
    _ lookedUp: Viewport,
    _ effort: FrameEffort,
    isSettled: Bool
  ) throws(FrameNotMade) -> Rect {
    let presented = box.value
    let axis = presented.scrollAxis
    let wanted =
      mustMove
      ? overscan.wantedRect(around: viewport.rect, axis: axis)
      : sent?.coverage ?? viewport.rect
    if !isSettled, target == nil, presented.isDraft, !presented.isSettled(in: wanted) {
      throw .unsettled(in: wanted)
    }
    do throws(FrameTooCostly) {
      return try look(at: box, in: wanted, axis: axis, lookedUp, effort)
    } catch { throw .tooCostly }
  }

  /// Notes what the client has after a frame.
  private mutating func noteSent(
    _ sequence: UInt64,
    of box: LayoutBox,
    coverage: Rect,
    _ lookupOffsets: [Int: Double]?,
    at now: Duration
  ) {
    if sent?.box !== box { pinnedLayoutsVersion &+= 1 }
    // The client now knows the current index paths of all items.
    contents.forgetChanges()
    sent = SentState(
      box: box,
      epoch: contents.epoch,
      geometry: geometry,
      dataVersion: contents.version,
      layoutVersion: layoutVersion,
      contentSize: box.value.contentSize,
      coverage: coverage,
      viewport: viewport,
      lookupOffsets: lookupOffsets
    )
    let frame = FrameWindow.Outstanding(
      sequence: sequence,
      isKeyframe: needsKeyframe,
      repairsSince: needsKeyframe && !isRepairSent ? lastBeforeRejection : nil,
      checksum: live.checksum
    )
    link.sent(frame, at: now)
    if needsKeyframe { isRepairSent = true }
    needsKeyframe = false
    isAnimationWanted = false
    isLayoutChanged = false
    isAnchoringSuspended = false
    eventsSinceFrame = 0
  }

  /// Whether something may have changed for the client.
  var hasWork: Bool { needsKeyframe || isViewportDirty || isGeometryNew }

  /// Whether `nextFrame` would build a frame now, or find that nothing has changed.
  public func isFrameDue(at now: Duration) -> Bool {
    hasWork && canSend(at: now) && start?.value.isMissing != true && presentedBox != nil
  }

  /// Whether a frame is due for so long that the owner should supply the layout and build it before
  /// it passes more events that take long: else a client that sends many would be shown nothing.
  public func isFrameOverdue(at now: Duration) -> Bool {
    // A frame must not claim a step that it does not show.
    hasWork && canSend(at: now) && start?.value.isMissing != true
      && movement?.pendingTarget == nil
      && link.lastFrameAt.map { now - $0 >= SessionLimits.framePatience } ?? true
  }

  /// Whether the client has another data version or geometry than this session, or nothing yet.
  var isGeometryNew: Bool {
    guard let sent else { return true }
    return sent.geometry != geometry || sent.layoutVersion != layoutVersion
      || sent.dataVersion != contents.version
  }

  /// Whether the window and the shortest interval between frames allow another frame.
  public func canSend(at now: Duration) -> Bool {
    !isClosed && link.canSend(at: now, options)
  }

  /// What `forgetKinds` replaced.
  private struct ForgottenKinds {
    let kinds: KindTable
    let kindMap: KindMap?
    let live: LiveSet
    let earlierSlotCount: Int
    let neededKeyframe: Bool
  }

  /// Starts over with a keyframe if most of the kinds in the table belong to earlier layouts, so
  /// that a client cannot fill the table by changing layouts.
  ///
  /// - Returns: what there was before; nil = nothing was forgotten.
  private mutating func forgetKinds(beyond presented: any PreparedLayout) -> ForgottenKinds? {
    guard kinds.names.count > SessionLimits.kinds,
      kinds.names.count > 2 * presented.kindNames.count
    else { return nil }
    let forgotten = ForgottenKinds(
      kinds: kinds,
      kindMap: kindMap,
      live: live,
      earlierSlotCount: earlierSlotCount,
      neededKeyframe: needsKeyframe
    )
    let isChecked = live.checksum != nil
    kinds = KindTable()
    kindMap = nil
    earlierSlotCount = max(earlierSlotCount, live.slots.slotCount)
    live = LiveSet()
    if isChecked { keepChecksum() }
    needsKeyframe = true
    return forgotten
  }

  private mutating func restore(_ forgotten: ForgottenKinds) {
    kinds = forgotten.kinds
    kindMap = forgotten.kindMap
    // The map is of an earlier layout.
    isKindMapStale = true
    live = forgotten.live
    earlierSlotCount = forgotten.earlierSlotCount
    needsKeyframe = forgotten.neededKeyframe
  }

  /// The offset adjustments that the next frame has to repeat, because the client did not apply the
  /// frames that made them, or that were postponed to the next frame.
  private var owedAdjustment: Point {
    if needsKeyframe, !isRepairSent, let last = lastBeforeRejection {
      return adjustments.adjustment(since: last)
    }
    return adjustments.adjustment(since: link.window.lastSent)
  }

  // MARK: - The frame

  /// The frame for the changes in the scratch, or for all live elements where a keyframe is due.
  private mutating func frame(
    _ sequence: UInt64,
    of box: LayoutBox,
    coverage: Rect,
    adjustment: Point
  ) -> SessionFrame {
    let presented = box.value
    let isKeyframe = needsKeyframe
    let contentSize = presented.contentSize
    let (upserts, removedSlots) = scratch.takeBody(ofKeyframe: isKeyframe, live)
    var frame = SessionFrame(
      sequence: sequence,
      baseSequence: isKeyframe ? 0 : link.window.lastSent,
      dataVersion: contents.version,
      layoutVersion: layoutVersion,
      appliedEvent: appliedEvent,
      mergedEvents: max(0, eventsSinceFrame - 1),
      contentSize: isKeyframe || contentSize != sent?.contentSize ? contentSize : nil,
      coverage: coverage,
      offsetAdjustment: adjustment,
      scrollSensitivity: sensitivity(of: seen(box)),
      upserts: upserts,
      keys: [],
      removedSlots: removedSlots,
      extras: live.extras,
      kindNames: kinds.names,
      liveCount: live.count,
      stateChecksum: capabilities.checksums ? stateChecksum : nil
    )
    frame.scrollEffects = changedEffects(of: box)
    if wantsKeys {
      frame.keys = frame.upserts.map { toldKey(of: $0.element, in: contents.effective) }
    }
    if capabilities.itemData {
      frame.itemData = frame.upserts.map { itemData(of: $0.element, in: contents.effective) }
    }
    return frame
  }

  /// The effects that the renderer applies from the next frame on; nil = the client knows them.
  private func changedEffects(of box: LayoutBox) -> ScrollEffects? {
    guard capabilities.scrollEffects else { return nil }
    let known: ScrollEffects = needsKeyframe ? .none : sent?.box.effects ?? .none
    return box.effects == known ? nil : box.effects
  }

  /// The key of a cell's item; "" = it has none, or the element is not a cell.
  func itemKey(of element: LayoutElement, in contents: CollectionContents) -> String {
    guard element.category == .cell else { return "" }
    return contents.key(at: element.indexPath) ?? ""
  }

  /// The renderer's data of a cell's item; "" = none, or the element is not a cell.
  func itemData(of element: LayoutElement, in contents: CollectionContents) -> String {
    element.category == .cell ? contents.data(at: element.indexPath) : ""
  }

  /// Whether the client asked for keys of items or sections.
  var wantsKeys: Bool { capabilities.itemKeys || capabilities.sectionKeys }

  /// The key that the client is told for an element: the item's for a cell, the section's for an
  /// element of a section itself. "" = there is none, or the client did not ask for it.
  func toldKey(of element: LayoutElement, in contents: CollectionContents) -> String {
    if capabilities.itemKeys, element.category == .cell {
      return itemKey(of: element, in: contents)
    }
    let path = element.indexPath
    guard capabilities.sectionKeys, path.item == nil, path.section < contents.sectionCount else {
      return ""
    }
    return contents.section(at: path.section).key
  }

  /// When the client needs to report scrolling.
  private func sensitivity(of prepared: any PreparedLayout) -> ScrollSensitivity {
    if options.needsEveryScroll { return .everyScroll }
    return switch prepared.scrollDependence {
    case .none: .coverage
    case .pinnedElements: viewport.rendererPins ? .coverage : .everyScroll
    case .everything: .everyScroll
    }
  }
}
