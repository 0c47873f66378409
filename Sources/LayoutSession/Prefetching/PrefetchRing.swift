// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// The part of the content around the visible rect that has the candidates, and their order.
struct PrefetchRing: Sendable {
  /// The visible rect, in content coordinates.
  let visible: Rect
  /// The visible rect with the part around it.
  let rect: Rect
  /// The direction in which the user scrolls; only signs matter, and 0 = at rest.
  private let motion: Point
  private let maxItems: Int

  /// The greatest distance of candidates if content scrolls both ways, in viewports.
  private static let distanceBothWays = 1.5

  /// A place in the order of candidates.
  struct Rank: Comparable {
    /// Whether the cell lies against the direction of motion.
    var isBehind: Bool
    /// The distance from the visible rect, in viewports.
    var distance: Double
    var path: IndexPath

    static func < (a: Rank, b: Rank) -> Bool {
      if a.isBehind != b.isBehind { return b.isBehind }
      return a.distance == b.distance ? a.path < b.path : a.distance < b.distance
    }
  }

  /// - Parameter options: as granted, with prefetching on.
  /// - Parameter axis: the axis along which content grows; nil = both or neither.
  /// - Returns: nil = nothing is visible in the viewport.
  init?(_ options: PrefetchOptions, around visible: Rect, motion: Point, axis: ScrollAxis?) {
    guard visible.width > 0, visible.height > 0 else { return nil }
    let limit = axis == nil ? Self.distanceBothWays : PrefetchOptions.greatestDistance
    let ahead = min(options.distanceAhead ?? 1, limit)
    let behind = min(options.distanceBehind ?? 0.5, limit)
    func distances(_ motion: Double) -> (before: Double, after: Double) {
      if motion > 0 { return (behind, ahead) }
      if motion < 0 { return (ahead, behind) }
      return (ahead, ahead)
    }
    let x = distances(motion.x)
    let y = distances(motion.y)
    rect = Rect(
      x: visible.x - x.before * visible.width,
      y: visible.y - y.before * visible.height,
      width: visible.width * (1 + x.before + x.after),
      height: visible.height * (1 + y.before + y.after)
    )
    self.visible = visible
    self.motion = motion
    maxItems = options.maxItems
  }

  /// A cell's place in the order; nil = it is not a candidate.
  ///
  /// - Parameter box: where the cell is drawn.
  private func rank(of cell: LayoutElement, _ box: Rect) -> Rank? {
    guard cell.category == .cell, !cell.isHidden, box.meets(rect), !box.meets(visible) else {
      return nil
    }
    let left = visible.minX - box.maxX
    let right = box.minX - visible.maxX
    let above = visible.minY - box.maxY
    let below = box.minY - visible.maxY
    return Rank(
      isBehind: (motion.x > 0 && left >= 0) || (motion.x < 0 && right >= 0)
        || (motion.y > 0 && above >= 0) || (motion.y < 0 && below >= 0),
      distance: max(0, max(left, right) / visible.width, max(above, below) / visible.height),
      path: cell.indexPath
    )
  }

  /// The first candidates of a buffer, in order.
  private func candidates(in buffer: borrowing ElementBuffer) -> [(rank: Rank, element: Int)] {
    var found: [(rank: Rank, element: Int)] = []
    for (index, element) in buffer.elements.enumerated() {
      let box = buffer.transform(of: element).boundingBox(of: element.frame)
      if let rank = rank(of: element, box) { found.append((rank, index)) }
    }
    found.sort { $0.rank < $1.rank }
    return Array(found.prefix(maxItems))
  }

  /// The candidates of a layout, in order.
  ///
  /// - Complexity: O(log items + elements in the rect · log), with room for `maxItems` elements and
  ///   some.
  /// - Throws: if it takes more than the effort allows.
  func candidates(
    in prepared: any PreparedLayout,
    viewport: Viewport,
    partLimit: Int,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> [LayoutElement] {
    var buffer = ElementBuffer(
      narrowingAt: 2 * maxItems + 1024,
      partLimit: partLimit,
      work: nil
    ) { buffer in
      let kept = candidates(in: buffer)
      let isNarrower = kept.count < buffer.elements.count
      buffer.elements = kept.map { buffer.elements[$0.element] }
      buffer.dropUnusedExtras()
      return isNarrower
    }
    effort.limit(&buffer)
    let isSmall = if case .small = effort { true } else { false }
    let most = isSmall ? SessionCosts.rankingSteps : SessionCosts.prefetchSteps
    buffer.stepLimit = min(buffer.stepLimit, most)
    buffer.wantsCellsOnly = true
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    guard !buffer.isCutShort else { throw FrameTooCostly() }
    return candidates(in: buffer).map { buffer.elements[$0.element] }
  }
}
