// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// One solved group: where its items and badges are, in axis space of the layout, relative to where
/// the group begins.
///
/// It is immutable. All groups of a section in which nothing was measured share one.
final class GroupPattern: Sendable {
  /// A supplementary element on an item or a group.
  struct Badge: Hashable {
    var frame: AxisRect
    /// Index into `SectionedLayout.elementKinds`.
    var kind: Int
    var zIndex: Int32
    /// The item that the badge is on, or the first item of the group that it is on, counted in this
    /// group. The badge exists if that item does.
    var cell: Int
    /// For a badge on a group, its number among the pattern's group badges of its kind; nil for a
    /// badge on an item.
    var ordinal: Int?
    /// The number of group badges of its kind in the pattern.
    var ordinalCount: Int
    /// The point that stays where it is when the badge gets another size, in fractions of the size
    /// from its start along each axis; nil along an axis where its length is not an estimate.
    var pivot: Pivot

    struct Pivot: Hashable {
      var main: Double?
      var cross: Double?
    }
  }

  /// The extent along the axis in which groups follow each other, edge spacing included, in points.
  let length: Double
  /// The extent across that axis, edge spacing included, in points.
  let breadth: Double
  let cells: [AxisRect]
  let badges: [Badge]
  /// The smallest span around all cells and badges.
  let bounds: AxisRect
  /// The longest lengths at each level that the section's groups share, if they are looked for.
  let longest: UniformLengths
  /// On how many items behind its own the group depends, at least 1: it would have more items, or
  /// other ones, if these had other sizes.
  let lookahead: Int
  private let cellBoxes: [AxisRect]
  /// The number of badges of a kind on the group and on groups in it.
  private let ordinalCounts: [Int: Int]

  init(
    length: Double,
    breadth: Double,
    cells: [AxisRect],
    badges: [Badge],
    longest: UniformLengths = UniformLengths(),
    lookahead: Int = 1
  ) {
    self.lookahead = lookahead
    self.longest = longest
    self.length = length
    self.breadth = breadth
    self.cells = cells
    self.badges = badges
    cellBoxes = stride(from: 0, to: cells.count, by: Self.run).map { start in
      AxisRect.around(cells[start ..< min(start + Self.run, cells.count)])
    }
    let all = cellBoxes + badges.map(\.frame)
    bounds = AxisRect.around(all[...])
    var counts: [Int: Int] = [:]
    for badge in badges where badge.ordinal != nil { counts[badge.kind] = badge.ordinalCount }
    ordinalCounts = counts
  }

  /// The number of cells that are tested at once, so that large groups are searched faster.
  private static let run = 16

  /// Calls `body` with the index of each cell among the first `count` that may meet `span`.
  @inline(__always)
  func forEachCell(near span: AxisRect, count: Int, _ body: (Int) -> Void) {
    let end = min(count, cells.count)
    if end <= Self.run {
      for index in 0 ..< max(0, end) { body(index) }
      return
    }
    for (box, bounds) in cellBoxes.enumerated() where bounds.mayMeet(span) {
      let start = box * Self.run
      guard start < end else { return }
      for index in start ..< min(start + Self.run, end) { body(index) }
    }
  }

  /// The number of badges of a kind on the group and on groups in it.
  func ordinalCount(_ kind: Int) -> Int { ordinalCounts[kind] ?? 0 }

  /// By how much a group that has only the first `count` items is shorter than the pattern, in
  /// points: as much as the furthest of these ends before the furthest of all.
  ///
  /// - Parameter alongMain: whether groups follow each other along the scroll axis.
  /// - Complexity: O(cells)
  func shortening(withItems count: Int, alongMain: Bool) -> Double {
    func end(_ cells: ArraySlice<AxisRect>) -> Double {
      cells.reduce(-.infinity) { max($0, alongMain ? $1.mainEnd : $1.crossEnd) }
    }
    guard count > 0, count < cells.count else { return 0 }
    return min(length, end(cells[...]) - end(cells.prefix(count)))
  }

  /// Whether both look the same, so that one can stand for the other.
  func matches(_ other: GroupPattern) -> Bool {
    self === other
      || (length == other.length && breadth == other.breadth && cells == other.cells
        && badges == other.badges && longest == other.longest)
  }

  var byteCount: Int {
    128 + cells.count * 34 + badges.count * MemoryLayout<Badge>.stride + ordinalCounts.count * 32
      + longest.byteCount
  }
}

extension AxisRect {
  /// The smallest span around all; a span without extent at the origin if there are none.
  static func around(_ spans: ArraySlice<AxisRect>) -> AxisRect {
    guard var result = spans.first else {
      return AxisRect(main: 0, cross: 0, mainLength: 0, crossLength: 0)
    }
    for span in spans.dropFirst() {
      let mainEnd = max(result.mainEnd, span.mainEnd)
      let crossEnd = max(result.crossEnd, span.crossEnd)
      result.main = min(result.main, span.main)
      result.cross = min(result.cross, span.cross)
      result.mainLength = mainEnd - result.main
      result.crossLength = crossEnd - result.cross
    }
    return result
  }

  /// Whether elements inside may meet `span`. Spans that only touch count.
  func mayMeet(_ span: AxisRect) -> Bool {
    main <= span.mainEnd && mainEnd >= span.main && cross <= span.crossEnd && crossEnd >= span.cross
  }

  /// Larger by a distance at all edges.
  func widened(by distance: Double) -> AxisRect {
    AxisRect(
      main: main - distance,
      cross: cross - distance,
      mainLength: mainLength + 2 * distance,
      crossLength: crossLength + 2 * distance
    )
  }
}
