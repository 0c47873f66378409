// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

/// Finds the group of items on which scrolling comes to rest: the one whose anchor comes nearest to
/// the viewport's anchor. Both anchors are at the same fraction of the extent.
struct GroupTargetSearch: Sendable {
  private let queries: LayoutQueries
  private let line: ScrollLine
  private let anchor: Double
  private let work: LayoutWork

  init(_ queries: LayoutQueries, axis: ScrollAxis, anchor: Double) {
    self.queries = queries
    self.anchor = anchor
    line = ScrollLine(axis, viewport: queries.viewport, contentSize: queries.prepared.contentSize)
    work = queries.work ?? .unlimited
  }

  /// The offset at which scrolling rests, and the first item of the group there. Without groups it
  /// is the proposed offset within the content.
  ///
  /// - Returns: nil if the layout has no groups.
  func target(proposed: Point, velocity: Point, isLimitedToOne: Bool) -> ScrollTarget? {
    guard queries.prepared.groups(around: 0, work: work) != nil else { return nil }
    let wanted = queries.clamped(proposed, along: [line.axis])
    let current = queries.clamped(queries.viewport.offset, along: [line.axis])
    let rule = RestingRule(
      wanted: line.start(wanted),
      current: line.start(current),
      flick: ScrollFlick(velocity: line.velocity(velocity)),
      isLimitedToOne: isLimitedToOne
    )
    guard let rest = rule.place({ nearest(to: $0, within: $1) }) else {
      return ScrollTarget(offset: wanted)
    }
    return ScrollTarget(
      offset: queries.clamped(line.offset(wanted, start: rest.offset), along: [line.axis]),
      element: queries.prepared.cellKey(at: rest.value)
    )
  }

  /// The group that rests nearest to a start of the viewport; if two are equally near, the first.
  private func nearest(
    to start: Double,
    within bound: RestingRule.Bound?
  ) -> RestingRule.Place<IndexPath>? {
    if let bound, !line.hasLegalStart(within: bound) { return nil }
    // The nearest group of all is among the groups around the place; behind a bound, among those
    // around the bound.
    let start = bound.map { $0.nearest(to: start) } ?? start
    let groups = queries.prepared.groups(
      around: line.place(ofPart: anchor, startingAt: start),
      work: work
    )
    var best: RestingRule.Place<IndexPath>?
    for group in groups ?? [] {
      let rest = rest(on: group)
      guard bound?.admits(rest) ?? true else { continue }
      if let best, abs(best.offset - start) <= abs(rest - start) { continue }
      best = RestingRule.Place(offset: rest, value: group.firstItem)
    }
    return best
  }

  /// The legal start of the viewport at which it rests on a group.
  private func rest(on group: GroupExtent) -> Double {
    let start =
      group.start + anchor * group.length - line.place(ofPart: anchor, startingAt: 0)
    return min(max(start, line.legalStarts.least), line.legalStarts.greatest)
  }
}

/// The extent of a group of items along the scroll axis.
public struct GroupExtent: Hashable, Sendable {
  /// Where the group starts, in points from where the content starts in reading direction.
  public var start: Double
  /// Its extent, in points.
  public var length: Double
  /// Its first item.
  public var firstItem: IndexPath

  /// Makes an extent.
  public init(start: Double, length: Double, firstItem: IndexPath) {
    self.start = start
    self.length = length
    self.firstItem = firstItem
  }
}

extension PreparedLayout {
  /// The key of an item's cell; nil if there is no such item.
  package func cellKey(at path: IndexPath) -> ElementKey? {
    let names = context.contents.cellKindNames
    guard let item = context.contents.item(at: path), names.indices.contains(item.cellKind) else {
      return nil
    }
    return ElementKey(category: .cell, kind: names[item.cellKind], indexPath: path)
  }
}
