// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The columns of a table that one container shows, from the leading edge on: those that stay
/// there, those that scroll, and those that stay at the trailing edge.
///
/// Places are distances from the leading edge of the content, in points.
struct TableColumns: Sendable {
  /// A group of columns in the headers.
  struct Group: Sendable {
    /// How many groups it is in.
    let level: Int
    /// Its columns.
    let columns: Range<Int>
  }

  /// Columns that stay or scroll together.
  enum Part: CaseIterable { case leading, scrolling, trailing }

  /// The identifiers of the columns, then those of `groups`.
  let ids: [String]
  /// The number of columns.
  let count: Int
  /// Where each column starts, and where the last one ends.
  let edges: [Double]
  let leading: Range<Int>
  let scrolling: Range<Int>
  let trailing: Range<Int>
  /// Ordered by level, then by place.
  let groups: [Group]
  /// For each column, how many groups it is in.
  let levels: [Int]
  /// The rows of headers: one more than groups are in one another.
  let headerRows: Int
  /// The width of the content: that of the columns, but at least that of the container.
  let width: Double
  /// Whether columns may stay while others scroll. If those that stay leave no room, all scroll.
  let hasFrozen: Bool
  /// For each column and group, its index in `ids`.
  private let indices: [String: Int]

  /// - Complexity: O(n log n) for n columns
  init(_ columns: [TableColumn], available: Double, pixelGrid: PixelGrid?) {
    var gathering = Gathering()
    for edge in [TableEdge.leading, nil, .trailing] {
      for column in columns where column.frozen == edge { gathering.add(column, level: 0) }
      gathering.ends.append(gathering.shown.count)
    }
    let shown = gathering.shown
    count = shown.count
    leading = 0 ..< gathering.ends[0]
    scrolling = gathering.ends[0] ..< gathering.ends[1]
    trailing = gathering.ends[1] ..< shown.count
    var edges = [0.0]
    edges.reserveCapacity(shown.count + 1)
    var end = 0.0
    for width in Self.widths(of: shown, available: available) {
      end += width
      edges.append(pixelGrid.map { $0.round(end) } ?? end)
    }
    self.edges = edges
    let total = edges[shown.count]
    // Shares of the room need not add up to it exactly.
    let isWider = total > available + 1e-9 * max(1, available)
    width = isWider ? total : available
    let staying = edges[leading.upperBound] + total - edges[trailing.lowerBound]
    hasFrozen = staying > 0 && staying < available && isWider
    let groups = gathering.groups.sorted {
      ($0.group.level, $0.group.columns.lowerBound) < ($1.group.level, $1.group.columns.lowerBound)
    }
    self.groups = groups.map(\.group)
    levels = gathering.levels
    headerRows = 1 + (levels.max() ?? 0)
    ids = shown.map(\.id) + groups.map(\.id)
    var indices: [String: Int] = [:]
    indices.reserveCapacity(ids.count)
    for (index, id) in ids.enumerated() { indices[id] = index }
    self.indices = indices
  }

  /// Columns and groups that are shown, while they are gathered.
  private struct Gathering {
    var shown: [TableColumn] = []
    var levels: [Int] = []
    var groups: [(id: String, group: Group)] = []
    /// Where the parts end.
    var ends: [Int] = []

    mutating func add(_ column: TableColumn, level: Int) {
      guard !column.isHidden else { return }
      guard column.isGroup else {
        shown.append(column)
        levels.append(level)
        return
      }
      let start = shown.count
      for inner in column.columns { add(inner, level: level + 1) }
      guard shown.count > start else { return }
      groups.append((column.id, Group(level: level, columns: start ..< shown.count)))
    }
  }

  private static func widths(of columns: [TableColumn], available: Double) -> [Double] {
    var room = available
    var parts: [SharedRoom.Part] = []
    var widths = columns.map { column -> Double? in
      let greatest = max(column.minimum, column.maximum ?? .infinity)
      switch column.width {
      case .points(let points):
        let width = min(max(column.minimum, min(greatest, points)), SharedRoom.greatestWidth)
        room -= width
        return width
      case .share(let share):
        parts.append(SharedRoom.Part(share: share, least: column.minimum, greatest: greatest))
        return nil
      }
    }
    var shared = SharedRoom(parts: parts).widths(in: room).makeIterator()
    for index in widths.indices where widths[index] == nil { widths[index] = shared.next() }
    return widths.map { $0 ?? 0 }
  }

  // MARK: - Queries

  /// The column with an identifier; nil = no column that is shown has it.
  func column(_ id: String) -> Int? { indices[id].flatMap { $0 < count ? $0 : nil } }

  /// The group with an identifier, as an index of `groups`; nil = no group that is shown has it.
  func group(_ id: String) -> Int? { indices[id].flatMap { $0 < count ? nil : $0 - count } }

  /// The columns of a part.
  func columns(of part: Part) -> Range<Int> {
    switch part {
    case .leading: leading
    case .scrolling: scrolling
    case .trailing: trailing
    }
  }

  /// The part of a column.
  func part(of column: Int) -> Part {
    column < leading.upperBound ? .leading : column < trailing.lowerBound ? .scrolling : .trailing
  }

  /// The width of the columns that stay at the leading edge.
  var leadingWidth: Double { hasFrozen ? edges[leading.upperBound] : 0 }

  /// The width of the columns that stay at the trailing edge.
  var trailingWidth: Double { hasFrozen ? edges[count] - edges[trailing.lowerBound] : 0 }

  /// The columns of a range that lie at least partly between two places, or end at the first one.
  ///
  /// - Complexity: O(log columns)
  func columns(in range: Range<Int>, from start: Double, to end: Double) -> Range<Int> {
    let first = range.partitioningIndex { edges[$0 + 1] >= start }
    let last = (first ..< range.upperBound).partitioningIndex { edges[$0] >= end }
    return first ..< last
  }

  /// The groups that lie at least partly between two places, or end at the first one, in order of
  /// `groups`.
  ///
  /// - Complexity: O(levels · log groups + groups found)
  func groups(in range: Range<Int>, from start: Double, to end: Double) -> [Int] {
    var found: [Int] = []
    for level in 0 ..< headerRows - 1 {
      let low = groups.indices.partitioningIndex { groups[$0].level >= level }
      let high = (low ..< groups.count).partitioningIndex { groups[$0].level > level }
      var index = (low ..< high).partitioningIndex {
        groups[$0].columns.lowerBound >= range.lowerBound
          && edges[groups[$0].columns.upperBound] >= start
      }
      while index < high, groups[index].columns.lowerBound < range.upperBound,
        edges[groups[index].columns.lowerBound] < end
      {
        found.append(index)
        index += 1
      }
    }
    return found
  }

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int {
    // The identifiers, and their places in the table of these, which may have twice as many.
    let names = ids.reduce(0) { $0 + 64 + $1.utf8.count }
    let places = indices.capacity * 32
    return names + places + edges.count * MemoryLayout<Double>.stride
      + groups.count * MemoryLayout<Group>.stride + levels.count * MemoryLayout<Int>.stride
  }
}
