// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// Where the two layouts have what is seen between them.
///
/// Halfway between rows of 44 and of 60 points, row 400 is at 20,800, while the layouts have it at
/// 17,600 and at 24,000: a query of either layout at 20,800 does not find it.
extension InterpolatedLayout {
  /// The parts of the two layouts that have to be looked at to find what lies in a rect in between.
  ///
  /// Beside the rect itself that is a part of each layout with the same items, if the items follow
  /// each other along the same axis in both. In other layouts nothing tells where the items come
  /// from, and the rect is all.
  ///
  /// - Complexity: O(log(extent) · log n)
  func sources(
    of rect: Rect,
    _ viewport: Viewport,
    _ work: LayoutWork
  ) -> (from: [Rect], to: [Rect]) {
    guard progress > 0, progress < 1, let axis = scrollAxis,
      let items = items(in: rect, along: axis, viewport, work)
    else { return ([rect], [rect]) }
    func parts(_ range: ClosedRange<Double>, _ size: Size) -> [Rect] {
      var span = axis.axisRect(rect)
      let isReversed = axis == .horizontal && viewport.isRightToLeft
      span.main = isReversed ? axis.main(size) - range.upperBound : range.lowerBound
      span.mainLength = range.upperBound - range.lowerBound
      let end = max(span.crossEnd, axis.cross(size))
      span.cross = min(span.cross, 0)
      span.crossLength = end - span.cross
      let part = axis.rect(span)
      return part.meets(rect) ? [part.union(rect)] : [rect, part]
    }
    return (parts(items.from, from.contentSize), parts(items.to, to.contentSize))
  }

  /// Where the two layouts have the items of a rect in between, and a viewport's extent of items on
  /// either side: in columns, items are only roughly in order. In points from where the content
  /// starts in reading direction; nil = the order of the items is not known.
  private func items(
    in rect: Rect,
    along axis: ScrollAxis,
    _ viewport: Viewport,
    _ work: LayoutWork
  ) -> (from: ClosedRange<Double>, to: ClosedRange<Double>)? {
    guard from.itemProgress(at: 0, along: axis, work: work) != nil,
      to.itemProgress(at: 0, along: axis, work: work) != nil
    else { return nil }
    let isReversed = axis == .horizontal && viewport.isRightToLeft
    func start(of box: Rect, in size: Size) -> Double {
      let span = axis.axisRect(box)
      return isReversed ? axis.main(size) - span.mainEnd : span.main
    }
    /// Where the item at a place of the first layout starts; nil = all items end before.
    func starts(at place: Double) -> (from: Double, to: Double)? {
      guard let path = from.itemProgress(at: place, along: axis, work: work)?.item,
        let key = from.cellKey(at: path),
        let first = from.attributes(of: key, viewport: viewport, work: work),
        let second = to.attributes(of: key, viewport: viewport, work: work)
      else { return nil }
      return (
        start(of: first.frame, in: from.contentSize), start(of: second.frame, in: to.contentSize)
      )
    }
    let ends = (from: axis.main(from.contentSize), to: axis.main(to.contentSize))
    /// The last place of the first layout whose item starts at or before a place in between, and
    /// the first one after it, to a point.
    func bounds(of place: Double) -> (low: Double, high: Double) {
      var (low, high) = (0.0, max(0, ends.from))
      while high - low > 1, !work.isStopped {
        let middle = low + (high - low) / 2
        // Beyond 2^53 points there may be no number in between.
        guard middle > low, middle < high else { break }
        let isBefore = starts(at: middle).map { mix($0.from, $0.to) <= place } ?? false
        if isBefore { low = middle } else { high = middle }
      }
      return (low, high)
    }
    let margin = axis.main(viewport.size)
    let first = start(of: rect, in: contentSize)
    let low = bounds(of: first - margin).low
    let high = bounds(of: first + axis.main(rect.size) + margin).high
    let (lowest, highest) = (starts(at: low), starts(at: high))
    let lows = (from: min(low, lowest?.from ?? low), to: lowest?.to ?? ends.to)
    let highs = (from: highest.map { max(high, $0.from) } ?? ends.from, to: highest?.to ?? ends.to)
    return (
      lows.from ... max(lows.from, highs.from), min(lows.to, highs.to) ... max(lows.to, highs.to)
    )
  }
}
