// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Where the items of a line go, given which they are.
struct LineArrangement: Hashable, Sendable {
  var alignment: FlowLayout.Alignment
  var crossAlignment: FlowLayout.CrossAlignment
  /// Whether lines keep to the rules for different sizes even while all are equal.
  var isSelfSizing: Bool
  var separator: Separator?

  /// Decorations after rows.
  struct Separator: Hashable, Sendable {
    /// Index into `elementKinds`.
    var kind: Int
    var thickness: Double
    var insets: EdgeInsets
  }

  /// Separators lie over the row that they touch, and under pinned headers.
  static let separatorZIndex: Int32 = 1

  /// What counts of a line.
  struct Line {
    var count: Int
    /// Of the items' extents across the scroll axis.
    var sum: Double
    /// The greatest extent along the scroll axis.
    var length: Double
    /// Whether it counts as a full one although it may be the last.
    var isComplete: Bool
  }

  /// Where the first item starts, and the gaps between items.
  ///
  /// UIKit's rules (semantics 2.2 and 2.3): lines reach both edges, a single item is centred; the
  /// last line starts at the leading edge with the minimum spacing, unless it is complete, or all
  /// items are equal, which keeps its gaps those of full lines.
  func spread(
    _ line: Line,
    uniform: LinesBody.UniformItems?,
    rule: LineRule
  ) -> (
    start: Double, gap: Double
  ) {
    if rule.isList { return (0, 0) }
    let spacing = rule.itemSpacing
    switch alignment {
    case .justified:
      if let uniform {
        let extent = uniform.lengths.cross
        if uniform.perLine == 1 { return ((rule.extent - extent) / 2, 0) }
        return (0, (rule.extent - Double(uniform.perLine) * extent) / Double(uniform.perLine - 1))
      }
      guard line.isComplete else { return (0, spacing) }
      if line.count == 1 { return ((rule.extent - line.sum) / 2, 0) }
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
  func offset(_ length: Double, inLine lineLength: Double) -> Double {
    switch crossAlignment {
    case .center: (lineLength - length) / 2
    case .start: 0
    case .end: lineLength - length
    }
  }
}
