// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Builds at most one frame, with everything that happened since the last one.
  ///
  /// nil while the window of unacknowledged frames is full, the interval has not passed, the
  /// layout is missing, or nothing that the client should know has changed.
  /// - Complexity: O(log items + elements in the coverage).
  public mutating func nextFrame(at now: Duration) -> SessionFrame? {
    var scratch = SessionScratch()
    return nextFrame(at: now, scratch: &scratch)
  }

  /// The same in storage that sessions share, so that none keeps more than its elements.
  ///
  /// - Parameter scratch: takes the frame's storage back by `takeBack`.
  public mutating func nextFrame(
    at now: Duration,
    scratch: inout SessionScratch
  ) -> SessionFrame? {
    guard hasWork, canSend(at: now), let held = heldPresented else { return nil }
    swap(&self.scratch, &scratch)
    defer { swap(&self.scratch, &scratch) }
    return makeFrame(of: held, at: now)
  }

  private mutating func makeFrame(
    of held: HeldLayout,
    at now: Duration
  ) -> SessionFrame? {
    let presented = held.value
    let isGeometryNew = isGeometryNew
    var adjustment = Point.zero
    if isGeometryNew {
      adjustment = offsetAdjustment(to: presented)
      viewport.offset = viewport.offset + adjustment
    }
    anchorViewport = viewport
    isViewportDirty = false
    forgetKinds(beyond: presented)
    let overscan = Overscan(
      ahead: options.overscanAhead ?? 1,
      behind: options.overscanBehind ?? 0.5,
      motion: motion
    )
    let axis = presented.scrollAxis
    let contentSize = presented.contentSize
    var mustMove = isGeometryNew || needsKeyframe
    if !mustMove, let sent {
      mustMove = !overscan.holds(
        viewport.rect,
        in: sent.coverage,
        contentSize: contentSize,
        axis: axis
      )
      let isUntouched =
        !isInvalidated && movement == nil && viewport.sectionOffsets == sent.viewport.sectionOffsets
        && owedAdjustment == .zero
        && presented.invalidation(from: sent.viewport, to: viewport) == .none
      if !mustMove, isUntouched {
        self.sent?.viewport = viewport
        return nil
      }
    }
    isInvalidated = false
    let wanted =
      mustMove
      ? overscan.wantedRect(around: viewport.rect, axis: axis)
      : sent?.coverage ?? viewport.rect
    let coverage = look(at: presented, in: wanted, axis: axis)
    let sequence = window.lastSent + 1
    let oldExtras = live.extras
    replaceLive(frame: sequence)
    let owed = owedAdjustment
    if !isGeometryNew, !needsKeyframe, scratch.changes.isEmpty, owed == .zero,
      coverage == sent?.coverage
    {
      sent?.viewport = viewport
      return nil
    }
    var frame = frame(
      sequence,
      presented: presented,
      coverage: coverage,
      adjustment: adjustment + owed
    )
    if let sent, isAnimationWanted, !needsKeyframe, target == nil, capabilities.animations {
      addTransition(
        to: &frame,
        scratch.changes,
        oldExtras: oldExtras,
        from: sent,
        to: presented,
        adjustment: adjustment
      )
    }
    adjustments.record(adjustment, of: sequence)
    if sent?.held !== held { pinnedLayoutsVersion &+= 1 }
    // What the client knows of items is now as they are.
    contents.forgetChanges()
    sent = SentState(
      held: held,
      epoch: contents.epoch,
      geometry: geometry,
      dataVersion: contents.version,
      layoutVersion: layoutVersion,
      contentSize: contentSize,
      coverage: coverage,
      viewport: viewport
    )
    window.sent(
      sequence,
      isKeyframe: needsKeyframe,
      mendsSince: needsKeyframe && !isMendSent ? lastBeforeRejection : nil,
      checksum: live.checksum,
      at: now
    )
    lastFrameAt = now
    lastOutgoing = max(lastOutgoing, now)
    if needsKeyframe { isMendSent = true }
    needsKeyframe = false
    isAnimationWanted = false
    isLayoutChanged = false
    isAnchoringSuspended = false
    eventsSinceFrame = 0
    return frame
  }

  /// Whether there may be something to tell.
  var hasWork: Bool { needsKeyframe || isViewportDirty || isGeometryNew }

  /// Whether the client has another data version or geometry than this session.
  var isGeometryNew: Bool {
    guard let sent else { return true }
    return sent.geometry != geometry || sent.layoutVersion != layoutVersion
      || sent.dataVersion != contents.version
  }

  func canSend(at now: Duration) -> Bool {
    guard !isClosed, window.count < options.maxInFlightFrames else { return false }
    return lastFrameAt.map { now - $0 >= options.minFrameInterval } ?? true
  }

  /// Begins anew, with a keyframe, where most kinds that were ever seen are of layouts long gone.
  private mutating func forgetKinds(beyond presented: any PreparedLayout) {
    guard kinds.names.count > SessionLimits.kinds,
      kinds.names.count > 2 * presented.kindNames.count
    else { return }
    let isChecked = live.checksum != nil
    kinds = KindTable()
    kindMap = nil
    live = LiveSet()
    if isChecked { keepChecksum() }
    needsKeyframe = true
  }

  /// What the next frame has to make up for: adjustments of frames that the client did not apply,
  /// or that were put off to this one.
  private var owedAdjustment: Point {
    if needsKeyframe, !isMendSent, let last = lastBeforeRejection {
      return adjustments.adjustment(since: last)
    }
    return adjustments.adjustment(since: window.lastSent)
  }

  // MARK: - Elements

  /// Fills the scratch buffer with the elements of `rect`, sorted, with the session's kind numbers, and
  /// returns the rect in which they are complete.
  private mutating func look(
    at prepared: any PreparedLayout,
    in rect: Rect,
    axis: ScrollAxis?
  ) -> Rect {
    let coverage = query(prepared, in: rect, axis: axis)
    let kindMap = kindMap ?? KindMap(kinds.numbers(of: prepared.kindNames))
    self.kindMap = kindMap
    kindMap.apply(to: &scratch.buffer.elements)
    showHeldElement(in: prepared)
    scratch.buffer.sort()
    return coverage
  }

  /// Queries `rect`, or as much of it from the visible start on as `maxElements` allow.
  ///
  /// A rect of sane extent is asked for at once. A huge one grows towards what is wanted, so that a
  /// viewport a million points long does not fetch a million elements to throw them away.
  private mutating func query(
    _ prepared: any PreparedLayout,
    in rect: Rect,
    axis: ScrollAxis?
  ) -> Rect {
    let axis = axis ?? .vertical
    let length = axis.main(rect.size)
    var extent = min(length, 16_384)
    var part = fetch(prepared, extent, of: rect, axis)
    while scratch.buffer.elements.count <= maxElements, extent < length {
      extent = min(length, extent * 4)
      part = fetch(prepared, extent, of: rect, axis)
    }
    while scratch.buffer.elements.count > maxElements, extent > 0.001 {
      extent /= 2
      part = fetch(prepared, extent, of: rect, axis)
    }
    // All in one place: as many as a frame takes.
    scratch.buffer.elements.removeLast(max(0, scratch.buffer.elements.count - maxElements))
    return part
  }

  /// Queries a part of `rect`, `extent` long, that begins at the visible start where it can.
  private mutating func fetch(
    _ prepared: any PreparedLayout,
    _ extent: Double,
    of rect: Rect,
    _ axis: ScrollAxis
  ) -> Rect {
    var part = rect
    var span = axis.axisRect(rect)
    if extent < span.mainLength {
      let start = max(axis.main(viewport.offset), span.main)
      span.main = max(span.main, min(start, span.mainEnd - extent))
      span.mainLength = extent
      part = axis.rect(span)
    }
    scratch.buffer.removeAll()
    // One more tells that there are too many.
    scratch.buffer.limit = maxElements &+ 1
    prepared.appendElements(in: part, viewport: viewport, to: &scratch.buffer)
    scratch.buffer.limit = .max
    return part
  }

  /// Makes the elements of the scratch buffer the live ones.
  private mutating func replaceLive(frame: UInt64) {
    let hashes = kinds.hashes
    let units = capabilities.unitsPerPoint
    live.replace(
      by: scratch.buffer.elements,
      extras: scratch.buffer.extras,
      frame: frame,
      next: &scratch.next,
      changes: &scratch.changes
    ) { element in
      StateChecksum.hash(
        of: element,
        kindHash: KindTable.hash(of: element.kind, in: hashes),
        unitsPerPoint: units
      )
    }
  }

  // MARK: - The frame

  private mutating func frame(
    _ sequence: UInt64,
    presented: any PreparedLayout,
    coverage: Rect,
    adjustment: Point
  ) -> SessionFrame {
    let isKeyframe = needsKeyframe
    let contentSize = presented.contentSize
    let (upserts, removedSlots) = scratch.takeBody(ofKeyframe: isKeyframe, live)
    var frame = SessionFrame(
      sequence: sequence,
      baseSequence: isKeyframe ? 0 : window.lastSent,
      dataVersion: contents.version,
      layoutVersion: layoutVersion,
      appliedEvent: appliedEvent,
      mergedEvents: max(0, eventsSinceFrame - 1),
      contentSize: isKeyframe || contentSize != sent?.contentSize ? contentSize : nil,
      coverage: coverage,
      offsetAdjustment: adjustment,
      scrollSensitivity: sensitivity(of: presented),
      upserts: upserts,
      itemKeys: [],
      removedSlots: removedSlots,
      extras: live.extras,
      kindNames: kinds.names,
      liveCount: live.count,
      stateChecksum: capabilities.checksums ? stateChecksum : nil
    )
    if capabilities.itemKeys {
      frame.itemKeys = frame.upserts.map { itemKey(of: $0.element, in: contents.effective) }
    }
    return frame
  }

  func itemKey(of element: LayoutElement, in contents: CollectionContents) -> String {
    guard element.category == .cell else { return "" }
    return contents.key(at: element.indexPath) ?? ""
  }

  private func sensitivity(of prepared: any PreparedLayout) -> ScrollSensitivity {
    switch prepared.scrollDependence {
    case .none: .coverage
    case .pinnedElements: viewport.rendererPins ? .coverage : .everyScroll
    case .everything: .everyScroll
    }
  }
}
