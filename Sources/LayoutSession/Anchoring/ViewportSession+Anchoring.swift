// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// What to add to the offset so that what is anchored does not move on screen and the offset
  /// stays within the content.
  ///
  /// The rule, for `firstVisible`; for `lastVisible` with first and last, start and end exchanged:
  ///
  /// 1. At the very start of the content the start stays in view.
  /// 2. Else the first cell in sight keeps the place of its starting edge, where sight is the
  ///    viewport less its insets. Cells that a batch moved elsewhere are passed over while one that
  ///    was not moved is in sight; so are cells whose size is an estimate, for what the client knows
  ///    of such a cell is its edge alone.
  /// 3. A cell that would be out of sight then, because it shrank or went elsewhere, is passed over
  ///    as well: what remains in sight keeps still.
  /// 4. Where no cell in sight is left, the next one behind it is the anchor, else the one before.
  /// 5. The offset ends within the content. Scrolling beyond the edge goes on by as much as before.
  func offsetAdjustment(to presented: any PreparedLayout) -> Point {
    guard let sent else { return initialAdjustment(presented) }
    guard target == nil else { return .zero }
    let old = anchorViewport
    let oldRange = old.legalOffsets(contentSize: sent.contentSize)
    let newRange = viewport.legalOffsets(contentSize: presented.contentSize)
    let mode = isAnchoringSuspended ? .none : options.anchorMode
    var shift: Point?
    if mode != .none { shift = anchorShift(mode, old, sent, presented) }
    var result = Point.zero
    for axis in anchoredAxes(sent.prepared.scrollAxis, presented.scrollAxis) {
      let offset = axis.main(viewport.offset)
      let oldLimits = (min: axis.main(oldRange.min), max: axis.main(oldRange.max))
      let newLimits = (min: axis.main(newRange.min), max: axis.main(newRange.max))
      let isMirrored = axis == .horizontal && viewport.isRightToLeft
      let isAtLow = offset <= oldLimits.min + Self.tolerance
      let isAtHigh = offset >= oldLimits.max - Self.tolerance
      var goal = offset + (shift.map { axis.main($0) } ?? 0)
      switch mode {
      case .none: break
      case .firstVisible where isMirrored ? isAtHigh : isAtLow:
        goal = isMirrored ? newLimits.max + max(0, offset - oldLimits.max) : offset
      case .lastVisible where isMirrored ? isAtLow : isAtHigh:
        goal = isMirrored ? offset : newLimits.max + max(0, offset - oldLimits.max)
      case .firstVisible, .lastVisible: break
      }
      let low = newLimits.min - max(0, oldLimits.min - offset)
      let high = newLimits.max + max(0, offset - oldLimits.max)
      let step = min(max(goal, low), high) - offset
      result = result + axis.point(main: step, cross: 0)
    }
    guard isLayoutChanged, mode != .none else { return result }
    // The new layout has its say in where scrolling may rest.
    var proposed = viewport
    proposed.offset = viewport.offset + result
    let rest = LayoutQueries(presented, viewport: proposed).scrollTarget(
      for: .release(proposed: proposed.offset, velocity: .zero, section: nil)
    )
    return (rest?.offset ?? proposed.offset) - viewport.offset
  }

  /// An offset this near to the edge is at it.
  private static let tolerance = 1.0 / 64

  /// Content that grows from right to left starts at its right end, where a client that never
  /// told an offset must begin.
  private func initialAdjustment(_ presented: any PreparedLayout) -> Point {
    guard !hasOffset, viewport.isRightToLeft, presented.scrollAxis == .horizontal,
      options.anchorMode != .none
    else { return .zero }
    let limits = viewport.legalOffsets(contentSize: presented.contentSize)
    return Point(x: limits.max.x - viewport.offset.x, y: 0)
  }

  private func anchoredAxes(_ old: ScrollAxis?, _ new: ScrollAxis?) -> [ScrollAxis] {
    if let new, new == old { return [new] }
    return [.vertical, .horizontal]
  }

  /// How far the anchored cell moves in the content; nil = there is none.
  private func anchorShift(
    _ mode: AnchorMode,
    _ old: Viewport,
    _ sent: SentState,
    _ presented: any PreparedLayout
  ) -> Point? {
    let sight = old.unobscuredRect
    guard sight.width > 0, sight.height > 0 else { return nil }
    var candidates = anchorCandidates(in: sight, sent)
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
      guard let frame = presented.attributes(of: key, viewport: viewport)?.frame else { continue }
      let shift = shift(from: anchor.frame, to: frame, isFirst: isFirst)
      best = best ?? shift
      let isLeaving = axes.contains { axis in
        let start = axis.axisRect(frame).main - axis.main(shift)
        let (old, end) = (axis.axisRect(sight), start + axis.axisRect(frame).mainLength)
        return end <= old.main || start >= old.mainEnd
      }
      // One that was out of sight before is the anchor for want of another.
      if !isLeaving || !anchor.frame.meets(sight) { return shift }
    }
    return best
  }

  /// So many cells are tried; where all those go out of sight at once, the first counts.
  private static var maxTries: Int { 64 }

  /// From the edge where content starts, or where it ends, to the same edge.
  private func shift(from old: Rect, to new: Rect, isFirst: Bool) -> Point {
    isFirst
      ? Point(x: distance(old.minX, new.minX), y: distance(old.minY, new.minY))
      : Point(x: distance(old.maxX, new.maxX), y: distance(old.maxY, new.maxY))
  }

  /// From edge to edge as the client sees them: in the packed encoding both are quantised.
  private func distance(_ old: Double, _ new: Double) -> Double {
    guard capabilities.encoding == .packed else { return new - old }
    let units = Double(capabilities.unitsPerPoint)
    return
      Double(StateChecksum.quantized(new, units) &- StateChecksum.quantized(old, units)) / units
  }

  /// Cells around `sight` as the client has them, or would have them if it had been told.
  private func anchorCandidates(in sight: Rect, _ sent: SentState) -> [AnchorCandidate] {
    if sent.coverage.contains(sight) {
      var candidates: [AnchorCandidate] = []
      candidates.reserveCapacity(live.count)
      for (index, element) in live.elements.enumerated() where element.element.category == .cell {
        candidates.append(
          AnchorCandidate(
            path: live.toldPath(at: index),
            frame: element.element.frame,
            current: element.path,
            isMoved: live.isMoved(at: index)
          )
        )
      }
      for live in live.departed where live.element.category == .cell {
        candidates.append(
          AnchorCandidate(path: live.element.indexPath, frame: live.element.frame, current: nil)
        )
      }
      return candidates
    }
    // Scrolled to where the client has nothing yet: the old layout knows what would be there.
    guard let changes = contents.changes(since: sent.epoch) else { return [] }
    var buffer = ElementBuffer(limit: maxElements)
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
      return candidate
    }
  }
}

extension ViewportSession {
  /// Marks those whose size the client was told as an estimate. Before the first measurement all
  /// are alike, and nothing is marked.
  ///
  /// - Complexity: O(candidates · log items) in sessions that measure.
  private func markEstimated(_ candidates: inout [AnchorCandidate], _ sent: SentState) {
    guard contents.isMeasured else { return }
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
