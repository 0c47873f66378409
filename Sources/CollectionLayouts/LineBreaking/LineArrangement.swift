// SPDX-License-Identifier: Apache-2.0

/// Where the items of a line go once it is known which items the line has.
struct LineArrangement: Sendable {
  var alignment: FlowLayout.Alignment
  var crossAlignment: FlowLayout.CrossAlignment
  /// The z-index of items. Separators have one more: over the row that they touch, and under pinned
  /// headers.
  var zIndex: Int32 = 0
  /// The decorations between rows; nil = none.
  var separators: RowSeparators?

  /// Rows of a list.
  static func rows(_ separators: RowSeparators?, zIndex: Int32 = 0) -> LineArrangement {
    LineArrangement(
      alignment: .leading,
      crossAlignment: .start,
      zIndex: zIndex,
      separators: separators
    )
  }

  /// Whether two arrangements place and show items alike.
  func isSame(as other: LineArrangement) -> Bool {
    alignment == other.alignment && crossAlignment == other.crossAlignment
      && zIndex == other.zIndex && separators === other.separators
  }

  /// The figures of a line on which the places of its items depend.
  struct Line {
    var count: Int
    /// The sum of the items' extents across the scroll axis, without spacing.
    var sum: Double
    /// The greatest extent of an item along the scroll axis.
    var length: Double
    /// Whether it is arranged as a full line, although it may be the last.
    var isComplete: Bool
  }

  /// Where the first item starts across the scroll axis, and the gap between items.
  ///
  /// UIKit's rules for justified lines: a full line reaches both edges, and a single item is
  /// centred, or starts at the leading edge if it is longer than the line. The last line starts at
  /// the leading edge with the minimum spacing, unless it counts as complete. If the items form
  /// columns, the last line has the same gaps as the full ones.
  func spread(
    _ line: Line,
    columns: LinesBody.Columns?,
    rule: LineRule
  ) -> (
    start: Double, gap: Double
  ) {
    if rule.isList { return (0, 0) }
    let spacing = rule.itemSpacing
    switch alignment {
    case .justified:
      if let columns {
        let (count, extent) = (columns.perLine, columns.extent)
        if count == 1 { return (max(0, (rule.extent - extent) / 2), 0) }
        return (0, (rule.extent - Double(count) * extent) / Double(count - 1))
      }
      guard line.isComplete else { return (0, spacing) }
      if line.count == 1 { return (max(0, (rule.extent - line.sum) / 2), 0) }
      return (0, (rule.extent - line.sum) / Double(line.count - 1))
    case .leading:
      return (0, spacing)
    case .center:
      return ((rule.extent - line.sum - Double(line.count - 1) * spacing) / 2, spacing)
    case .trailing:
      return (rule.extent - line.sum - Double(line.count - 1) * spacing, spacing)
    }
  }

  /// Where an item starts along the scroll axis, from the start of its line.
  ///
  /// - Parameter length: the item's extent along the scroll axis.
  func offset(_ length: Double, inLine lineLength: Double) -> Double {
    switch crossAlignment {
    case .center: (lineLength - length) / 2
    case .start: 0
    case .end: lineLength - length
    }
  }
}
