// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension GroupSolver {
  /// Places the sized subitems of a group, and shares the room left over among flexible spacings.
  ///
  /// - Parameter inner: the group's rectangle less its insets.
  mutating func place(
    _ subitems: [Subitem],
    of group: LayoutGroup,
    axis: LayoutGroup.Axis,
    in inner: Rect
  ) {
    let gaps = max(0, subitems.count - 1)
    let spacing = DimensionResolver.length(group.interitemSpacing.minimum)
    var used = Double(gaps) * spacing
    var flexible = group.interitemSpacing.isFlexible ? gaps : 0
    for subitem in subitems {
      let edges = axis.edges(group.subitems[subitem.position].edgeSpacing)
      used += axis.main(subitem.size) + Self.minimum(edges)
      flexible += (edges.start.isFlexible ? 1 : 0) + (edges.end.isFlexible ? 1 : 0)
    }
    let share = flexible > 0 ? max(0, axis.main(inner.size) - used) / Double(flexible) : 0
    func length(_ spacing: LayoutSpacing, share: Double) -> Double {
      DimensionResolver.length(spacing.minimum) + (spacing.isFlexible ? share : 0)
    }
    var main = 0.0
    for subitem in subitems {
      let edges = group.subitems[subitem.position].edgeSpacing
      let along = axis.edges(edges)
      let across = axis.crossEdges(edges)
      let left = axis.cross(inner.size) - axis.cross(subitem.size) - Self.minimum(across)
      let sides = (across.start.isFlexible ? 1.0 : 0) + (across.end.isFlexible ? 1.0 : 0)
      let cross = length(across.start, share: sides > 0 ? max(0, left) / sides : 0)
      main += length(along.start, share: share)
      put(subitem, of: group, at: axis.point(main: main, cross: cross) + inner.origin)
      main += axis.main(subitem.size) + length(along.end, share: share)
      main += length(group.interitemSpacing, share: share)
    }
  }

  /// Moves a subitem's cells and badges to its place; an item gets its insets and badges there.
  private mutating func put(_ subitem: Subitem, of group: LayoutGroup, at origin: Point) {
    guard case .item(let item) = group.subitems[subitem.position] else {
      for index in subitem.cells { cells[index] = cells[index].offset(by: origin) }
      for index in subitem.badges { badges[index].frame = badges[index].frame.offset(by: origin) }
      return
    }
    var insets = DimensionResolver.insets(item.contentInsets)
    if item.size.width.isEstimated { (insets.leading, insets.trailing) = (0, 0) }
    if item.size.height.isEstimated { (insets.top, insets.bottom) = (0, 0) }
    let frame = Rect(origin: origin, size: subitem.size).inset(by: insets)
    cells[subitem.cells.lowerBound] = frame
    addBadges(
      item.supplementaryItems,
      host: frame,
      fractionsOf: frame.size,
      cell: subitem.cells.lowerBound,
      isOfGroup: false
    )
  }

  /// Places the badges on a group. As recorded from UIKit, their fractions are of what contains the
  /// group, not of the group.
  mutating func addBadges(of group: LayoutGroup, host: Rect, in container: Size, cell: Int) {
    addBadges(
      group.supplementaryItems,
      host: host,
      fractionsOf: container,
      cell: cell,
      isOfGroup: true
    )
  }

  /// Places the badges on an item or a group.
  ///
  /// - Parameter whole: the size of which the badges' fractions are taken.
  /// - Parameter cell: the item, or the first item of the group, counted in the outermost group.
  private mutating func addBadges(
    _ items: [AnchoredSupplementaryItem],
    host: Rect,
    fractionsOf whole: Size,
    cell: Int,
    isOfGroup: Bool
  ) {
    guard cell < cells.count else { return }
    for item in items.prefix(Limit.badgesPerHost) {
      guard let kind = kinds[item.kind] else { continue }
      let pivot = DimensionResolver.pivot(of: item)
      badges.append(
        Badge(
          frame: DimensionResolver.frame(of: item, on: host, fractionsOf: whole, grid: pixelGrid),
          kind: kind,
          zIndex: Int32(clamping: item.zIndex),
          cell: cell,
          isOfGroup: isOfGroup,
          pivot: (
            item.size.width.isEstimated ? pivot.x : nil,
            item.size.height.isEstimated ? pivot.y : nil
          )
        )
      )
    }
  }

  /// Appends the cells of a group with custom frames.
  mutating func layOutCustom(_ group: LayoutGroup) {
    let frames = group.customFrames.prefix(max(0, Limit.itemsPerGroup - cells.count))
    // Without this, a group that repeats such a subgroup could go on without end.
    spend(frames.count / 8)
    for frame in frames {
      cells.append(
        Rect(
          x: DimensionResolver.distance(frame.x),
          y: DimensionResolver.distance(frame.y),
          width: DimensionResolver.length(frame.width),
          height: DimensionResolver.length(frame.height)
        )
      )
    }
  }
}
