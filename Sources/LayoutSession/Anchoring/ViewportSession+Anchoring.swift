// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// What to add to the offset so that the anchor does not move on screen and the offset stays
  /// within the content.
  ///
  /// The rule for `firstVisible`; `lastVisible` exchanges first and last, and start and end:
  ///
  /// 1. At the very start of the content, the start stays in view.
  ///    `SessionOptions.sizeChangeAnchor` can name the other edge instead.
  /// 2. Otherwise the starting edge of the first cell in sight keeps its place, where sight is the
  ///    viewport less its insets. Cells that a batch moved are skipped while there is one in sight
  ///    that was not moved. So are cells of estimated size: of these the client knows one edge
  ///    only.
  /// 3. A cell that would then be out of sight, because it shrank or moved, is skipped as well.
  /// 4. If no cell in sight is left, the next one behind it is the anchor, or else the one before.
  /// 5. Layouts whose cells are as wide as the content say themselves what has moved to the side
  ///    (`PreparedLayout.horizontalShift`).
  /// 6. The offset is limited to the content. An offset that was beyond the edge, as while
  ///    scrolling bounces, may stay as far beyond it. Short content has one offset: that of its
  ///    alignment.
  ///
  /// - Throws: if it takes more than the effort allows.
  func offsetAdjustment(
    to presented: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> Point {
    guard let sent else { return initialAdjustment(presented) }
    guard target == nil else { return .zero }
    let work = effort.work(limit: SessionLimits.frameSteps)
    var old = anchorViewport
    // The alignment may have changed since the frame.
    old.horizontalAlignment = sent.viewport.horizontalAlignment
    old.verticalAlignment = sent.viewport.verticalAlignment
    let oldRange = old.legalOffsets(contentSize: sent.contentSize)
    let newRange = viewport.legalOffsets(contentSize: presented.contentSize)
    let mode = isAnchoringSuspended ? .none : options.anchorMode
    let edge = isAnchoringSuspended ? nil : options.stayingEdge
    let reach = options.sizeChangeAnchor == nil ? Self.tolerance : restTolerance
    var shift: Point?
    if mode != .none {
      shift = anchorShift(mode, old, sent, presented, work)
      if let x = presented.horizontalShift(from: sent.prepared, viewport: old) {
        shift = Point(x: x, y: shift?.y ?? 0)
      }
    }
    guard !work.isStopped else { throw FrameTooCostly() }
    var result = Point.zero
    for axis in anchoredAxes(sent.prepared.scrollAxis, presented.scrollAxis) {
      let offset = axis.main(viewport.offset)
      let oldLimits = (min: axis.main(oldRange.min), max: axis.main(oldRange.max))
      let newLimits = (min: axis.main(newRange.min), max: axis.main(newRange.max))
      let isMirrored = axis == .horizontal && viewport.isRightToLeft
      let isAtLow = offset <= oldLimits.min + reach
      let isAtHigh = offset >= oldLimits.max - reach
      var goal = offset + (shift.map { axis.main($0) } ?? 0)
      let staysLow = isAtLow && edge == (isMirrored ? .end : .start)
      let staysHigh = isAtHigh && edge == (isMirrored ? .start : .end)
      if staysLow { goal = offset }
      if staysHigh { goal = newLimits.max + max(0, offset - oldLimits.max) }
      let low = newLimits.min - max(0, oldLimits.min - offset)
      let high = newLimits.max + max(0, offset - oldLimits.max)
      let step = min(max(goal, low), high) - offset
      result = result + axis.point(main: step, cross: 0)
    }
    guard isLayoutChanged, mode != .none else { return result }
    // The new layout may have other resting places for scrolling.
    var proposed = viewport
    proposed.offset = viewport.offset + result
    let rest = LayoutQueries(presented, viewport: proposed, work: work).scrollTarget(
      for: .release(proposed: proposed.offset, velocity: .zero, section: nil)
    )
    guard !work.isStopped else { throw FrameTooCostly() }
    return (rest?.offset ?? proposed.offset) - viewport.offset
  }

  /// An offset at most this many points from the edge counts as at the edge.
  static let tolerance = 1.0 / 64

  /// The adjustment of the first frame of a session that begins at an offset. Content that grows
  /// from right to left starts at its right end, and a client that never sent an offset begins
  /// there. Short content that has an alignment has only one place, whatever the client sent.
  private func initialAdjustment(_ presented: any PreparedLayout) -> Point {
    let limits = viewport.legalOffsets(contentSize: presented.contentSize)
    var result = Point.zero
    if !hasOffset, presented.startsAtRightEdge, options.anchorMode != .none {
      result.x = limits.max.x - viewport.offset.x
    }
    if viewport.horizontalAlignment != nil, limits.min.x == limits.max.x {
      result.x = limits.min.x - viewport.offset.x
    }
    if viewport.verticalAlignment != nil, limits.min.y == limits.max.y {
      result.y = limits.min.y - viewport.offset.y
    }
    return result
  }

  /// The axes along which the offset is adjusted: both, unless both layouts grow along the same
  /// one.
  private func anchoredAxes(_ old: ScrollAxis?, _ new: ScrollAxis?) -> [ScrollAxis] {
    if let new, new == old { return [new] }
    return [.vertical, .horizontal]
  }

  /// How far the anchor moves in the content, as a vector; nil = there is no anchor.
  private func anchorShift(
    _ mode: AnchorMode,
    _ old: Viewport,
    _ sent: SentState,
    _ presented: any PreparedLayout,
    _ work: LayoutWork
  ) -> Point? {
    let sight = old.unobscuredRect
    guard sight.width > 0, sight.height > 0 else { return nil }
    var candidates = anchorCandidates(in: sight, sent, work)
    markEstimated(&candidates, sent)
    let isFirst = mode == .firstVisible
    let axes = anchoredAxes(sent.prepared.scrollAxis, presented.scrollAxis)
    let names = contents.effective.cellKindNames
    guard let order = AnchorOrder(candidates, in: sight, isFirst: isFirst) else { return nil }
    var best: Point?
    var last: AnchorCandidate?
    for _ in 0 ..< Self.maxTries {
      guard let anchor = order.next(of: candidates, after: last) else { break }
      last = anchor
      guard let path = anchor.current, let item = contents.effective.item(at: path)
      else { continue }
      let key = ElementKey(
        category: .cell,
        kind: item.cellKind < names.count ? names[item.cellKind] : "",
        indexPath: path
      )
      guard let frame = presented.attributes(of: key, viewport: viewport, work: work)?.frame
      else { continue }
      let shift = shift(from: anchor.frame, to: frame, isFirst: isFirst)
      best = best ?? shift
      let isLeaving = axes.contains { axis in
        let start = axis.axisRect(frame).main - axis.main(shift)
        let (old, end) = (axis.axisRect(sight), start + axis.axisRect(frame).mainLength)
        return end <= old.main || start >= old.mainEnd
      }
      // A cell that was out of sight before is tried only where there is no other.
      if !isLeaving || !anchor.frame.meets(sight) { return shift }
    }
    return best
  }

  /// Where the nearest visible ancestor of a newly hidden item is; nil = the item is gone.
  ///
  /// - Parameter path: the item's path in the newest frame.
  private func visibleAncestor(ofTold path: IndexPath, _ sent: SentState) -> IndexPath? {
    guard contents.base.hasOutlines, movement == nil,
      let key = sent.prepared.context.contents.key(at: path),
      let item = contents.whole.indexPath(ofItemKey: key)
    else { return nil }
    return contents.base.visibleRow(ofItem: item)
  }

  /// How many cells are tried. If all of them would go out of sight, the first one is the anchor.
  private static var maxTries: Int { 64 }

  /// The vector between the same edges of two frames: the starting or the ending ones.
  private func shift(from old: Rect, to new: Rect, isFirst: Bool) -> Point {
    isFirst
      ? Point(x: distance(old.minX, new.minX), y: distance(old.minY, new.minY))
      : Point(x: distance(old.maxX, new.maxX), y: distance(old.maxY, new.maxY))
  }

  /// The distance between two edges as the client sees them: the packed encoding quantises both.
  private func distance(_ old: Double, _ new: Double) -> Double {
    guard capabilities.encoding == .packed else { return new - old }
    let units = Double(capabilities.unitsPerPoint)
    return
      Double(StateChecksum.quantized(new, units) &- StateChecksum.quantized(old, units)) / units
  }

  /// The cells around `sight` as the client has them, or as it would have them if it had received a
  /// frame for this place.
  private func anchorCandidates(
    in sight: Rect,
    _ sent: SentState,
    _ work: LayoutWork
  ) -> [AnchorCandidate] {
    if sent.coverage.contains(sight) {
      var candidates: [AnchorCandidate] = []
      candidates.reserveCapacity(live.count)
      var scrolls = sectionScrolls(of: sent)
      for (index, element) in live.elements.enumerated() where element.element.category == .cell {
        candidates.append(
          AnchorCandidate(
            path: live.toldPath(at: index),
            frame: element.element.frame.offset(
              by: scrolls?.displacement(of: live.toldPath(at: index)) ?? .zero
            ),
            current: element.path,
            isMoved: live.isMoved(at: index)
          )
        )
      }
      for live in live.departed where live.element.category == .cell {
        candidates.append(
          AnchorCandidate(
            path: live.element.indexPath,
            frame: live.element.frame.offset(
              by: scrolls?.displacement(of: live.element.indexPath) ?? .zero
            ),
            current: visibleAncestor(ofTold: live.element.indexPath, sent)
          )
        )
      }
      return candidates
    }
    // The client has scrolled beyond its elements: the old layout says what would have been there.
    guard let changes = contents.changes(since: sent.epoch) else { return [] }
    var buffer = ElementBuffer(limit: maxElements, work: work)
    sent.prepared.appendElements(in: sight, viewport: anchorViewport, to: &buffer)
    return buffer.elements.filter { $0.category == .cell }.map { element in
      var candidate = AnchorCandidate(
        path: element.indexPath,
        frame: element.frame,
        current: element.indexPath
      )
      for change in changes {
        guard let path = candidate.current else { break }
        if change.isMoved(old: path) { candidate.isMoved = true }
        candidate.current = change.newIndexPath(ofOld: path)
      }
      if candidate.current == nil {
        candidate.current = visibleAncestor(ofTold: element.indexPath, sent)
      }
      return candidate
    }
  }
}

extension ViewportSession {
  /// Marks the candidates whose size, as the client knows it, is an estimate. Before the first
  /// measurement none is marked, because all of them would be.
  ///
  /// - Complexity: O(candidates · log items) in sessions that measure, else O(1)
  private func markEstimated(_ candidates: inout [AnchorCandidate], _ sent: SentState) {
    guard contents.hasMeasuredItems else { return }
    let old = sent.prepared.context.contents
    let axes = sent.prepared.scrollAxis.map { [$0] } ?? [.vertical, .horizontal]
    let names = old.cellKindNames
    var accepting: [Int: Bool] = [:]
    for index in candidates.indices {
      let path = candidates[index].path
      guard let item = old.item(at: path), path.section < old.sectionCount else { continue }
      let isUnknown = axes.contains { ($0 == .vertical ? item.height : item.width) == nil }
      guard isUnknown else { continue }
      let accepts =
        accepting[path.section]
        ?? configuration.layout.acceptsMeasurement(
          of: ElementKey(
            category: .cell,
            kind: item.cellKind < names.count ? names[item.cellKind] : "",
            indexPath: path
          ),
          in: old.section(at: path.section)
        )
      accepting[path.section] = accepts
      candidates[index].isEstimated = accepts
    }
  }
}
