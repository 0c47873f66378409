// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Where steps from an item lead, by the rule of the contract: all items are tried.
struct NaiveNeighbors {
  private let prepared: any PreparedLayout
  /// What a viewer sees once the start has been scrolled into view.
  private let shown: Viewport
  private let start: (key: ElementKey, box: Rect)
  /// All items that the focus may move to in a direction, in reading order.
  private let items: [(key: ElementKey, box: Rect)]

  /// - Returns: nil if there is no such element.
  init?(_ prepared: any PreparedLayout, from key: ElementKey, _ viewport: Viewport) {
    self.prepared = prepared
    let shown = prepared.viewport(viewport, showing: key)
    self.shown = shown
    guard let attributes = prepared.attributes(of: key, viewport: shown) else { return nil }
    start = (key, attributes.boundingBox)
    items = prepared.cellKeys.compactMap { other in
      guard let attributes = prepared.attributes(of: other, viewport: shown),
        !attributes.isHidden
      else { return nil }
      let box = attributes.boundingBox
      let section = other.indexPath.section
      if section != key.indexPath.section, let axis = prepared.scrollAxis,
        prepared.sectionOffset(section, viewport: shown) != nil
      {
        let span = axis.axisRect(box)
        let screen = axis.axisRect(shown.rect)
        guard span.crossEnd > screen.cross, span.cross < screen.crossEnd else { return nil }
      }
      return (other, box)
    }
  }

  /// The items that a step may lead to, in reading order: those that are equally good but for the
  /// tolerance.
  func answers(_ step: NeighborStep, tolerance: Double) -> [ElementKey] {
    switch step {
    case .up: nearest(.up, tolerance)
    case .down: nearest(.down, tolerance)
    case .left: nearest(.left, tolerance)
    case .right: nearest(.right, tolerance)
    case .pageUp: page(isForward: false, tolerance)
    case .pageDown: page(isForward: true, tolerance)
    case .next: first(of: prepared.cellKeys.filter { start.key.indexPath < $0.indexPath })
    case .previous:
      first(of: prepared.cellKeys.reversed().filter { $0.indexPath < start.key.indexPath })
    case .first: first(of: prepared.cellKeys)
    case .last: first(of: prepared.cellKeys.reversed())
    }
  }

  // MARK: - Reading order

  /// The first item that is not hidden when it has been scrolled to.
  private func first(of keys: [ElementKey]) -> [ElementKey] {
    let first = keys.first { key in
      let viewport = prepared.viewport(shown, showing: key)
      return prepared.attributes(of: key, viewport: viewport)?.isHidden == false
    }
    return first.map { [$0] } ?? []
  }

  // MARK: - Directions

  private enum Direction {
    case up, down, left, right

    var isHorizontal: Bool { self == .left || self == .right }

    /// A rect with its main axis in the direction, in which coordinates grow.
    func box(_ rect: Rect) -> AxisRect {
      AxisRect(
        main: [.down: rect.minY, .up: -rect.maxY, .right: rect.minX, .left: -rect.maxX][self] ?? 0,
        cross: isHorizontal ? rect.minY : rect.minX,
        mainLength: isHorizontal ? rect.width : rect.height,
        crossLength: isHorizontal ? rect.height : rect.width
      )
    }
  }

  private typealias Candidate = (key: ElementKey, box: AxisRect)

  private func candidates(_ direction: Direction) -> (origin: AxisRect, [Candidate]) {
    let origin = direction.box(start.box)
    let reach = extent(isHorizontal: !direction.isHorizontal)
    let candidates = items.map { ($0.key, direction.box($0.box)) }.filter { _, box in
      box.main > origin.main + 1e-6 && box.mainEnd > origin.mainEnd + 1e-6
        && aside(origin, box) <= reach
    }
    return (origin, candidates)
  }

  /// What the insets leave of the viewport.
  private func extent(isHorizontal: Bool) -> Double {
    let size = shown.unobscuredRect.size
    return max(0, isHorizontal ? size.width : size.height)
  }

  private func overlap(_ origin: AxisRect, _ box: AxisRect) -> Double {
    min(box.crossEnd, origin.crossEnd) - max(box.cross, origin.cross)
  }

  private func aside(_ origin: AxisRect, _ box: AxisRect) -> Double {
    max(0, box.cross - origin.crossEnd, origin.cross - box.crossEnd)
  }

  private func isInLine(_ origin: AxisRect, _ box: AxisRect) -> Bool {
    overlap(origin, box) > 1e-6
      || origin.crossLength == 0 && box.cross <= origin.cross && origin.cross < box.crossEnd
  }

  /// The distance of the draft.
  private func distance(_ origin: AxisRect, _ box: AxisRect, _ direction: Direction) -> Double {
    let along = max(0, box.main - origin.mainEnd)
    let aside = aside(origin, box)
    let way = (along * along + aside * aside).squareRoot()
    let both = max(0, overlap(origin, box))
    let common = max(0, min(box.mainEnd, origin.mainEnd) - box.main) * both
    guard isInLine(origin, box) else {
      let weight: Double = direction.isHorizontal ? 30 : 2
      return way + (aside + origin.crossLength / 2) * weight - common.squareRoot()
    }
    let part = origin.crossLength > 0 ? min(1, both / origin.crossLength) : 1
    return way - 5 * part - common.squareRoot()
  }

  private func nearest(_ direction: Direction, _ tolerance: Double) -> [ElementKey] {
    let (origin, candidates) = candidates(direction)
    return least(of: candidates, tolerance) { distance(origin, $0, direction) }.map(\.key)
  }

  private func least(
    of candidates: [Candidate],
    _ tolerance: Double,
    _ value: (AxisRect) -> Double
  ) -> [Candidate] {
    let values = candidates.map { value($0.box) }
    guard let least = values.min() else { return [] }
    return zip(candidates, values).filter { $0.1 <= least + tolerance }.map(\.0)
  }

  // MARK: - Pages

  private func page(isForward: Bool, _ tolerance: Double) -> [ElementKey] {
    let isHorizontal = prepared.scrollAxis == .horizontal
    let direction: Direction =
      isHorizontal
      ? isForward != shown.isRightToLeft ? .right : .left
      : isForward ? .down : .up
    let (origin, candidates) = candidates(direction)
    let end = origin.main + extent(isHorizontal: isHorizontal) + 1e-6
    let fitting = candidates.filter { $0.box.mainEnd <= end }
    guard !fitting.isEmpty else { return nearest(direction, tolerance) }
    var best = least(of: fitting, 0) { isInLine(origin, $0) ? 0 : 1 }
    best = least(of: best, tolerance) { -$0.main }
    best = least(of: best, tolerance) { aside(origin, $0) }
    best = least(of: best, tolerance) { -max(0, overlap(origin, $0)) }
    return best.map(\.key)
  }
}

extension PreparedLayout {
  /// A viewport after as little scrolling as shows an element, also of its section.
  func viewport(_ viewport: Viewport, showing key: ElementKey) -> Viewport {
    var shown = viewport
    let section = key.indexPath.section
    if let offset = sectionOffset(showing: key, position: .nearest, viewport: viewport) {
      shown.sectionOffsets[section] = offset
    }
    let target = LayoutQueries(self, viewport: shown)
      .scrollTarget(for: .element(key, position: .nearest))
    shown.offset = target?.offset ?? viewport.offset
    return shown
  }
}
