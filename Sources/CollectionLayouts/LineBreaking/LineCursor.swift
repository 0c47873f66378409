// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A line in a tree of lines; moves only forward.
struct LineCursor {
  /// The leaf's.
  private(set) var index: Int
  private(set) var leaf: LineLeaf
  /// The first item of the leaf.
  private var start: Int
  /// The line in the leaf, and the place of its first item there.
  private(set) var line = 0
  private var lineStart = 0
  /// The first line of the leaf that nobody has taken over yet; for the owner's use.
  var keptLine = 0
  /// Of the leaf's lines where those are as is the rule; else empty.
  private var starts: [LineStart<Float>] = []

  init(at place: SummaryTree<LineLeaf>.Place) {
    index = place.index
    leaf = place.element
    start = place.start
    if case .lines(let starts) = leaf.storage { self.starts = starts }
  }

  /// The item with which the line starts.
  var item: Int { start + lineStart }

  /// The item after those of the leaf.
  var end: Int { start + leaf.summary.items }

  /// Goes to the line that holds an item of this leaf.
  mutating func goToLine(ofItem item: Int) {
    line = leaf.line(ofItem: item - start)
    lineStart = leaf.start(ofLine: line).item
  }

  /// Goes to the line that starts with an item, or somewhere before it.
  ///
  /// - Parameter item: not less than any time before.
  /// - Parameter lines: the tree that it moves in.
  /// - Returns: whether there is such a line.
  @inline(__always)
  mutating func go(toLineAt item: Int, in lines: SummaryTree<LineLeaf>) -> Bool {
    if item >= end, !goToLeaf(of: item, in: lines) { return false }
    let local = item - start
    if starts.isEmpty {
      goToLine(ofItem: item)
    } else {
      while lineStart < local, line + 1 < starts.count, Int(starts[line + 1].item) <= local {
        line += 1
        lineStart = Int(starts[line].item)
      }
    }
    return lineStart == local
  }

  @inline(never)
  private mutating func goToLeaf(of item: Int, in lines: SummaryTree<LineLeaf>) -> Bool {
    guard let place = lines.place(of: item, in: { $0.items }) else { return false }
    self = LineCursor(at: place)
    return true
  }
}
