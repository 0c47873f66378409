// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

extension ViewportSession {
  /// Roughly the memory that the session uses, in bytes, without its prepared layouts: the elements
  /// that the client has, its own layout, kinds, offsets, adjustments, request identifiers,
  /// candidates for being prefetched, sightings, what is held and the rules for that, columns as
  /// the viewer wants them, and private contents or measured sizes.
  ///
  /// Reserved capacity counts as used. This is an estimate: allocators round up, and values that
  /// sessions share may be counted in each of them.
  ///
  /// - Complexity: O(1), and O(questions) while questions wait for a layout (64 at most)
  public var byteCount: Int {
    var count = MemoryLayout<ViewportSession>.size + Self.overhead
    count += live.byteCount
    count += kinds.byteCount
    count += viewport.sectionOffsets.capacity * 24
    if !rendererOffsets.isEmpty { count += rendererOffsets.value?.byteCount ?? 0 }
    count += container.references.byteCount
    count += layoutByteCount + (choice?.rules.byteCount ?? 0)
    count += target.map { $0.layoutByteCount + ($0.choice?.rules.byteCount ?? 0) } ?? 0
    count += traits?.value.byteCount ?? 0
    count += tablePreferences?.value.byteCount ?? 0
    count += adjustments.byteCount
    count += requests.byteCount
    if !prefetching.isEmpty { count += prefetching.value?.byteCount ?? 0 }
    if !sightings.isEmpty { count += sightings.value?.byteCount ?? 0 }
    count += unsettled.capacity * MemoryLayout<UInt64>.stride
    count += waitingOffers.capacity * 16
    count += (movement?.byteCount ?? 0) + (movementRules?.value.byteCount ?? 0)
    count += waitingScrolls.reduce(0) { $0 + 64 + $1.request.byteCount }
    return count + contents.byteCount
  }

  /// Roughly the bytes of boxed values and of the allocator's bookkeeping.
  private static var overhead: Int { 2 << 10 }

  /// Calls `body` once for each prepared layout that the session keeps alive, at most four: the
  /// current one, the one at which a transition ends, and those of the newest frame where they are
  /// older.
  ///
  /// The layouts are the same as in the last call while `pinnedLayoutsVersion` is the same.
  ///
  /// - Complexity: O(1), without allocating
  public func forEachPinnedLayout(_ body: (PinnedLayout) -> Void) {
    let current = prepared?.box
    let next = target?.prepared?.box
    if let current { body(current.pinned) }
    if let next, next !== current { body(next.pinned) }
    guard let sent = sent?.box else { return }
    func tell(_ box: LayoutBox) {
      if box !== current, box !== next { body(box.pinned) }
    }
    guard let from = sent.from, let to = sent.to else { return tell(sent) }
    tell(from)
    if to !== from { tell(to) }
  }
}

extension ScrollRequest {
  /// The bytes of the texts in the request.
  fileprivate var byteCount: Int {
    switch self {
    case .release: 0
    case .element(let key, _): key.kind.utf8.count
    case .item(let key, _, _), .neighbor(.item(let key), _, _): key.utf8.count
    case .neighbor(.element(let key), _, _): key.kind.utf8.count
    case .neighbor: 0
    }
  }
}
