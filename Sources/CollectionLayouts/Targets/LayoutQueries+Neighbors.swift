// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LayoutQueries {
  /// The item that a step leads to, and the offset that shows it. If the step leads nowhere, it is
  /// the viewport's own offset without an element. nil if the element where the step begins does
  /// not exist.
  ///
  /// - Parameter position: where in the viewport the item should be seen.
  /// - Complexity: that of queries around the origin. Nothing farther away than the item is looked
  ///   at, except for empty sections between two items.
  func neighbor(
    of origin: NeighborOrigin,
    step: NeighborStep,
    position: ScrollPosition
  ) -> ScrollTarget? {
    let found: ElementKey?
    switch origin {
    case .element(let key):
      // Attributes may depend on the offset; it takes those at which the element is seen.
      guard let shown = showing(key, position: .nearest),
        let attributes = shown.attributes(of: key)
      else { return nil }
      let focus = prepared.focus(
        step,
        from: key,
        viewport: shown.viewport,
        work: work ?? .unlimited
      )
      switch focus {
      case .to(let next)?: found = next
      case .nowhere?: found = nil
      case nil: found = shown.item(step, from: attributes.boundingBox, path: key.indexPath)
      }
    case .point(let point):
      // Without an item at the point there is none before or after it.
      let path = hitTest(point).flatMap { $0.key.category == .cell ? $0.key.indexPath : nil }
      found = item(step, from: Rect(origin: point, size: .zero), path: path)
    case .nowhere: found = item(step, from: nil, path: nil)
    }
    guard let found, let view = showing(found, position: position)?.viewport,
      let attributes = shown.attributes(of: found, viewport: view, work: work ?? .unlimited)
    else { return ScrollTarget(offset: viewport.offset) }
    let path = found.indexPath
    let contents = prepared.context.contents
    return ScrollTarget(
      offset: view.offset,
      element: found,
      sectionOffset: prepared.sectionOffset(path.section, viewport: view),
      neighbor: Neighbor(
        attributes: attributes,
        itemKey: contents.key(at: path) ?? "",
        outline: contents.outlinePosition(ofRow: path).map { OutlineMark($0) } ?? .none
      )
    )
  }

  private func item(_ step: NeighborStep, from box: Rect?, path: IndexPath?) -> ElementKey? {
    switch step {
    case .next: path.flatMap { item(after: $0) }
    case .previous: path.flatMap { item(before: $0) }
    case .first: item(after: nil)
    case .last: item(before: nil)
    case .up: neighbor(of: box, in: path?.section, toward: .up)
    case .down: neighbor(of: box, in: path?.section, toward: .down)
    case .left: neighbor(of: box, in: path?.section, toward: .left)
    case .right: neighbor(of: box, in: path?.section, toward: .right)
    case .pageUp: page(from: box, in: path?.section, isForward: false)
    case .pageDown: page(from: box, in: path?.section, isForward: true)
    }
  }

  /// Queries with the section of the element, and the viewport, scrolled so that the element is
  /// seen, and without scroll effects; nil if it does not exist.
  private func showing(_ key: ElementKey, position: ScrollPosition) -> LayoutQueries? {
    guard let target = element(key, position: position) else { return nil }
    var shown = viewport
    if let offset = target.sectionOffset { shown.sectionOffsets[key.indexPath.section] = offset }
    shown.offset = target.offset
    return LayoutQueries(prepared, viewport: shown, work: work)
  }

  // MARK: - Directions

  private func neighbor(
    of box: Rect?,
    in section: Int?,
    toward direction: SpatialDirection
  ) -> ElementKey? {
    box.flatMap { DirectionSearch(self, from: $0, in: section, toward: direction).nearest }
  }

  private func page(from box: Rect?, in section: Int?, isForward: Bool) -> ElementKey? {
    guard let box else { return nil }
    let axis = prepared.scrollAxis ?? .vertical
    let isReversed = axis == .horizontal && viewport.isRightToLeft
    let direction = SpatialDirection(axis: axis, isForward: isForward != isReversed)
    let search = DirectionSearch(self, from: box, in: section, toward: direction)
    return search.farthestOnPage ?? search.nearest
  }

  // MARK: - Reading order

  /// The first item after a place in the order of index paths that is not hidden when it is
  /// scrolled to; nil = of all.
  private func item(after path: IndexPath?) -> ElementKey? {
    let contents = prepared.context.contents
    var section = path?.section ?? 0
    var item = path.map { ($0.item ?? -1) + 1 } ?? 0
    while section < contents.sectionCount, work?.proceed(1) ?? true {
      let count = contents.section(at: section).items.count
      while item < count, work?.proceed(Self.stepsPerItem) ?? true {
        if let key = visibleItem(at: IndexPath(section: section, item: item)) { return key }
        item += 1
      }
      section += 1
      item = 0
    }
    return nil
  }

  /// The last item before a place in the order of index paths that is not hidden when it is
  /// scrolled to; nil = of all.
  private func item(before path: IndexPath?) -> ElementKey? {
    let contents = prepared.context.contents
    var section = path?.section ?? contents.sectionCount - 1
    var end = path.map { $0.item ?? 0 }
    while section >= 0, section < contents.sectionCount, work?.proceed(1) ?? true {
      var item = (end ?? contents.section(at: section).items.count) - 1
      while item >= 0, work?.proceed(Self.stepsPerItem) ?? true {
        if let key = visibleItem(at: IndexPath(section: section, item: item)) { return key }
        item -= 1
      }
      section -= 1
      end = nil
    }
    return nil
  }

  private static let stepsPerItem = 32

  private func visibleItem(at path: IndexPath) -> ElementKey? {
    guard let key = prepared.cellKey(at: path), let shown = showing(key, position: .nearest),
      let attributes = shown.attributes(of: key), !attributes.isHidden
    else { return nil }
    return key
  }
}
