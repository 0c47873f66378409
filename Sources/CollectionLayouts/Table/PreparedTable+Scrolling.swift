// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedTable {
  /// The offset that shows an element where nothing covers it: cells below the headers and between
  /// the frozen columns. An element that does not scroll along an axis is seen at any offset along
  /// it.
  func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? {
    var free = viewport
    free.insets.leading += columns.leadingWidth
    free.insets.trailing += columns.trailingWidth
    if !layout.headersScrollAway { free.insets.top += headersHeight }
    var natural = viewport
    natural.rendererPins = true
    guard let frame = attributes(of: key, viewport: natural)?.frame else { return nil }
    let header = header(of: key)
    let column =
      header.map { firstColumn(of: $0) }
      ?? (key.indexPath.item == nil ? nil : columns.column(key.kind))
    var axes: [ScrollAxis] = []
    if header == nil || layout.headersScrollAway { axes.append(.vertical) }
    // Rows are as wide as the content, so there is nothing to scroll to across them.
    if let column, columns.hasFrozen == false || columns.part(of: column) == .scrolling {
      axes.append(.horizontal)
    }
    var offset = viewport.offset
    for axis in axes {
      let line = ScrollLine(axis, viewport: free, contentSize: contentSize)
      let span = line.span(of: frame)
      offset = line.offset(offset, start: line.start(showing: span, position: position))
    }
    return offset
  }

  /// How far the columns in sight have moved, measured at the first scrolling column in sight, or
  /// at the next one that still exists. nil = there is none.
  ///
  /// - Complexity: O(log columns), and more if columns in sight are gone.
  func horizontalShift(from old: any PreparedLayout, viewport: Viewport) -> Double? {
    guard let old = old as? PreparedTable else { return nil }
    let seen = old.span(of: viewport.unobscuredRect)
    let inSight = old.columns.columns(
      in: old.columns.scrolling,
      from: seen.start + old.columns.leadingWidth,
      to: .infinity
    )
    for index in inSight
    where old.columns.edges[index + 1] > seen.start + old.columns.leadingWidth {
      guard let column = columns.column(old.columns.ids[index]),
        columns.part(of: column) == .scrolling
      else { continue }
      let before = old.columns.edges[index]
      let after = columns.edges[column]
      return isMirrored
        ? contentSize.width - after - (old.contentSize.width - before) : after - before
    }
    return nil
  }
}
