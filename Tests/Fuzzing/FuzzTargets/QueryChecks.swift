// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Asks a prepared layout all that a viewer may ask.
enum QueryChecks {
  static func fault(
    in prepared: any PreparedLayout,
    _ layout: any CollectionLayout,
    isValid: Bool,
    _ reader: inout ByteReader
  ) -> String? {
    let viewport = viewport(&reader)
    _ = prepared.contentSize
    _ = prepared.pageSpacing
    _ = prepared.invalidation(from: viewport, to: self.viewport(&reader))
    if prepared.byteCount < 0 { return "\(prepared.byteCount) bytes" }
    if let fault = elements(of: prepared, viewport, &reader) { return fault }
    if let fault = single(prepared, layout, viewport, &reader) { return fault }
    return targets(prepared, viewport, isValid: isValid, &reader)
  }

  private static func viewport(_ reader: inout ByteReader) -> Viewport {
    Viewport(
      offset: Point(x: reader.number(), y: reader.number()),
      size: reader.chance(70) ? Size(width: 300, height: 400) : reader.size(),
      insets: reader.chance(70) ? .zero : reader.insets(),
      isRightToLeft: reader.flag(),
      sectionOffsets: reader.chance(30) ? [reader.below(4): reader.number()] : [:],
      rendererPins: reader.flag()
    )
  }

  private static func elements(
    of prepared: any PreparedLayout,
    _ viewport: Viewport,
    _ reader: inout ByteReader
  ) -> String? {
    let kinds = prepared.kindNames.count
    for rect in [
      viewport.rect, .everywhere,
      Rect(origin: viewport.offset, size: Size(width: reader.length(), height: reader.length())),
    ] {
      let work = LayoutWork()
      var buffer = ElementBuffer(
        limit: LayoutTarget.Limit.elements,
        stepLimit: LayoutTarget.Limit.querySteps,
        work: work
      )
      prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
      if buffer.elements.count > LayoutTarget.Limit.elements {
        return "\(buffer.elements.count) elements in \(rect)"
      }
      for element in buffer.elements {
        if Int(element.kind) >= kinds { return "kind \(element.kind) of \(kinds)" }
        if Int(element.extra) >= buffer.extras.count { return "extra \(element.extra)" }
        _ = buffer.attributes(of: element).boundingBox
      }
      buffer.sort()
    }
    return nil
  }

  private static func single(
    _ prepared: any PreparedLayout,
    _ layout: any CollectionLayout,
    _ viewport: Viewport,
    _ reader: inout ByteReader
  ) -> String? {
    for _ in 0 ..< 4 {
      let path =
        reader.chance(10)
        ? IndexPath(section: reader.place(1 << 20), item: reader.place(1 << 20))
        : reader.flag()
          ? IndexPath(section: reader.below(7), item: reader.below(60))
          : IndexPath(section: reader.below(7))
      let key = ElementKey(
        category: reader.pick(ElementCategory.allCases),
        kind: reader.flag() ? reader.pick(prepared.kindNames) : "a0",
        indexPath: path
      )
      _ = prepared.attributes(of: key, viewport: viewport)
      _ = prepared.pinRange(of: key, viewport: viewport)
      _ = prepared.scrollOffset(
        showing: key,
        position: reader.pick(ScrollPosition.allCases),
        viewport: viewport
      )
      let contents = prepared.context.contents
      if path.section < contents.sectionCount {
        _ = layout.acceptsMeasurement(of: key, in: contents.section(at: path.section))
      }
      _ = layout.measuredElement(for: key, in: contents)
      _ = LayoutQueries(prepared, viewport: viewport)
        .scrollTarget(for: .element(key, position: reader.pick(ScrollPosition.allCases)))
    }
    return nil
  }

  private static func targets(
    _ prepared: any PreparedLayout,
    _ viewport: Viewport,
    isValid: Bool,
    _ reader: inout ByteReader
  ) -> String? {
    let work = LayoutWork(stepLimit: 4 * LayoutTarget.Limit.querySteps)
    let queries = LayoutQueries(prepared, viewport: viewport, work: work)
    let point = Point(x: reader.number(), y: reader.number())
    // Elements beyond `Rect.everywhere` are in no answer but that of a rect around them.
    if let found = queries.hitTest(point), work.stop == nil, isValid,
      found.attributes.boundingBox.meets(.everywhere),
      prepared.attributes(of: found.key, viewport: queries.viewport) == nil
    {
      return "\(found.key) lies at \(point) and does not exist"
    }
    let target = queries.scrollTarget(
      for: .release(
        proposed: point,
        velocity: Point(x: reader.number(), y: reader.number()),
        section: reader.maybe { $0.index(5) }
      )
    )
    _ = target.map { viewport.clamped($0.offset, contentSize: prepared.contentSize) }
    let start = ElementKey.cell(reader.below(7), reader.below(60), kind: "")
    let step = reader.pick(NeighborStep.allCases)
    let origin = reader.flag() ? NeighborOrigin.point(point) : .element(start)
    let neighbor = queries.scrollTarget(for: .neighbor(of: origin, step: step, position: .nearest))
    if let key = neighbor?.element, work.stop == nil, step != .first, step != .last,
      origin == .element(start), key.indexPath == start.indexPath
    {
      return "\(step) leads from \(start) to itself"
    }
    let bound = 4 * LayoutTarget.Limit.querySteps + LayoutTarget.Limit.slack
    return work.steps > bound ? "\(work.steps) steps of a query" : nil
  }
}
