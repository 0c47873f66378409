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
    let measured = { (kind: String) in context.contents.measuredElements.layout[kind] }
    var global = NaiveBoundary(
      layout.boundarySupplementaryItems,
      axis: axis,
      whole: whole,
      insets: .zero,
      content: 0,
      grid: grid,
      measured: measured
    )
    var main = global.head
    let contents = context.contents
    for index in 0 ..< contents.sectionCount {
      if index > 0 { main += layout.interSectionSpacing }
      main += section(contents.section(at: index), index, at: main, &result)
    }
    global = NaiveBoundary(
      layout.boundarySupplementaryItems,
      axis: axis,
      whole: whole,
      insets: .zero,
      content: main - global.head,
      grid: grid,
      measured: measured
    )
    add(global, at: 0, section: 0, to: &result)
    result.contentSize = axis.size(main: global.length, cross: axis.cross(whole))
    result.finish(context.container, context.options)
    return result
  }

  private func reference(of entry: CompositionalSection) -> InsetsReference {
    for named in [entry.contentInsetsReference, layout.contentInsetsReference]
    where named != .automatic { return named }
    return .safeArea
  }

  /// The insets of boundary elements.
  ///
  /// - Parameter insets: those of the groups.
  private func followed(_ entry: CompositionalSection, _ insets: EdgeInsets) -> EdgeInsets {
    switch entry.supplementaryContentInsetsReference {
    case .automatic: entry.supplementariesFollowContentInsets ? insets : .zero
    case let named: context.container.margins(of: named, axis)
    }
  }

  private func section(
    _ section: SectionContents,
    _ index: Int,
    at start: Double,
    _ result: inout Reference
  ) -> Double {
    let entry =
      layout.sections.first { !$0.name.isEmpty && $0.name == section.layoutName }
      ?? layout.sections[index % layout.sections.count]
    let backgrounds = (entry.backgrounds + context.options.sectionBackgrounds)
      .filter { $0.sections?.contains(index) ?? true }
    let promotion = backgrounds.isEmpty ? 0 : 1
    // What lies outside of the reference is the content's no more.
    let margins = context.container.margins(of: reference(of: entry), axis)
    let insets = entry.contentInsets.adding(margins)
    let isOrthogonal = entry.orthogonalScrolling != .none
    let narrowing = isOrthogonal ? margins : insets
    let narrow = axis.crossStart(narrowing) + axis.crossEnd(narrowing)
    let cross = max(0, axis.cross(whole) - narrow)
    let crossStart = isOrthogonal ? 0 : axis.crossStart(insets)
    // Across the axis in which groups follow each other, insets narrow the container.
    let across = isOrthogonal ? axis.mainStart(insets) + axis.mainEnd(insets) : 0
    let container = axis.size(main: max(0, axis.main(whole) - across), cross: cross)
    var groups: [(box: NaiveGroup.Box, length: Double, breadth: Double, origin: Point)] = []
    let solver = NaiveGroup(grid: grid) { item in
      guard item < section.items.count else { return (nil, nil) }
      let values = section.items.item(at: item)
      return (values.width, values.height)
    }
    let isDown = (axis == .vertical) != isOrthogonal
    let boxes = NaiveGroup.sharing(entry.group, solver) { solver in
      var boxes: [NaiveGroup.Box] = []
      var item = 0
      while item < section.items.count {
        let size = solver.resolve(entry.group.size, container)
        let box = solver.group(
          entry.group,
          size: solver.rounded(size, entry.group.size),
          container: container,
          grows: (entry.group.size.width.isEstimated, entry.group.size.height.isEstimated),
          firstItem: item,
          place: solver.place(of: entry.group)
        )
        if box.cells.isEmpty { break }
        boxes.append(box)
        item += box.cells.count
      }
      return boxes
    }
    var item = 0
    for box in boxes {
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
    let isShown = !groups.isEmpty || !entry.boundarySupplementaryItems.isEmpty
    let boundary = NaiveBoundary(
      entry.boundarySupplementaryItems,
      axis: axis,
      whole: whole,
      insets: followed(entry, insets),
      content: isShown ? max(0, axis.mainStart(insets) + bodyLength + axis.mainEnd(insets)) : 0,
      grid: grid
    ) { kind in
      switch kind {
      case "header": section.metrics.headerSize
      case "footer": section.metrics.footerSize
      default: section.measured.sizes[kind]
      }
    }
    let bodyStart = start + boundary.head + axis.mainStart(insets)
    let length = boundary.length
    // Groups.
    var along = 0.0
    if isOrthogonal {
      let visible = max(0, axis.cross(whole) - axis.crossStart(insets) - axis.crossEnd(insets))
      var range = (least: 0.0, most: max(0, stripLength - visible))
      if entry.orthogonalScrolling == .groupPagingCentered, let first = groups.first,
        let last = groups.last
      {
        range.least = (first.length - visible) / 2
        range.most = stripLength - last.length + (last.length - visible) / 2
      }
      let offset = min(max(offsets[index] ?? range.least, range.least), range.most)
      along = axis.crossStart(insets) - offset
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
          place = ordinals[badge.item.kind, default: 0]
          ordinals[badge.item.kind, default: 0] += 1
        }
        guard badge.cell < count else { continue }
        let measured = badge.isOfGroup ? section.measured.onGroups : section.measured.onItems
        result.add(
          .supplementary,
          badge.item.kind,
          IndexPath(section: index, item: place),
          solver.frame(of: badge, measured: measured[badge.item.kind]?[place]).offset(by: shift),
          zIndex: badge.item.zIndex + promotion
        )
      }
      item += count
      along += group.length + entry.interGroupSpacing
    }
    add(boundary, at: start, section: index, to: &result)
    if isShown {
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

  /// Boundary elements at their natural places.
  private func add(
    _ boundary: NaiveBoundary,
    at start: Double,
    section: Int,
    to result: inout Reference
  ) {
    for placed in boundary.placed {
      var frame = placed.frame
      frame.main += start
      let own = placed.item.zIndex ?? 1
      result.add(
        .supplementary,
        placed.item.kind,
        IndexPath(section: section),
        axis.rect(frame),
        zIndex: placed.item.pinToVisibleBounds ? own + 1_000_000_000 : own
      )
    }
  }
}
