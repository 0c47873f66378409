// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The items of one section in lines along the scroll axis: the body of flow and list sections.
///
/// The tree stores which items each line has and where lines start. Where items lie in a line is
/// computed from their sizes when a query asks for it.
///
/// It is a class, so that calls through `any SectionBody` copy nothing.
final class LinesBody: SectionBody {
  let rule: LineRule
  let arrangement: LineArrangement
  let items: ItemSequence
  let lines: SummaryTree<LineLeaf>
  /// The lengths of all items, if these are equal; else nil. The lines are in closed form then.
  let uniform: ItemLengths?
  /// The columns of the lines, if their items form columns; else nil.
  let columns: Columns?

  /// Columns of items that are equally long across the scroll axis. UIKit arranges the items of a
  /// section in columns if they are all equal, or self-sizing and equal in this length.
  struct Columns: Hashable, Sendable {
    /// The length of the items across the scroll axis, in points.
    var extent: Double
    /// The number of items in a full line.
    var perLine: Int
  }

  private init(
    rule: LineRule,
    arrangement: LineArrangement,
    items: ItemSequence,
    lines: SummaryTree<LineLeaf>,
    uniform: ItemLengths?
  ) {
    self.rule = rule
    self.arrangement = arrangement
    self.items = items
    self.lines = lines
    self.uniform = uniform
    let extent =
      uniform?.cross ?? (rule.isSelfSizing ? rule.commonLengths(of: items.summary).cross : nil)
    columns = extent.map { Columns(extent: $0, perLine: rule.capacity(itemExtent: $0)) }
  }

  /// Makes a body of items that are not all equal.
  ///
  /// - Parameter lines: the lines of all items.
  convenience init(
    rule: LineRule,
    arrangement: LineArrangement,
    items: ItemSequence,
    lines: SummaryTree<LineLeaf>
  ) {
    self.init(
      rule: rule,
      arrangement: arrangement,
      items: items,
      lines: lines,
      uniform: nil
    )
  }

  /// Breaks all items into lines.
  ///
  /// - Parameter work: told of the items. If there are many, a second thread that it lends takes
  ///   part.
  /// - Complexity: O(items), or O(chunks) if sizes are uniform; chunks of items without sizes do
  ///   not count.
  convenience init(
    _ items: ItemSequence,
    rule: LineRule,
    arrangement: LineArrangement,
    work: LayoutWork
  ) {
    let uniform = rule.uniformLengths(of: items)
    var breaker = LineBreaker(rule)
    if let uniform {
      breaker.add(items.count, of: uniform, work: work)
    } else {
      breaker.addInPieces(items, work: work)
    }
    self.init(
      rule: rule,
      arrangement: arrangement,
      items: items,
      lines: SummaryTree(breaker.finish()),
      uniform: uniform
    )
  }

  /// Whether the body follows from the summary of the items alone, so that sections may share it.
  var isShareable: Bool {
    let summary = items.summary
    // Rows of other cell kinds may have other separators.
    return uniform != nil && arrangement.separators?.byCellKind.isEmpty ?? true
      && rule.uniformLengths(width: summary.width, height: summary.height) != nil
  }

  var length: Double {
    let total = lines.summary
    return total.lines == 0 ? 0 : max(0, total.length - rule.lineSpacing)
  }

  var byteCount: Int { 160 + lines.summary.byteCount }
}
