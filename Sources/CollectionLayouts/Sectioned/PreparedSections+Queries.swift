// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension PreparedSections {
  /// Appends the elements of the whole layout and of all sections that the rect may touch.
  public func appendElements(
    in rect: Rect,
    viewport: Viewport,
    to buffer: inout ElementBuffer
  ) {
    var sink = makeSink(rect: rect, viewport: viewport)
    swap(&buffer, &sink.buffer)
    for element in globalElements { sink.append(element) }
    let span = placement.searchSpan(rect)
    let first = firstSection(endingAfter: span.main - overhang.end)
    let end = span.mainEnd + overhang.start
    sections.forEach(in: first ..< sectionCount) { node, index, before in
      let start = start(after: before)
      // The end of a rect is not part of it, so a section that starts there has nothing in it.
      guard start < end else { return false }
      appendSection(node.solved, index: index, start: start, span: span, to: &sink)
      return sink.visit(1 + node.solved.elements.count) && !sink.isFull
    }
    swap(&buffer, &sink.buffer)
  }

  /// The attributes of one element, pinned as the viewport pins it; nil if no such element exists.
  ///
  /// - Complexity: O(log sections + log items)
  public func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    let buffer = single(key, viewport: viewport)
    return buffer.elements.first.map(buffer.attributes(of:))
  }

  /// As `attributes(of:viewport:)`, but within limits: if items share a line, the place of one
  /// depends on those before it in the line.
  ///
  /// - Complexity: O(log sections + log items + items of the line)
  public func attributes(
    of key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> LayoutAttributes? {
    let buffer = single(key, viewport: viewport, work: work)
    return buffer.elements.first.map(buffer.attributes(of:))
  }

  /// The range in which the renderer may move a pinned element; nil for other elements.
  public func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? {
    guard key.category != .cell else { return nil }
    var viewport = viewport
    viewport.rendererPins = true
    let buffer = single(key, viewport: viewport)
    return buffer.elements.first.flatMap(buffer.pin(of:))
  }

  /// The section without items in whose extent along the scroll axis a point lies; nil = none.
  ///
  /// - Complexity: O(log sections)
  public func emptySection(at point: Point) -> Int? {
    let span = placement.axisRect(Rect(origin: point, size: .zero))
    let index = firstSection(endingAfter: span.main)
    guard let (solved, start) = section(at: index), solved.itemCount == 0, span.main >= start,
      span.main < start + solved.length
    else { return nil }
    return index
  }

  private func makeSink(rect: Rect, viewport: Viewport, work: LayoutWork? = nil) -> ElementSink {
    var sink = ElementSink(
      buffer: ElementBuffer(work: work),
      rect: rect,
      placement: placement,
      viewport: viewport,
      kindBase: context.contents.cellKindNames.count
    )
    sink.cellKindNames = context.contents.cellKindNames
    return sink
  }

  private func appendSection(
    _ solved: SolvedSection,
    index: Int,
    start: Double,
    span: AxisRect,
    to sink: inout ElementSink
  ) {
    sink.section = index
    sink.mainOrigin = start
    sink.crossOrigin = 0
    if solved.hasBackgrounds, !backgrounds.isEmpty {
      backgrounds.forEach(of: index) { background, kind in
        let kind = backgroundKinds[kind]
        // Both would have the same key.
        guard !solved.elements.contains(where: { $0.category == .decoration && $0.kind == kind })
        else { return }
        sink.append(backgroundElement(background, kind: kind, of: solved))
      }
    }
    for element in solved.elements { sink.append(element) }
    guard let body = solved.body else { return }
    sink.mainOrigin = start + solved.bodyMain
    sink.crossOrigin = solved.bodyCross
    var inBody = span
    inBody.main -= sink.mainOrigin
    inBody.cross -= sink.crossOrigin
    let count = sink.buffer.elements.count
    let narrowings = sink.buffer.narrowings
    body.appendElements(in: inBody, to: &sink)
    assignCellKinds(
      // If the buffer of a search was narrowed in the call, elements from before have gone and the
      // new ones may be anywhere in it.
      from: sink.buffer.narrowings == narrowings ? count : 0,
      section: index,
      in: &sink.buffer
    )
  }

  /// A background as an element of a section.
  ///
  /// - Parameter kind: index into `ownKinds`.
  private func backgroundElement(
    _ background: SectionBackground,
    kind: Int,
    of solved: SolvedSection
  ) -> SectionElement {
    // In axis space leading is always the start edge; the finished layout is mirrored later.
    var frame = AxisRect(
      main: 0,
      cross: 0,
      mainLength: solved.length,
      crossLength: environment.crossLength
    )
    if solved.backgroundsCoverBody {
      frame = AxisRect(
        main: solved.bodyMain,
        cross: solved.bodyCross,
        mainLength: solved.body?.length ?? 0,
        crossLength: solved.crossLength - 2 * solved.bodyCross
      )
    }
    let rect = environment.axis.rect(frame).inset(by: background.insets)
    return SectionElement(
      category: .decoration,
      kind: kind,
      frame: environment.axis.axisRect(rect),
      zIndex: Int32(clamping: background.zIndex),
      custom: background.custom
    )
  }

  /// Fills in the kinds of cells, which bodies do not know. Most contents have only one kind.
  ///
  /// - Parameter start: the index of the first element to look at.
  private func assignCellKinds(from start: Int, section: Int, in buffer: inout ElementBuffer) {
    guard context.contents.cellKindNames.count > 1, start < buffer.elements.count else { return }
    let items = context.contents.section(at: section).items
    var chunk: ItemChunk?
    var range = 0 ..< 0
    for index in start ..< buffer.elements.count where buffer.elements[index].category == .cell {
      let path = buffer.elements[index].indexPath
      guard path.section == section, let item = path.item, item < items.count else { continue }
      if !range.contains(item) {
        let found = items.chunk(containing: item)
        chunk = found.chunk
        range = found.start ..< found.start + found.chunk.count
      }
      guard let chunk else { continue }
      buffer.elements[index].kind = UInt16(
        truncatingIfNeeded: chunk.cellKinds.value(at: item - range.lowerBound)
      )
    }
  }

  /// A buffer with the element that the key names, wherever it is; an empty buffer if there is
  /// none.
  private func single(
    _ key: ElementKey,
    viewport: Viewport,
    work: LayoutWork? = nil
  ) -> ElementBuffer {
    let everywhere = Rect.everywhere
    let index = key.indexPath.section
    var sink = makeSink(rect: everywhere, viewport: viewport, work: work)
    guard let (solved, start) = section(at: index) else {
      // Elements of the whole layout have section 0 in their paths, even if there are no sections.
      appendGlobal(key, to: &sink)
      return sink.buffer
    }
    sink.section = index
    sink.mainOrigin = start
    if let item = key.indexPath.item {
      guard let body = solved.body else { return sink.buffer }
      sink.mainOrigin = start + solved.bodyMain
      sink.crossOrigin = solved.bodyCross
      if key.category == .cell {
        guard item < solved.itemCount, isKind(key.kind, ofCell: item, section: index) else {
          return sink.buffer
        }
        body.appendElement(.cell, kind: 0, item: item, to: &sink)
        assignCellKinds(from: 0, section: index, in: &sink.buffer)
      } else if let kind = ownKind(named: key.kind) {
        body.appendElement(key.category, kind: kind, item: item, to: &sink)
      }
    } else if let kind = ownKind(named: key.kind) {
      if let element = solved.elements.first(where: {
        $0.category == key.category && $0.kind == kind
      }
      ) {
        sink.append(element)
      } else if key.category == .decoration, solved.hasBackgrounds,
        let background = backgrounds.background(ofKind: key.kind, section: index)
      {
        sink.append(backgroundElement(background, kind: kind, of: solved))
      } else {
        appendGlobal(key, to: &sink)
      }
    }
    return sink.buffer
  }

  /// Takes the element of the whole layout that the key names, if there is one.
  private func appendGlobal(_ key: ElementKey, to sink: inout ElementSink) {
    guard key.indexPath == IndexPath(section: 0), let kind = ownKind(named: key.kind),
      let element = globalElements.first(where: { $0.category == key.category && $0.kind == kind })
    else { return }
    sink.section = 0
    sink.mainOrigin = 0
    sink.crossOrigin = 0
    sink.append(element)
  }

  /// Whether a cell has this kind. "" stands for any kind.
  private func isKind(_ kind: String, ofCell item: Int, section: Int) -> Bool {
    guard !kind.isEmpty else { return true }
    let names = context.contents.cellKindNames
    let values = context.contents.item(at: IndexPath(section: section, item: item))
    guard let values, names.indices.contains(values.cellKind) else { return false }
    return names[values.cellKind] == kind
  }
}

extension Rect {
  /// Farther from the content's origin than whatever a layout can place, in points: layouts limit
  /// the distance from one item to the next to 2⁸⁰ at most, and there are fewer than 2³² items.
  static let farthest = 0x1p120

  /// A rect that contains whatever a layout can place. It is finite, so that its edges can be
  /// computed with.
  public static let everywhere = Rect(
    x: -farthest,
    y: -farthest,
    width: 2 * farthest,
    height: 2 * farthest
  )
}
