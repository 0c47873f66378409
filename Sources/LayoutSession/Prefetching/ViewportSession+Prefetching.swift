// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// The changes of the items that the client should prepare. Call this after `nextFrame`, and send
  /// the result after its frame.
  ///
  /// Nothing is returned while a frame is due. So changes are merged while the client does not
  /// acknowledge frames: the result is the difference from what was last returned.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Parameter effort: how much it may cost. If a small effort is too little, nothing changes but
  ///   `needsTurn`; if another effort is too little, the candidates stay as they are.
  /// - Returns: nil = nothing has changed, or nothing is prefetched.
  /// - Complexity: O(log items + elements within the distances); O(1) if nothing has changed since
  public mutating func nextPrefetch(
    at now: Duration,
    effort: FrameEffort = .unlimited
  ) -> PrefetchChange? {
    guard !prefetching.isEmpty, !isClosed, !hasWork, let sent else { return nil }
    let view = PrefetchState.View(viewport: viewport, motion: motion, frame: link.window.lastSent)
    guard let state = prefetching.value, state.told != view else { return nil }
    if state.isCostly, case .small = effort {
      needsTurn = true
      return nil
    }
    let candidates: [LayoutElement]
    do throws(FrameTooCostly) {
      candidates = try prefetchCandidates(in: sent.prepared, effort)
      prefetching.value?.isCostly = effort.steps > SessionCosts.rankingSteps
    } catch {
      prefetching.value?.isCostly = true
      if case .small = effort { needsTurn = true } else { prefetching.value?.told = view }
      return nil
    }
    prefetching.value?.told = view
    let change = change(to: candidates, in: sent.prepared)
    if !options.prefetch.isOn { prefetching.value = nil }
    guard let change, change.isReset || !change.isEmpty else { return nil }
    link.lastOutgoing = max(link.lastOutgoing, now)
    return change
  }

  /// Notes that the options have changed.
  mutating func prefetchOptionsChanged() {
    if prefetching.isEmpty {
      if options.prefetch.isOn { prefetching.value = PrefetchState() }
    } else {
      prefetching.value?.told = nil
    }
  }

  private func prefetchCandidates(
    in prepared: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> [LayoutElement] {
    guard options.prefetch.isOn,
      let ring = PrefetchRing(
        options.prefetch,
        around: viewport.rect,
        motion: motion,
        axis: prepared.scrollAxis
      )
    else { return [] }
    return try ring.candidates(in: prepared, viewport: viewport, partLimit: maxElements, effort)
  }

  /// - Parameter candidates: with the layout's kind numbers, in order.
  private mutating func change(
    to candidates: [LayoutElement],
    in prepared: any PreparedLayout
  ) -> PrefetchChange? {
    let live = live
    let visible = viewport.rect
    let isReset = prefetching.value?.isResetDue == true
    var scrolls =
      sent?.lookupOffsets == nil ? nil : SectionScrolls(prepared, viewport: viewport)
    let difference = prefetching.value?.replace(by: candidates.map(\.indexPath)) { path in
      let moved = scrolls?.displacement(of: path) ?? .zero
      return live.box(ofCellAt: path)?.offset(by: moved).meets(visible) == true
    }
    guard let difference else { return nil }
    let items = difference.asked.map { index, number in
      let cell = candidates[index]
      return PrefetchChange.Item(
        number: number,
        key: ElementKey(
          category: .cell,
          kind: prepared.kindName(Int(cell.kind)) ?? "",
          indexPath: cell.indexPath
        ),
        itemKey: capabilities.itemKeys ? itemKey(of: cell, in: contents.effective) : "",
        itemData: capabilities.itemData ? itemData(of: cell, in: contents.effective) : ""
      )
    }
    return PrefetchChange(
      isReset: isReset,
      dataVersion: contents.version,
      items: items,
      shown: difference.shown,
      cancelled: difference.cancelled
    )
  }
}
