// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// Which elements the next frame shows.
extension ViewportSession {
  /// Fills the scratch buffer with the elements of `rect`, with the session's kind numbers.
  ///
  /// - Parameter lookedUp: the viewport for which elements are looked up: the client's, but for the
  ///   offsets of sections that the renderer scrolls.
  /// - Parameter axis: the axis along which content grows; nil = both or neither.
  /// - Returns: the rect in which the elements are complete.
  mutating func look(
    at box: LayoutBox,
    in rect: Rect,
    axis: ScrollAxis?,
    _ lookedUp: Viewport,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> Rect {
    let coverage = try query(box, in: rect, axis: axis, lookedUp, effort)
    followKinds(of: box)
    kindMap?.apply(to: &scratch.buffer.elements)
    try showHeldElements(in: seen(box), effort)
    markOutlines()
    if rendererApplies(box) { markElementsScrollingAcross(in: box) }
    return coverage
  }

  /// Whether a layout has many kinds that may be new.
  func bringsManyKinds(_ box: LayoutBox) -> Bool {
    (isKindMapStale || kindMap == nil) && box.value.kindNames.count > SessionLimits.fewKinds
  }

  /// Gives the kinds of a layout their numbers, unless they are those of the layout before.
  private mutating func followKinds(of box: LayoutBox) {
    guard isKindMapStale || kindMap == nil else { return }
    isKindMapStale = false
    let names = box.value.kindNames
    // Versions of a layout with thousands of kinds share the array, which makes this fast.
    if let kindMap, kindMap.names == names { return }
    kindMap = KindMap(names, kinds.numbers(of: names))
  }

  /// Queries `rect`, or as much of it, from the visible start on, as has at most `maxElements`
  /// elements.
  ///
  /// A rect of up to 16,384 points is queried at once. In a longer one the queried part grows step
  /// by step, so that a viewport of a million points does not fetch a million elements only to drop
  /// them.
  ///
  /// - Returns: the part that was queried.
  private mutating func query(
    _ box: LayoutBox,
    in rect: Rect,
    axis: ScrollAxis?,
    _ lookedUp: Viewport,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> Rect {
    let axis = axis ?? .vertical
    let length = axis.main(rect.size)
    var extent = min(length, 16_384)
    var part = try fetch(box, extent, of: rect, axis, lookedUp, effort)
    while scratch.buffer.elements.count <= maxElements, extent < length {
      extent = min(length, extent * 4)
      part = try fetch(box, extent, of: rect, axis, lookedUp, effort)
    }
    while scratch.buffer.elements.count > maxElements, extent > 0.001 {
      extent /= 2
      part = try fetch(box, extent, of: rect, axis, lookedUp, effort)
    }
    // Too many elements at the same place: the frame gets as many as it may have.
    scratch.buffer.elements.removeLast(max(0, scratch.buffer.elements.count - maxElements))
    return part
  }

  /// Queries a part of `rect` that is `extent` points long and starts where the visible rect does,
  /// if that leaves it within `rect`.
  private mutating func fetch(
    _ box: LayoutBox,
    _ extent: Double,
    of rect: Rect,
    _ axis: ScrollAxis,
    _ lookedUp: Viewport,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> Rect {
    var part = rect
    var span = axis.axisRect(rect)
    if extent < span.mainLength {
      let start = max(axis.main(viewport.offset), span.main)
      span.main = max(span.main, min(start, span.mainEnd - extent))
      span.mainLength = extent
      part = axis.rect(span)
    }
    effort.limit(&scratch.buffer)
    let most = min(maxElements, effort.elementLimit ?? .max)
    // One element more than allowed tells that there are too many.
    scratch.buffer.limit = most &+ 1
    // A renderer that applies effects needs all elements that these can move into the part.
    let reach = rendererApplies(box) ? box.effects.reach : 0
    seen(box).appendElements(
      in: widened(part.widened(by: reach), for: box),
      viewport: lookedUp,
      to: &scratch.buffer
    )
    scratch.buffer.limit = .max
    scratch.buffer.work = nil
    let isWithinEffort = most == maxElements || scratch.buffer.elements.count <= most
    guard !scratch.buffer.isCutShort, isWithinEffort else { throw FrameTooCostly() }
    return part
  }

  /// Marks the elements that scroll across the content's axis, for a renderer that applies effects.
  private mutating func markElementsScrollingAcross(in box: LayoutBox) {
    guard box.effects.dependsOnElementAxis else { return }
    var sections = SectionAxes(box.value, viewport: viewport)
    for index in scratch.buffer.elements.indices {
      scratch.buffer.elements[index].scrollsAcross = sections.scrollsAcross(
        scratch.buffer.elements[index].indexPath
      )
    }
  }

  /// Replaces the live elements by those of the scratch buffer, and notes the changes in the
  /// scratch.
  mutating func replaceLive(frame: UInt64) {
    let hashes = kinds.hashes
    let units = capabilities.unitsPerPoint
    live.replace(
      by: scratch.buffer.elements,
      extras: scratch.buffer.extras,
      frame: frame,
      next: &scratch.next,
      changes: &scratch.changes
    ) { element in
      StateChecksum.hash(
        of: element,
        kindHash: KindTable.hash(of: element.kind, in: hashes),
        unitsPerPoint: units
      )
    }
  }
}
