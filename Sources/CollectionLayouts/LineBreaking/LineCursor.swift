// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A line in a tree of lines. It moves only forward.
struct LineCursor {
  /// The index of the leaf that the line is in.
  private(set) var index: Int
  private(set) var leaf: LineLeaf
  /// The first item of the leaf.
  private var start: Int
  /// The index of the line in the leaf.
  private(set) var line = 0
  /// The line's first item, counted from the leaf's first.
  private var lineStart = 0
  /// The first line of the leaf that the owner has not added to its new leaves yet. The cursor only
  /// stores it.
  var keptLine = 0
  /// The starts of the leaf's lines, if these are stored as `LineLeaf.Storage.lines`; else empty.
  private var starts: [LineStart<Float>] = []

  init(at place: SummaryTree<LineLeaf>.Place) {
    index = place.index
    leaf = place.element
    start = place.start
    if case .lines(let starts) = leaf.storage { self.starts = starts }
  }

  /// The first item of the line.
  var item: Int { start + lineStart }

  /// The index after the leaf's last item.
  var end: Int { start + leaf.summary.items }

  /// Moves to the line that holds an item of this leaf.
  mutating func goToLine(ofItem item: Int) {
    line = leaf.line(ofItem: item - start)
    lineStart = leaf.firstItem(ofLine: line)
  }

  /// Moves to the line that begins with an item. If there is none, it stops at some line before the
  /// item.
  ///
  /// - Parameter item: not less than in earlier calls.
  /// - Parameter lines: the tree that it moves in.
  /// - Returns: whether a line begins with the item.
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
