// SPDX-License-Identifier: Apache-2.0

/// A node of a `SummaryTree`: a value that owns an array of elements (a leaf) or of nodes one level
/// lower, so that sharing and uniqueness are those of arrays, and the summaries that a search looks
/// through lie side by side.
///
/// Invariants: every leaf is at height 0; all nodes but the root have at least `minSlots` slots,
/// none more than `maxSlots`; an inner root has at least two.
@frozen @usableFromInline
struct TreeNode<Element: SummarizedElement>: Sendable {
  @usableFromInline typealias Summary = Element.Summary

  /// Of a leaf; else empty.
  @usableFromInline var elements: [Element]
  /// Of an inner node; else empty.
  @usableFromInline var children: [TreeNode]
  @usableFromInline var summary: Summary
  /// Elements below.
  @usableFromInline var count: Int
  @usableFromInline var height: Int

  @inlinable static var maxSlots: Int { 16 }
  @inlinable static var minSlots: Int { 8 }

  @inlinable
  init(leaf elements: [Element]) {
    self.elements = elements
    children = []
    summary = .zero
    count = 0
    height = 0
    refresh()
  }

  /// - Precondition: not empty, all of one height.
  @inlinable
  init(inner children: [TreeNode]) {
    elements = []
    self.children = children
    summary = .zero
    count = 0
    height = children[0].height + 1
    refresh()
  }

  /// Builds level by level, filling nodes evenly.
  @inlinable
  init(building all: [Element]) {
    if all.count <= Self.maxSlots {
      self.init(leaf: all)
      return
    }
    var level = Self.evenRanges(all.count).map { TreeNode(leaf: Array(all[$0])) }
    while level.count > Self.maxSlots {
      level = Self.evenRanges(level.count).map { TreeNode(inner: Array(level[$0])) }
    }
    self.init(inner: level)
  }

  @inlinable
  static func evenRanges(_ count: Int) -> [Range<Int>] {
    let parts = (count + maxSlots - 1) / maxSlots
    return (0 ..< parts).map { $0 * count / parts ..< ($0 + 1) * count / parts }
  }

  @inlinable var slotCount: Int { height == 0 ? elements.count : children.count }

  @inlinable
  mutating func refresh() {
    var total = Summary.zero
    if height == 0 {
      for element in elements { total = total + element.summary }
      count = elements.count
    } else {
      var below = 0
      for i in children.indices {
        total = total + children[i].summary
        below += children[i].count
      }
      count = below
    }
    summary = total
  }

  // MARK: - Reading

  // Through spans: subscripts of arrays would retain each node on the way.

  @inlinable
  func element(at index: Int) -> Element {
    if height == 0 { return elements[index] }
    let children = children.span
    var rest = index
    var i = 0
    while rest >= children[i].count {
      rest -= children[i].count
      i += 1
    }
    return children[i].element(at: rest)
  }

  @inlinable
  func position(at index: Int, after prefix: Summary, base: Int) -> SummaryTree<Element>.Position {
    var prefix = prefix
    if height == 0 {
      for i in 0 ..< index { prefix = prefix + elements[i].summary }
      return .init(index: base + index, element: elements[index], prefix: prefix)
    }
    let children = children.span
    var rest = index
    var i = 0
    while rest >= children[i].count {
      rest -= children[i].count
      prefix = prefix + children[i].summary
      i += 1
    }
    return children[i].position(at: rest, after: prefix, base: base + index - rest)
  }

  @inlinable
  func summary(ofFirst count: Int, after prefix: Summary) -> Summary {
    var prefix = prefix
    if height == 0 {
      for i in 0 ..< count { prefix = prefix + elements[i].summary }
      return prefix
    }
    let children = children.span
    var rest = count
    var i = 0
    while rest >= children[i].count {
      rest -= children[i].count
      prefix = prefix + children[i].summary
      i += 1
      if i == children.count { return prefix }
    }
    return children[i].summary(ofFirst: rest, after: prefix)
  }

  /// The last slot is taken unasked: rounding in a parent's total must not lead beyond the end.
  @inlinable
  func firstPosition(
    after prefix: Summary,
    index: Int,
    where reaches: (Summary) -> Bool
  ) -> SummaryTree<Element>.Position {
    var prefix = prefix
    var index = index
    let last = slotCount - 1
    var i = 0
    if height == 0 {
      let elements = elements.span
      while i < last {
        let through = prefix + elements[i].summary
        if reaches(through) { break }
        prefix = through
        i += 1
      }
      return .init(index: index + i, element: elements[i], prefix: prefix)
    }
    let children = children.span
    while i < last {
      let through = prefix + children[i].summary
      if reaches(through) { break }
      prefix = through
      index += children[i].count
      i += 1
    }
    return children[i].firstPosition(after: prefix, index: index, where: reaches)
  }

  /// - Precondition: the node's end is beyond `number`.
  @inlinable
  func place(of number: Int, in measure: (Summary) -> Int) -> SummaryTree<Element>.Place {
    place(of: number, in: measure, index: 0, start: 0)
  }

  /// - Parameter start: the total of all elements before this node.
  @inlinable
  func place(
    of number: Int,
    in measure: (Summary) -> Int,
    index: Int,
    start: Int
  ) -> SummaryTree<Element>.Place {
    var index = index
    var start = start
    var i = 0
    if height == 0 {
      let elements = elements.span
      while i < elements.count - 1 {
        let end = start + measure(elements[i].summary)
        if end > number { break }
        start = end
        i += 1
      }
      return .init(index: index + i, element: elements[i], start: start)
    }
    let children = children.span
    while i < children.count - 1 {
      let end = start + measure(children[i].summary)
      if end > number { break }
      start = end
      index += children[i].count
      i += 1
    }
    return children[i].place(of: number, in: measure, index: index, start: start)
  }

  @inlinable
  func forEach(
    in range: Range<Int>,
    base: Int,
    prefix: Summary,
    _ body: (Element, Int, Summary) -> Bool
  ) -> Bool {
    var prefix = prefix
    if height == 0 {
      let elements = elements.span
      for i in 0 ..< range.upperBound {
        if i >= range.lowerBound && !body(elements[i], base + i, prefix) { return false }
        prefix = prefix + elements[i].summary
      }
      return true
    }
    let children = children.span
    var start = 0
    for i in children.indices {
      if start >= range.upperBound { break }
      let end = start + children[i].count
      if end > range.lowerBound {
        let part = max(range.lowerBound, start) - start ..< min(range.upperBound, end) - start
        if !children[i].forEach(in: part, base: base + start, prefix: prefix, body) { return false }
      }
      prefix = prefix + children[i].summary
      start = end
    }
    return true
  }

  /// - Parameter isFound: whether the first element has been reached.
  @inlinable
  func forEach(
    isFound: inout Bool,
    index: Int,
    prefix: Summary,
    where reaches: (Summary) -> Bool,
    _ body: (Element, Int, Summary) -> Bool
  ) -> Bool {
    var prefix = prefix
    var index = index
    if height == 0 {
      let elements = elements.span
      for i in elements.indices {
        let through = prefix + elements[i].summary
        // The last is taken unasked: see `firstPosition`.
        isFound = isFound || i == elements.count - 1 || reaches(through)
        if isFound && !body(elements[i], index + i, prefix) { return false }
        prefix = through
      }
      return true
    }
    let children = children.span
    for i in children.indices {
      let through = prefix + children[i].summary
      if isFound || i == children.count - 1 || reaches(through) {
        let goesOn = children[i].forEach(
          isFound: &isFound,
          index: index,
          prefix: prefix,
          where: reaches,
          body
        )
        if !goesOn { return false }
      }
      prefix = through
      index += children[i].count
    }
    return true
  }
}
