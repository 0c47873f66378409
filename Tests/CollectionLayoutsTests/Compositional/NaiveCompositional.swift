// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// A compositional layout computed by placing every group one after the other.
struct NaiveCompositional {
  let layout: CompositionalLayout
  let context: LayoutContext
  var offsets: [Int: Double] = [:]

  private var axis: ScrollAxis { layout.scrollAxis }
  private var whole: Size { context.container.contentSize }
  private var grid: PixelGrid? {
    context.options.isPixelAligned ? PixelGrid(scale: context.container.displayScale) : nil
  }

  /// Elements where they are without pins and effects.
  var reference: Reference {
    var result = Reference()
    let global = boundary(
      layout.boundarySupplementaryItems,
      start: 0,
      length: axis.cross(whole),
      metrics: nil
    )
    var main = global.head
    let contents = context.contents
    for index in 0 ..< contents.sectionCount {
      if index > 0 { main += layout.interSectionSpacing }
      main += section(contents.section(at: index), index, at: main, global: global, &result)
    }
    let total = main + global.tail
    add(
      global,
      at: 0,
      section: 0,
      contentLength: main - global.head,
      promotion: 0,
      to: &result
    )
    result.contentSize = axis.size(main: total, cross: axis.cross(whole))
    result.finish(context.container, context.options)
    return result
  }

  private func section(
    _ section: SectionContents,
    _ index: Int,
    at start: Double,
    global: Boundary,
    _ result: inout Reference
  ) -> Double {
    let entry =
      layout.sections.first { !$0.name.isEmpty && $0.name == section.layoutName }
      ?? layout.sections[index % layout.sections.count]
    let backgrounds = (entry.backgrounds + context.options.sectionBackgrounds)
      .filter { $0.sections?.contains(index) ?? true }
    let promotion = backgrounds.contains { $0.zIndex == 0 } ? 1 : 0
    let insets = entry.contentInsets
    let isOrthogonal = entry.orthogonalScrolling != .none
    let followed = entry.supplementariesFollowContentInsets
    let frame = (
      start: global.sideStart,
      length: max(0, axis.cross(whole) - global.sideStart - global.sideEnd)
    )
    let boundary = boundary(
      entry.boundarySupplementaryItems,
      start: frame.start + (followed ? axis.crossStart(insets) : 0),
      length: frame.length - (followed ? axis.crossStart(insets) + axis.crossEnd(insets) : 0),
      metrics: section.metrics
    )
    let narrow = isOrthogonal ? 0 : axis.crossStart(insets) + axis.crossEnd(insets)
    let cross = max(0, frame.length - boundary.sideStart - boundary.sideEnd - narrow)
    let crossStart =
      frame.start + boundary.sideStart + (isOrthogonal ? 0 : axis.crossStart(insets))
    // Across the axis in which groups follow each other, insets narrow the container.
    let across = isOrthogonal ? axis.mainStart(insets) + axis.mainEnd(insets) : 0
    let container = axis.size(main: max(0, axis.main(whole) - across), cross: cross)
    let bodyStart = start + boundary.head + axis.mainStart(insets)
    var groups: [(box: NaiveGroup.Box, length: Double, breadth: Double, origin: Point)] = []
    let solver = NaiveGroup(grid: grid) { item in
      guard item < section.items.count else { return (nil, nil) }
      let values = section.items.item(at: item)
      return (values.width, values.height)
    }
    let isDown = (axis == .vertical) != isOrthogonal
    var item = 0
    while item < section.items.count {
      let size = solver.resolve(entry.group.size, container)
      let box = solver.group(
        entry.group,
        size: solver.rounded(size, entry.group.size),
        grows: (entry.group.size.width.isEstimated, entry.group.size.height.isEstimated),
        firstItem: item
      )
      if box.cells.isEmpty { break }
      let edges = entry.group.edgeSpacing
      let along = isDown ? (edges.top, edges.bottom) : (edges.leading, edges.trailing)
      let across = isDown ? (edges.leading, edges.trailing) : (edges.top, edges.bottom)
      var length = isDown ? box.size.height : box.size.width
      length += least(along.0) + least(along.1)
      let present = section.items.count - item
      if present < box.cells.count, entry.group.customFrames.isEmpty {
        // A last group that is not full ends as much earlier as its last item does.
        let ends = box.cells.map { isDown ? $0.maxY : $0.maxX }
        let full = ends.reduce(ends[0], max)
        length = max(0, length - (full - ends.prefix(present).reduce(ends[0], max)))
      }
      let breadth = (isDown ? box.size.width : box.size.height) + least(across.0) + least(across.1)
      let room = isDown ? container.width : container.height
      let left = isOrthogonal ? 0 : max(0, room - breadth)
      let sides = (across.0.isElastic ? 1.0 : 0) + (across.1.isElastic ? 1.0 : 0)
      let side = least(across.0) + (across.0.isElastic ? left / sides : 0)
      groups.append(
        (
          box, length, breadth,
          isDown ? Point(x: side, y: least(along.0)) : Point(x: least(along.0), y: side)
        )
      )
      item += box.cells.count
    }
    let stripLength =
      groups.reduce(0.0) { $0 + $1.length }
      + Double(max(0, groups.count - 1)) * entry.interGroupSpacing
    let bodyLength = isOrthogonal ? groups.map(\.breadth).max() ?? 0 : stripLength
    let contentLength =
      groups.isEmpty ? 0 : max(0, axis.mainStart(insets) + bodyLength + axis.mainEnd(insets))
    let length = boundary.head + contentLength + boundary.tail
    // Groups.
    var along = 0.0
    if isOrthogonal {
      var ends = (axis.crossStart(insets), axis.crossEnd(insets))
      if entry.orthogonalScrolling == .groupPagingCentered, let first = groups.first,
        let last = groups.last
      {
        ends = ((axis.cross(whole) - first.length) / 2, (axis.cross(whole) - last.length) / 2)
      }
      let most = max(0, ends.0 + stripLength + ends.1 - axis.cross(whole))
      along = ends.0 - min(max(offsets[index] ?? 0, 0), most)
    }
    item = 0
    var ordinals: [String: Int] = [:]
    for group in groups {
      let shift =
        axis.point(
          main: isOrthogonal ? bodyStart : bodyStart + along,
          cross: isOrthogonal ? along : crossStart
        ) + group.origin
      let count = min(group.box.cells.count, section.items.count - item)
      for cell in 0 ..< count {
        let path = IndexPath(section: index, item: item + cell)
        let kind = context.contents.cellKindNames[section.items.item(at: item + cell).cellKind]
        result.add(.cell, kind, path, group.box.cells[cell].offset(by: shift), zIndex: promotion)
      }
      for badge in group.box.badges {
        var place = item + badge.cell
        if badge.isOfGroup {
          place = ordinals[badge.kind, default: 0]
          ordinals[badge.kind, default: 0] += 1
        }
        guard badge.cell < count else { continue }
        result.add(
          .supplementary,
          badge.kind,
          IndexPath(section: index, item: place),
          badge.frame.offset(by: shift),
          zIndex: badge.zIndex + promotion
        )
      }
      item += count
      along += group.length + entry.interGroupSpacing
    }
    add(
      boundary,
      at: start,
      section: index,
      contentLength: contentLength,
      promotion: promotion,
      to: &result
    )
    if !groups.isEmpty || length > 0 {
      for background in backgrounds {
        let rect = axis.rect(
          AxisRect(
            main: start,
            cross: 0,
            mainLength: length,
            crossLength: axis.cross(whole)
          )
        )
        result.add(
          .decoration,
          background.kind,
          IndexPath(section: index),
          rect.inset(by: background.insets),
          zIndex: background.zIndex,
          custom: background.custom
        )
      }
    }
    return length
  }

  // MARK: - Boundary items

  private struct Boundary {
    var placed:
      [(item: BoundarySupplementaryItem, edge: Int, size: Size, shelf: Double, cross: Double)] = []
    var head = 0.0
    var tail = 0.0
    var sideStart = 0.0
    var sideEnd = 0.0
  }

  /// Edges: 0 = start, 1 = end, 2 = leading, 3 = trailing, 4 = centre.
  private func boundary(
    _ items: [BoundarySupplementaryItem],
    start: Double,
    length: Double,
    metrics: SectionMetrics?
  ) -> Boundary {
    var result = Boundary()
    let solver = NaiveGroup(grid: grid) { _ in (nil, nil) }
    for item in items {
      var size = solver.resolve(item.size, axis.size(main: axis.main(whole), cross: max(0, length)))
      let estimate = size
      let known =
        item.kind == "header"
        ? metrics?.headerSize : item.kind == "footer" ? metrics?.footerSize : nil
      if let known, item.size.width.isEstimated { size.width = known.width }
      if let known, item.size.height.isEstimated { size.height = known.height }
      // Room beside the content keeps to the estimate.
      var side = estimate
      if let grid {
        size = grid.round(size)
        side = grid.round(side)
      }
      let x: Int
      let y: Int
      switch item.alignment ?? .top {
      case .top: (x, y) = (1, 0)
      case .topLeading: (x, y) = (0, 0)
      case .leading: (x, y) = (0, 1)
      case .bottomLeading: (x, y) = (0, 2)
      case .bottom: (x, y) = (1, 2)
      case .bottomTrailing: (x, y) = (2, 2)
      case .trailing: (x, y) = (2, 1)
      case .topTrailing: (x, y) = (2, 0)
      case .center: (x, y) = (1, 1)
      }
      let (main, cross) = axis == .vertical ? (y, x) : (x, y)
      let edge = main == 0 ? 0 : main == 2 ? 1 : [2, 4, 3][cross]
      let position = start + (max(0, length) - axis.cross(size)) * [0, 0.5, 1][cross]
      var shelf = 0.0
      if item.extendsBoundary {
        for other in result.placed where other.edge == edge && other.item.extendsBoundary {
          if other.cross < position + axis.cross(size),
            position < other.cross + axis.cross(other.size)
          {
            shelf = max(shelf, other.shelf + axis.main(other.size))
          }
        }
        switch edge {
        case 0: result.head = max(result.head, shelf + axis.main(size))
        case 1: result.tail = max(result.tail, shelf + axis.main(size))
        case 2: result.sideStart = max(result.sideStart, axis.cross(side))
        case 3: result.sideEnd = max(result.sideEnd, axis.cross(side))
        default: break
        }
      }
      result.placed.append((item, edge, size, shelf, position))
    }
    return result
  }

  private func add(
    _ boundary: Boundary,
    at start: Double,
    section: Int,
    contentLength: Double,
    promotion: Int,
    to result: inout Reference
  ) {
    for placed in boundary.placed {
      let length = axis.main(placed.size)
      let end = boundary.head + contentLength
      var main: Double
      switch placed.edge {
      case 0: main = placed.item.extendsBoundary ? placed.shelf : boundary.head
      case 1: main = placed.item.extendsBoundary ? end + placed.shelf : end - length
      default: main = boundary.head + (contentLength - length) / 2
      }
      main += start
      let frame = axis.rect(
        AxisRect(
          main: main,
          cross: placed.cross,
          mainLength: length,
          crossLength: axis.cross(placed.size)
        )
      )
      result.add(
        .supplementary,
        placed.item.kind,
        IndexPath(section: section),
        frame.offset(by: placed.item.absoluteOffset),
        zIndex: placed.item.zIndex ?? ((placed.item.pinToVisibleBounds ? 10 : 1) + promotion)
      )
    }
  }
}
