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
  /// The lengths of all items, if these are equal and lines follow UIKit's rules for that case (see
  /// `LineArrangement`); else nil.
  let uniform: UniformItems?

  /// What is the same for all lines of equal items.
  struct UniformItems: Hashable, Sendable {
    var lengths: ItemLengths
    /// The number of items in a full line.
    var perLine: Int
  }

  init(
    rule: LineRule,
    arrangement: LineArrangement,
    items: ItemSequence,
    lines: SummaryTree<LineLeaf>,
    uniform: UniformItems?
  ) {
    self.rule = rule
    self.arrangement = arrangement
    self.items = items
    self.lines = lines
    self.uniform = uniform
  }

  /// Breaks all items into lines.
  ///
  /// - Complexity: O(items), or O(chunks) where sizes are uniform.
  convenience init(
    _ items: ItemSequence,
    rule: LineRule,
    arrangement: LineArrangement,
    work: LayoutWork
  ) {
    let uniform = Self.uniform(items, rule: rule, arrangement: arrangement)
    var breaker = LineBreaker(rule)
    if let uniform {
      breaker.add(items.count, of: uniform.lengths)
    } else {
      items.forEachChunk(in: 0 ..< items.count) { chunk, _ in
        breaker.add(chunk)
        // A long chunk of equal items is broken in closed form, so its steps are limited.
        return work.proceed(min(chunk.count, LineBreaker.leafItems))
      }
    }
    self.init(
      rule: rule,
      arrangement: arrangement,
      items: items,
      lines: SummaryTree(breaker.finish()),
      uniform: uniform
    )
  }

  /// The lengths of all items, if these are equal and lines follow UIKit's rules for that case;
  /// else nil.
  static func uniform(
    _ items: ItemSequence,
    rule: LineRule,
    arrangement: LineArrangement
  ) -> UniformItems? {
    guard !arrangement.isSelfSizing, let lengths = rule.uniformLengths(of: items) else {
      return nil
    }
    return UniformItems(
      lengths: lengths,
      perLine: rule.capacity(itemExtent: lengths.cross)
    )
  }

  /// Whether the body follows from the summary of the items alone, so that sections may share it.
  var isShareable: Bool {
    let summary = items.summary
    return uniform != nil
      && rule.uniformLengths(width: summary.width, height: summary.height) != nil
  }

  var length: Double {
    let total = lines.summary
    return total.lines == 0 ? 0 : max(0, total.length - rule.lineSpacing)
  }

  var byteCount: Int { 160 + lines.summary.byteCount }
}
