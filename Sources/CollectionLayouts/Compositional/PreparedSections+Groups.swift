// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedSections {
  /// Where a section that scrolls by itself is, kept within its content; nil for other sections.
  public func sectionOffset(_ section: Int, viewport: Viewport) -> Double? {
    guard let body = self.section(at: section)?.solved.body as? CompositionalBody,
      body.isOrthogonal
    else { return nil }
    return body.clamped(viewport.sectionOffsets[section])
  }

  /// The offset at which a cell of a section that scrolls by itself is seen; nil for other
  /// elements.
  public func sectionOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Double? {
    let path = key.indexPath
    guard key.category == .cell, let item = path.item,
      let body = section(at: path.section)?.solved.body as? CompositionalBody, body.isOrthogonal
    else { return nil }
    let current = body.clamped(viewport.sectionOffsets[path.section])
    return body.offset(showing: item, position: position, current: current)
  }

  /// The groups of items around a place along the scroll axis: see `PreparedLayout`.
  ///
  /// - Complexity: O(log sections + log groups + empty sections around the place)
  public func groups(around main: Double, work: LayoutWork) -> [GroupExtent]? {
    guard layout.hasGroups else { return nil }
    guard let index = sectionIndex(nearest: main) else { return [] }
    var groups: [GroupExtent] = []
    var before = Self.neighbours
    var after = Self.neighbours
    if let (solved, start) = section(at: index), let count = solved.body?.numberOfGroups, count > 0
    {
      let nearest = solved.body?.nearestGroup(to: main - start - solved.bodyMain) ?? 0
      let range = max(0, nearest - before) ..< min(count, nearest + after + 1)
      groups = extents(range, of: solved, index: index, start: start)
      before -= nearest - range.lowerBound
      after -= range.upperBound - 1 - nearest
    }
    var previous = index - 1
    while before > 0, previous >= 0, work.proceed(1) {
      if let (solved, start) = section(at: previous), let count = solved.body?.numberOfGroups {
        let range = max(0, count - before) ..< count
        groups.insert(contentsOf: extents(range, of: solved, index: previous, start: start), at: 0)
        before -= range.count
      }
      previous -= 1
    }
    var next = index + 1
    while after > 0, next < sectionCount, work.proceed(1) {
      if let (solved, start) = section(at: next), let count = solved.body?.numberOfGroups {
        let range = 0 ..< min(count, after)
        groups += extents(range, of: solved, index: next, start: start)
        after -= range.count
      }
      next += 1
    }
    return groups
  }

  /// How many groups are answered on either side of the nearest one. Two at least, because that
  /// one's neighbour may be shorter than the distance at which scrolling counts as resting there.
  private static var neighbours: Int { 2 }

  private func extents(
    _ groups: Range<Int>,
    of solved: SolvedSection,
    index: Int,
    start: Double
  ) -> [GroupExtent] {
    groups.compactMap { group in
      solved.body?.groupExtent(group).map { extent in
        GroupExtent(
          start: start + solved.bodyMain + extent.start,
          length: extent.length,
          firstItem: IndexPath(section: index, item: extent.firstItem)
        )
      }
    }
  }
}

/// A body whose items may be in groups that follow each other along the scroll axis.
protocol GroupedBody: SectionBody {
  /// The number of groups.
  var groupCount: Int { get }

  /// The group whose start is nearest to a place in the body; of two the first. 0 if there are
  /// none.
  func group(nearestTo main: Double) -> Int

  /// A group's extent along the scroll axis, within the body; nil if there is no such group.
  func extent(ofGroup group: Int) -> (start: Double, length: Double, firstItem: Int)?
}

extension CompositionalBody: GroupedBody {
  // A section that scrolls by itself is one group.

  var groupCount: Int { isOrthogonal ? 1 : strip.groupCount }

  func group(nearestTo main: Double) -> Int {
    isOrthogonal
      ? 0 : strip.group(nearestTo: main) { strip.span(ofGroup: $0)?.start ?? 0 } ?? 0
  }

  func extent(ofGroup group: Int) -> (start: Double, length: Double, firstItem: Int)? {
    if isOrthogonal { return group == 0 ? (0, length, 0) : nil }
    guard let span = strip.span(ofGroup: group), let item = strip.firstItem(ofGroup: group) else {
      return nil
    }
    return (span.start, span.length, item)
  }
}

extension SectionBody {
  private var grouped: (any GroupedBody)? { self as? any GroupedBody }

  // A body without groups is one.

  fileprivate var numberOfGroups: Int { grouped?.groupCount ?? 1 }

  fileprivate func nearestGroup(to main: Double) -> Int { grouped?.group(nearestTo: main) ?? 0 }

  fileprivate func groupExtent(
    _ group: Int
  ) -> (start: Double, length: Double, firstItem: Int)? {
    guard let grouped else { return group == 0 ? (0, length, 0) : nil }
    return grouped.extent(ofGroup: group)
  }
}
