// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A line of equal items in closed form: its memory grows with the sections, not with the items.
struct PreparedLine: PreparedLayout {
  let context: LayoutContext
  let contentSize: Size
  let backgrounds: SectionBackgrounds

  let layout: LineLayout
  let sections: [LineSection]
  /// The indices of the sections that have items, ascending.
  let populated: [Int]
  /// The greatest distance in points by which insets let items and backgrounds stick out of their
  /// section.
  private let overhang: Double
  /// The size of every item, rounded to whole pixels if the layout is pixel-aligned.
  let itemSize: Size
  private let grid: PixelGrid?
  let kinds: CellKinds

  init(_ layout: LineLayout, _ context: LayoutContext) {
    self.context = context
    self.layout = layout
    let axis = layout.scrollDirection
    let grid = context.pixelGrid
    self.grid = grid
    itemSize = grid?.round(layout.itemSize) ?? layout.itemSize
    let extent = axis.main(itemSize)
    let room = axis.cross(context.container.contentSize)

    var sections: [LineSection] = []
    sections.reserveCapacity(context.contents.sectionCount)
    var populated: [Int] = []
    backgrounds = SectionBackgrounds(context.options)
    let behind = backgrounds.overhang(along: axis)
    var overhang = max(behind.start, behind.end)
    var end = 0.0
    let crossExtent = axis.cross(itemSize)
    context.contents.forEachSection(in: 0 ..< context.contents.sectionCount) { index, section in
      let inset = section.metrics.inset ?? layout.sectionInset
      let pitch = max(0, extent + (section.metrics.lineSpacing ?? layout.lineSpacing))
      let count = section.items.count
      let length = count == 0 ? 0 : Double(count - 1) * pitch + extent
      let itemStart = end + axis.mainStart(inset)
      let itemEnd = itemStart + length
      let free = room - axis.crossStart(inset) - axis.crossEnd(inset) - crossExtent
      let start = end
      end = max(start, itemEnd + axis.mainEnd(inset))
      sections.append(
        LineSection(
          start: start,
          end: end,
          itemStart: itemStart,
          pitch: pitch,
          count: count,
          cross: axis.crossStart(inset) + free / 2
        )
      )
      if count > 0 {
        populated.append(index)
        overhang = max(overhang, start - itemStart, itemEnd - end)
      }
      return true
    }
    self.sections = sections
    self.populated = populated
    self.overhang = overhang
    contentSize = axis.size(main: end, cross: room)
    kinds = CellKinds(context.contents)
  }

  var kindNames: [String] { context.contents.cellKindNames + backgrounds.kinds }
  func kindName(_ number: Int) -> String? { kindName(number, own: backgrounds.kinds) }
  var scrollAxis: ScrollAxis? { layout.scrollDirection }
  var scrollDependence: ScrollDependence { .everything }
  var pageSpacing: Double { layout.lineSpacing }
  var byteCount: Int {
    MemoryLayout<PreparedLine>.stride + context.options.byteCount
      + sections.count * MemoryLayout<LineSection>.stride
      + populated.count * MemoryLayout<Int>.stride
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let axis = layout.scrollDirection
    let span = axis.axisRect(mirrored(rect))
    let extent = axis.main(itemSize)
    // Half of what magnification may add to an item's length.
    let magnified = max(0, abs(1 + layout.zoomFactor) - 1) * extent / 2
    let margin = magnified + overhang + grid.slack
    let lowest = span.main - margin
    let highest = span.mainEnd + margin
    var index = firstSection(endingAtOrAfter: lowest)
    while index < sections.count, sections[index].start <= highest {
      let section = sections[index]
      for item in section.items(from: lowest, through: highest, extent: extent) {
        guard buffer.visit(1) else { return }
        let path = IndexPath(section: index, item: item)
        let attributes = attributes(ofItem: item, in: section, viewport: viewport)
        guard attributes.boundingBox.meets(rect) else { continue }
        buffer.append(attributes, category: .cell, kind: kinds.kind(at: path), indexPath: path)
        if buffer.isFull { return }
      }
      appendBackgrounds(of: index, in: rect, to: &buffer)
      guard buffer.visit(1), !buffer.isFull else { return }
      index += 1
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    if key.category == .decoration { return backgroundAttributes(of: key) }
    guard kinds.contains(key), let item = key.indexPath.item else { return nil }
    return attributes(ofItem: item, in: sections[key.indexPath.section], viewport: viewport)
  }

  /// Items follow each other along the line, whatever their magnification.
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress? {
    guard axis == layout.scrollDirection else { return nil }
    let extent = axis.main(itemSize)
    var rank = populatedRank(of: firstSection(endingAtOrAfter: place - overhang))
    while rank < populated.count, work.proceed(1) {
      let section = sections[populated[rank]]
      let extents = EqualExtents(
        start: section.itemStart,
        length: extent,
        step: section.pitch,
        count: section.count
      )
      let item = extents.first(endingAfter: place)
      if item < section.count {
        return ItemProgress(
          passed: context.contents.itemCount(before: populated[rank]) + item,
          item: IndexPath(section: populated[rank], item: item)
        )
      }
      rank += 1
    }
    return ItemProgress(passed: context.contents.itemCount, item: nil, section: populated.last)
  }

  func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? {
    axis == layout.scrollDirection ? sections[section].start : nil
  }

  // MARK: - Places

  var isReversed: Bool {
    context.container.isRightToLeft && layout.scrollDirection == .horizontal
  }

  /// Converts between content coordinates and those in which the line is solved, in both
  /// directions.
  func mirrored(_ rect: Rect) -> Rect {
    context.container.isRightToLeft ? rect.mirrored(inWidth: contentSize.width) : rect
  }

  func frame(ofItem item: Int, in section: LineSection) -> Rect {
    let axis = layout.scrollDirection
    let frame = mirrored(
      axis.rect(
        AxisRect(
          main: section.itemStart + Double(item) * section.pitch,
          cross: section.cross,
          mainLength: axis.main(itemSize),
          crossLength: axis.cross(itemSize)
        )
      )
    )
    guard let grid else { return frame }
    return Rect(origin: grid.round(frame.origin), size: itemSize)
  }

  private func attributes(
    ofItem item: Int,
    in section: LineSection,
    viewport: Viewport
  ) -> LayoutAttributes {
    let axis = layout.scrollDirection
    let frame = frame(ofItem: item, in: section)
    let distance = abs(axis.main(viewport.rect.center) - axis.main(frame.center))
    guard distance < layout.activeDistance else { return LayoutAttributes(frame: frame) }
    let zoom = 1 + layout.zoomFactor * (1 - distance / layout.activeDistance)
    return LayoutAttributes(frame: frame, transform: .scale(zoom), zIndex: 1)
  }

  private func firstSection(endingAtOrAfter place: Double) -> Int {
    sections.partitioningIndex { !($0.end < place) }
  }

  /// The sections with items among which the nearest item must be: those that meet the place, and
  /// the next one on either side.
  func populatedSections(around place: Double) -> ArraySlice<Int> {
    let from = firstSection(endingAtOrAfter: place - overhang)
    let to = firstSection(endingAtOrAfter: (place + overhang).nextUp)
    let (low, high) = (populatedRank(of: from) - 1, populatedRank(of: to) + 2)
    return populated[max(0, low) ..< min(populated.count, high)]
  }

  /// The number of sections with items before a section.
  private func populatedRank(of section: Int) -> Int {
    populated.partitioningIndex { $0 >= section }
  }
}
