// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

extension ViewportSession {
  /// What the session keeps in memory, in bytes, without its prepared layouts: the elements that
  /// the client holds, kinds, offsets, adjustments, request identifiers, and its private contents or
  /// measured sizes.
  ///
  /// Room that is reserved counts, since it is taken from everybody else. An estimate: allocators
  /// round up, and values that other sessions share may be counted in each.
  /// - Complexity: O(1), and O(questions) while scroll targets wait for a layout (64 at most).
  public var byteCount: Int {
    var count = MemoryLayout<ViewportSession>.size + Self.overhead
    count += live.byteCount
    count += kinds.byteCount
    count += viewport.sectionOffsets.capacity * 24
    count += adjustments.byteCount
    count += requests.byteCount
    count += unsettled.capacity * MemoryLayout<UInt64>.stride
    count += waitingScrolls.reduce(0) { $0 + 64 + $1.request.byteCount }
    return count + contents.byteCount
  }

  /// Boxes, the configuration and the bookkeeping of the allocator.
  private static var overhead: Int { 2 << 10 }

  /// The prepared layouts that the session keeps alive, each once: the current one, the one that a
  /// transition leads to, and those of the newest frame where they are older. Four at most.
  ///
  /// They change only where `pinnedLayoutsVersion` does.
  /// - Complexity: O(1), without allocating.
  public func forEachPinnedLayout(_ body: (PinnedLayout) -> Void) {
    let current = prepared?.held
    let next = target?.prepared?.held
    if let current { body(current.pinned) }
    if let next, next !== current { body(next.pinned) }
    guard let sent = sent?.held else { return }
    func tell(_ held: HeldLayout) {
      if held !== current, held !== next { body(held.pinned) }
    }
    guard let from = sent.from, let to = sent.to else { return tell(sent) }
    tell(from)
    if to !== from { tell(to) }
  }
}

extension ScrollRequest {
  /// Of the texts that it holds.
  fileprivate var byteCount: Int {
    switch self {
    case .release: 0
    case .element(let key, _): key.kind.utf8.count
    case .item(let key, _): key.utf8.count
    }
  }
}
