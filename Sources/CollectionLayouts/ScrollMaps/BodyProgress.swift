// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// How far a place along the scroll axis is into the items of a body: see `ItemProgress`.
public struct BodyProgress: Hashable, Sendable {
  /// The number of items before the first that ends behind the place. If items fill the body from
  /// its end, the number of items that begin before the place.
  public var passed: Int
  /// The first item in view with the viewport's leading edge at the place. If items fill the body
  /// from its end, one of those at the place; in a gap, the one before the first that begins before
  /// it.
  public var item: Int

  /// Makes a progress from its items.
  public init(passed: Int, item: Int) {
    self.passed = passed
    self.item = item
  }

  /// An item, and all items before it passed.
  init(upTo item: Int) { self.init(passed: item, item: item) }
}

extension SectionBody {
  /// Looks at all items behind the place.
  public func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    firstItem(in: .from(main), isInOrder: false, work: work).map { BodyProgress(upTo: $0) }
  }

  /// The first item, in order, that meets a span; nil if none does.
  ///
  /// - Parameter isInOrder: whether the body appends items in order, so that the search may end
  ///   with the first item found.
  func firstItem(in span: AxisRect, isInOrder: Bool, work: LayoutWork) -> Int? {
    let axis = ScrollAxis.vertical
    var sink = ElementSink(
      buffer: ElementBuffer(
        narrowingAt: isInOrder ? 1 : ElementBuffer.narrowingLimit,
        partLimit: .max,
        work: work
      ) { buffer in
        buffer.keepFirstCell()
        return buffer.elements.isEmpty || !isInOrder
      },
      rect: axis.rect(span),
      placement: SectionPlacement(axis: axis),
      viewport: Viewport(offset: .zero, size: .zero),
      kindBase: 0
    )
    appendElements(in: span, to: &sink)
    sink.buffer.keepFirstCell()
    return sink.buffer.elements.first?.indexPath.item
  }
}

extension ElementBuffer {
  /// Drops all elements but the cell that comes first in answers.
  fileprivate mutating func keepFirstCell() {
    let first = elements.lazy.filter { $0.category == .cell }.min { $0.indexPath < $1.indexPath }
    elements.removeAll(keepingCapacity: true)
    if let first { elements.append(first) }
    dropUnusedExtras()
  }
}

extension AxisRect {
  /// Everything behind a place along the scroll axis.
  static func from(_ main: Double) -> AxisRect { between(main, Rect.farthest) }

  /// Everything between two places along the scroll axis.
  static func between(_ main: Double, _ end: Double) -> AxisRect {
    AxisRect(
      main: main,
      cross: -Rect.farthest,
      mainLength: max(0, end - main),
      crossLength: 2 * Rect.farthest
    )
  }
}

extension LinesBody {
  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    firstItem(in: .from(main), isInOrder: true, work: work).map { BodyProgress(upTo: $0) }
  }
}

extension GridLaneBody {
  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    count > 0 && main < length ? BodyProgress(upTo: 0) : nil
  }
}

extension ColumnsBody {
  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    progress(at: main, fillsFromEnd: rule.fillsFromEnd, count: items.count, work: work)
  }
}

extension ColumnsDraft {
  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    progress(at: main, fillsFromEnd: rule.fillsFromEnd, count: items.count, work: work)
  }
}

extension UniformColumnsBody {
  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    progress(at: main, fillsFromEnd: rule.fillsFromEnd, count: count, work: work)
  }
}

extension SectionBody {
  /// The progress in columns, whose items are appended in order.
  fileprivate func progress(
    at main: Double,
    fillsFromEnd: Bool,
    count: Int,
    work: LayoutWork
  ) -> BodyProgress? {
    guard fillsFromEnd else {
      return firstItem(in: .from(main), isInOrder: true, work: work).map { BodyProgress(upTo: $0) }
    }
    guard count > 0, main < length else { return nil }
    // The items that begin before the place are the last ones. None begins before the body.
    let first = firstItem(in: .between(-1, main), isInOrder: true, work: work) ?? count
    let strip = AxisRect.between(main, main + Self.stripLength)
    let seen = firstItem(in: strip, isInOrder: true, work: work)
    return BodyProgress(passed: count - first, item: seen ?? max(0, first - 1))
  }

  /// What counts as one place, in points.
  private static var stripLength: Double { 1 / 64 }
}

extension CompositionalBody {
  /// Groups follow each other, and the items of a group may lie anywhere in it.
  ///
  /// - Complexity: O(log runs + items of a group); O(runs · items of a group) in a section that
  ///   scrolls by itself.
  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    strip.firstItem(endingAfter: main, acrossStrip: isOrthogonal, work: work)
      .map { BodyProgress(upTo: $0) }
  }
}

extension GroupStrip {
  /// The first item that ends behind a place; nil if there is none.
  ///
  /// - Parameter acrossStrip: whether the place is one across the strip; groups do not move in that
  ///   direction.
  fileprivate func firstItem(
    endingAfter place: Double,
    acrossStrip: Bool,
    work: LayoutWork
  ) -> Int? {
    let low = place - reachAfter
    let first = acrossStrip ? 0 : firstRun { $0.end(spacing: spacing) > low }
    for run in runs[first...] {
      let cells = run.pattern.cells
      let step = run.pattern.length + spacing
      // All groups of a run are alike across the strip, so the first one tells everything.
      var group = acrossStrip ? 0 : run.firstGroup(endingAfter: low, step: step)
      while group < run.groupCount, work.proceed(1 + cells.count / 16) {
        let firstItem = group * cells.count
        let shift = acrossStrip ? 0 : run.start + Double(group) * step
        let count = min(cells.count, run.itemCount - firstItem)
        if let cell = cells.prefix(count).firstIndex(where: { $0.mainEnd + shift > place }) {
          return run.firstItem + firstItem + cell
        }
        if acrossStrip { break }
        group += 1
      }
      if work.isStopped { return nil }
    }
    return nil
  }
}

extension GroupRun {
  /// The group before the first that ends behind a place; group 0 if that is the first.
  fileprivate func firstGroup(endingAfter place: Double, step: Double) -> Int {
    let extents = EqualExtents(start: start, length: pattern.length, step: step, count: groupCount)
    return max(0, extents.first(endingAfter: place) - 1)
  }
}
