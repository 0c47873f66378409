// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The items of one section in lines along the scroll axis: the body of flow and list sections.
///
/// The tree says which items a line has and where it starts; where they sit in the line follows from
/// their sizes when somebody asks.
///
/// A class, so that asking a section's body, whatever it is, copies nothing.
final class LinesBody: SectionBody {
  let rule: LineRule
  let arrangement: LineArrangement
  let items: ItemSequence
  let lines: SummaryTree<LineLeaf>
  /// Set where all items are equal and lines are solved as UIKit does then: see `LineArrangement`.
  let uniform: UniformItems?

  struct UniformItems: Hashable, Sendable {
    var lengths: ItemLengths
    /// Items of a full line.
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
        // Equal items are broken in closed form, however many they are.
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

  /// Whether it follows from what the summary of the items says.
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
