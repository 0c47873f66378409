// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension LinesBody {
  /// The body of the items after a change. From each edited line on lines are broken anew until one
  /// starts where an old one did; all others are shared.
  ///
  /// - Parameter splices: over item indices, sorted and disjoint.
  func updated(to items: ItemSequence, splices: [Splice]) -> LinesBody {
    let uniform = Self.uniform(items, rule: rule, arrangement: arrangement)
    if uniform != nil {
      // Closed form: nothing to share.
      return LinesBody(items, rule: rule, arrangement: arrangement)
    }
    var lines = lines
    var reader = ItemLengthReader(items, rule: rule)
    var breaker = LineBreaker(rule)
    let update = LineUpdate(itemCount: items.count, splices: splices)
    var next = 0
    while next < splices.count {
      next = update.apply(from: next, to: &lines, breaker: &breaker, reader: &reader)
    }
    return LinesBody(
      rule: rule,
      arrangement: arrangement,
      items: items,
      lines: lines,
      uniform: nil
    )
  }
}

/// Breaks anew what a run of splices disturbs.
///
/// The tree holds new items up to the first splice that is left, and old ones from there on.
private struct LineUpdate {
  /// Of the new items.
  let itemCount: Int
  let splices: [Splice]

  /// Applies one splice, and those after it whose lines are disturbed before an old line is met.
  ///
  /// - Returns: the next splice.
  func apply(
    from first: Int,
    to lines: inout SummaryTree<LineLeaf>,
    breaker: inout LineBreaker,
    reader: inout ItemLengthReader
  ) -> Int {
    // The item before the change may have ended its line only because the next did not fit.
    let touched = min(max(splices[first].new.lowerBound - 1, 0), max(lines.summary.items - 1, 0))
    var item = 0
    var replaced = 0 ..< 0
    if let position = lines.firstPosition(where: { $0.items > touched }) {
      let leaf = position.element
      let line = leaf.line(ofItem: touched - position.prefix.items)
      breaker.add(0 ..< line, of: leaf)
      item = position.prefix.items + leaf.items(ofLine: line).lowerBound
      replaced = position.index ..< lines.count
    }

    var cursor = LeafCursor()
    var next = first + 1
    var shift = splices[first].new.count - splices[first].old.count
    while item < itemCount {
      // Splices that the new lines have run into.
      while next < splices.count, splices[next].new.lowerBound < item {
        shift += splices[next].new.count - splices[next].old.count
        next += 1
      }
      if item >= splices[next - 1].new.upperBound,
        let (index, leaf, line) = cursor.line(startingAt: item - shift, in: lines)
      {
        breaker.closeLine()
        if line > 0 || breaker.isLeafSmall {
          breaker.add(line ..< leaf.summary.lines, of: leaf)
          replaced = replaced.lowerBound ..< index + 1
        } else {
          replaced = replaced.lowerBound ..< index
        }
        lines.replaceSubrange(replaced, with: breaker.finish())
        return next
      }
      item = breakLine(from: item, breaker: &breaker, reader: &reader)
    }
    lines.replaceSubrange(replaced, with: breaker.finish())
    return splices.count
  }

  /// Breaks one line, or all lines that are a run of equal items.
  ///
  /// - Returns: the first item of the next line.
  private func breakLine(
    from first: Int,
    breaker: inout LineBreaker,
    reader: inout ItemLengthReader
  ) -> Int {
    breaker.closeLine()
    let run = reader.run(at: first)
    let isRun = run >= LineBreaker.leastRun
    breaker.add(isRun ? run : 1, of: reader.lengths(at: first))
    var item = first + (isRun ? run : 1)
    while item < itemCount {
      let lengths = reader.lengths(at: item)
      guard breaker.fits(lengths) else { break }
      _ = breaker.add(lengths)
      item += 1
    }
    return item
  }
}

/// Walks the leaves of a tree of lines from left to right.
private struct LeafCursor {
  private var position: SummaryTree<LineLeaf>.Position?

  /// The leaf and the line that an item starts; nil where it is in the middle of one.
  ///
  /// - Parameter item: not less than the last time.
  mutating func line(
    startingAt item: Int,
    in lines: SummaryTree<LineLeaf>
  ) -> (index: Int, leaf: LineLeaf, line: Int)? {
    if position == nil { position = lines.firstPosition { $0.items > item } }
    while let found = position, item >= found.prefix.items + found.element.summary.items {
      guard found.index + 1 < lines.count else { return nil }
      position = lines.position(at: found.index + 1)
    }
    guard let found = position,
      let line = found.element.line(startingAt: item - found.prefix.items)
    else { return nil }
    return (found.index, found.element, line)
  }
}
