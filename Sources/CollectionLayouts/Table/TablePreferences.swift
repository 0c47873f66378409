// SPDX-License-Identifier: Apache-2.0

/// What a viewer has changed of the columns of tables, whichever table is shown: identifiers that a
/// table does not have matter no more and no less than columns that it may get.
public struct TablePreferences: Hashable, Sendable {
  /// By identifiers of columns and groups.
  public var columns: [String: TableColumnPreference]
  /// The columns and groups that come first among their siblings, in this order; the others follow
  /// in the layout's order.
  public var order: [String]

  /// Makes preferences; the default changes nothing.
  public init(columns: [String: TableColumnPreference] = [:], order: [String] = []) {
    self.columns = columns
    self.order = order
  }

  /// Whether all columns are as the layout has them.
  public var isEmpty: Bool { columns.isEmpty && order.isEmpty }

  /// The memory that they take, in bytes: an estimate.
  public var byteCount: Int {
    // Assumes strings on the heap, and a dictionary with spare room.
    let names = order.reduce(0) { $0 + 64 + $1.utf8.count }
    return columns.reduce(names) {
      $0 + 2 * MemoryLayout<TableColumnPreference>.stride + 96 + $1.key.utf8.count
    }
  }

  /// The columns of a table as the viewer wants them.
  func arranged(_ columns: [TableColumn]) -> [TableColumn] {
    guard !isEmpty else { return columns }
    var places: [String: Int] = [:]
    for (place, id) in order.enumerated() where places[id] == nil { places[id] = place }
    return arranged(columns, places, isTop: true)
  }

  private func arranged(
    _ siblings: [TableColumn],
    _ places: [String: Int],
    isTop: Bool
  ) -> [TableColumn] {
    let changed = siblings.map { column in
      var column = column
      if column.isGroup { column.columns = arranged(column.columns, places, isTop: false) }
      guard let preference = self.columns[column.id] else { return column }
      if let width = preference.width, !column.isGroup { column.width = .points(width) }
      if let isHidden = preference.isHidden { column.isHidden = isHidden }
      if isTop, let place = preference.place { column.frozen = place.edge }
      return column
    }
    guard !places.isEmpty else { return changed }
    let ranked = changed.enumerated().map { (rank: places[$1.id] ?? .max, index: $0, column: $1) }
    return ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.column)
  }
}

/// What a viewer has changed of one column, or of a group of columns.
public struct TableColumnPreference: Hashable, Sendable {
  /// Where a column is frozen.
  public enum Place: UInt8, Hashable, Sendable, CaseIterable {
    /// Nowhere: it scrolls.
    case scrolling = 1
    /// At the leading edge.
    case leading = 2
    /// At the trailing edge.
    case trailing = 3

    var edge: TableEdge? {
      switch self {
      case .scrolling: nil
      case .leading: .leading
      case .trailing: .trailing
      }
    }
  }

  /// The width in points, limited to the column's minimum and maximum; nil = as the layout says.
  /// Ignored for groups.
  public var width: Double?
  /// Whether it is hidden; nil = as the layout says.
  public var isHidden: Bool?
  /// Where it is frozen; nil = as the layout says. Ignored within groups, which stay as a whole.
  public var place: Place?

  /// Makes a preference; the default changes nothing.
  public init(width: Double? = nil, isHidden: Bool? = nil, place: Place? = nil) {
    self.width = width
    self.isHidden = isHidden
    self.place = place
  }

  /// Whether everything is as the layout says.
  public var isEmpty: Bool { width == nil && isHidden == nil && place == nil }
}
