// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// One solved group: where its items and badges are, in axis space of the layout, relative to the
/// place where the group begins.
///
/// Immutable, and the same for all groups of a section in which nothing was measured.
final class GroupPattern: Sendable {
  /// A supplementary element on an item or a group.
  struct Badge: Hashable {
    var frame: AxisRect
    /// Index into `SectionedLayout.elementKinds`.
    var kind: Int
    var zIndex: Int32
    /// The item that it is on, or the first of the group that it is on, counted within this group.
    /// A badge exists where that item does.
    var cell: Int
    /// Of a group's badge its place among the pattern's group badges of its kind; nil = on an item.
    var ordinal: Int?
    /// How many group badges of its kind the pattern has.
    var ordinalCount: Int
  }

  /// Extent along the direction in which groups follow each other, edge spacing included.
  let length: Double
  /// Extent across that direction, edge spacing included.
  let breadth: Double
  let cells: [AxisRect]
  let badges: [Badge]
  /// Around all cells and badges.
  let bounds: AxisRect
  private let cellBoxes: [AxisRect]
  /// How many badges of a kind are on the group and on groups in it.
  private let ordinalCounts: [Int: Int]

  init(length: Double, breadth: Double, cells: [AxisRect], badges: [Badge]) {
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

  /// Cells that are tested together, so that large groups are searched faster.
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

  /// How many badges of a kind are on the group and on groups in it.
  func ordinalCount(_ kind: Int) -> Int { ordinalCounts[kind] ?? 0 }

  /// Whether it looks the same, so that one may stand for the other.
  func matches(_ other: GroupPattern) -> Bool {
    self === other
      || (length == other.length && breadth == other.breadth && cells == other.cells
        && badges == other.badges)
  }

  var byteCount: Int {
    128 + cells.count * 34 + badges.count * MemoryLayout<Badge>.stride + ordinalCounts.count * 32
  }
}

extension AxisRect {
  /// The smallest span around all; nothing at the origin for none.
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

  /// Whether elements inside may meet `span`; edges that touch count.
  func mayMeet(_ span: AxisRect) -> Bool {
    main <= span.mainEnd && mainEnd >= span.main && cross <= span.crossEnd && crossEnd >= span.cross
  }

  /// Larger by a distance on all sides.
  func widened(by distance: Double) -> AxisRect {
    AxisRect(
      main: main - distance,
      cross: cross - distance,
      mainLength: mainLength + 2 * distance,
      crossLength: crossLength + 2 * distance
    )
  }
}
