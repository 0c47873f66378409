// SPDX-License-Identifier: Apache-2.0

/// Searches that do not start at the first element.
extension SummaryTree {
  /// The first element at or behind an index whose summary has a property.
  ///
  /// - Parameter total: picks the total that `Place.start` is out of a summary; must be additive.
  /// - Parameter has: must be true of a run of elements where it is true of one of them.
  /// - Complexity: O(log n)
  func firstPlace(
    from index: Int,
    total: (Summary) -> Int,
    where has: (Summary) -> Bool
  ) -> Place? {
    root.firstPlace(from: index, at: (0, 0), total, has)
  }

  /// The last element before an index whose summary has a property.
  ///
  /// - Parameter total: picks the total that `Place.start` is out of a summary; must be additive.
  /// - Parameter has: must be true of a run of elements where it is true of one of them.
  /// - Complexity: O(log n)
  func lastPlace(
    before index: Int,
    total: (Summary) -> Int,
    where has: (Summary) -> Bool
  ) -> Place? {
    root.lastPlace(before: index, at: (0, 0), total, has)
  }

  /// The first element at or after an index that has a property, by itself or together with the
  /// next element.
  ///
  /// - Parameter joins: whether two neighbouring runs have the property together, by the last
  ///   element of the first and the first element of the second.
  /// - Complexity: O(log n)
  func firstPlace(
    from index: Int,
    total: (Summary) -> Int,
    where has: (Summary) -> Bool,
    joins: (Summary, Summary) -> Bool
  ) -> Place? {
    root.firstPlace(from: index, at: (0, 0), total, has, joins)
  }

  /// The summary of the elements of a range.
  ///
  /// - Complexity: O(log n)
  func summary(in range: Range<Int>) -> Summary {
    range.isEmpty ? .zero : root.summary(in: range)
  }
}

extension TreeNode {
  typealias Place = SummaryTree<Element>.Place

  /// The summaries of the slots, with their numbers of elements.
  private func slot(_ i: Int) -> (summary: Summary, count: Int) {
    height == 0 ? (elements[i].summary, 1) : (children[i].summary, children[i].count)
  }

  /// - Parameter first: the index and the total before the node's first element.
  /// - Parameter index: counted in the whole tree.
  func firstPlace(
    from index: Int,
    at first: (index: Int, start: Int),
    _ total: (Summary) -> Int,
    _ has: (Summary) -> Bool
  ) -> Place? {
    var at = first
    for i in 0 ..< slotCount {
      let (summary, count) = slot(i)
      if at.index + count > index, has(summary) {
        if height == 0 { return Place(index: at.index, element: elements[i], start: at.start) }
        if let found = children[i].firstPlace(from: index, at: at, total, has) { return found }
      }
      at = (at.index + count, at.start + total(summary))
    }
    return nil
  }

  func lastPlace(
    before index: Int,
    at first: (index: Int, start: Int),
    _ total: (Summary) -> Int,
    _ has: (Summary) -> Bool
  ) -> Place? {
    var end = (index: first.index + count, start: first.start + total(summary))
    for i in (0 ..< slotCount).reversed() {
      let (summary, count) = slot(i)
      let at = (index: end.index - count, start: end.start - total(summary))
      if at.index < index, has(summary) {
        if height == 0 { return Place(index: at.index, element: elements[i], start: at.start) }
        if let found = children[i].lastPlace(before: index, at: at, total, has) { return found }
      }
      end = at
    }
    return nil
  }

  func firstPlace(
    from index: Int,
    at first: (index: Int, start: Int),
    _ total: (Summary) -> Int,
    _ has: (Summary) -> Bool,
    _ joins: (Summary, Summary) -> Bool
  ) -> Place? {
    var at = first
    for i in 0 ..< slotCount {
      let (summary, count) = slot(i)
      let end = (index: at.index + count, start: at.start + total(summary))
      if end.index > index {
        if has(summary) {
          if height == 0 { return Place(index: at.index, element: elements[i], start: at.start) }
          if let found = children[i].firstPlace(from: index, at: at, total, has, joins) {
            return found
          }
        }
        if i + 1 < slotCount, joins(summary, slot(i + 1).summary) {
          return lastPlace(before: end.index, at: first, total) { _ in true }
        }
      }
      at = end
    }
    return nil
  }

  /// - Parameter range: counted from the node's first element; not empty.
  func summary(in range: Range<Int>) -> Summary {
    if range.lowerBound <= 0, range.upperBound >= count { return summary }
    var result = Summary.zero
    var start = 0
    for i in 0 ..< slotCount {
      let end = start + slot(i).count
      if end > range.lowerBound, start < range.upperBound {
        result =
          result
          + (height == 0
            ? elements[i].summary
            : children[i].summary(in: range.lowerBound - start ..< range.upperBound - start))
      }
      start = end
    }
    return result
  }
}
