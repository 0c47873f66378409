// SPDX-License-Identifier: Apache-2.0

/// A node of a `SummaryTree`: a value that owns an array of elements (a leaf) or of nodes one level
/// lower (an inner node).
///
/// Nodes are shared, copied and changed in place by the rules of Swift arrays, and the summaries
/// that a search compares are neighbours in memory.
///
/// Invariants: every leaf is at height 0. Every node but the root has at least `minSlots` slots,
/// and none has more than `maxSlots`. An inner root has at least two children.
@frozen @usableFromInline
struct TreeNode<Element: SummarizedElement>: Sendable {
  @usableFromInline typealias Summary = Element.Summary

  /// A leaf's elements; empty for an inner node.
  @usableFromInline var elements: [Element]
  /// An inner node's children; empty for a leaf.
  @usableFromInline var children: [TreeNode]
  /// The summary of all elements below.
  @usableFromInline var summary: Summary
  /// The number of elements below.
  @usableFromInline var count: Int
  /// The number of levels below this one; 0 for a leaf.
  @usableFromInline var height: Int

  /// The most elements of a leaf, and the most children of an inner node.
  @inlinable static var maxSlots: Int { 16 }
  /// The fewest slots of any node but the root.
  @inlinable static var minSlots: Int { 8 }

  /// A leaf.
  @inlinable
  init(leaf elements: [Element]) {
    self.elements = elements
    children = []
    summary = .zero
    count = 0
    height = 0
    refresh()
  }

  /// A parent of some nodes.
  ///
  /// - Precondition: `children` is not empty, and all have the same height.
  @inlinable
  init(inner children: [TreeNode]) {
    elements = []
    self.children = children
    summary = .zero
    count = 0
    height = children[0].height + 1
    refresh()
  }

  /// The root of a tree of the given elements, with the same number of slots in all nodes of a
  /// level, give or take one.
  ///
  /// - Complexity: O(n)
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

  /// Divides 0 ..< count into as few ranges of at most `maxSlots` as possible, whose sizes differ
  /// by at most one. The products do not overflow: far fewer than 2³³ elements fit in memory.
  @inlinable
  static func evenRanges(_ count: Int) -> [Range<Int>] {
    let parts = (count + maxSlots - 1) / maxSlots
    return (0 ..< parts).map { $0 * count / parts ..< ($0 + 1) * count / parts }
  }

  /// The number of elements of a leaf, or of children of an inner node.
  @inlinable var slotCount: Int { height == 0 ? elements.count : children.count }

  /// Recomputes `summary` and `count` from the slots.
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

  // Searches go down from array to array, and look at the nodes in each through a span: a call of a
  // method of a child would copy the child, that is, retain both of its arrays.
  // Indices and counts are those of the node: its first element has index 0, and callers have
  // checked that the index is within the node.

  /// The element at an index.
  @inlinable
  func element(at index: Int) -> Element {
    if height == 0 { return elements[index] }
    var level = height
    var rest = index
    var nodes = children
    while true {
      let i = Self.slot(of: &rest, in: nodes)
      level -= 1
      if level == 0 { return nodes[i].elements[rest] }
      nodes = nodes[i].children
    }
  }

  /// The node that contains an element.
  ///
  /// - Parameter rest: the index of the element among those of all nodes; becomes its index in the
  ///   node.
  @inlinable
  static func slot(of rest: inout Int, in nodes: [TreeNode]) -> Int {
    let nodes = nodes.span
    var i = 0
    while rest >= nodes[i].count {
      rest -= nodes[i].count
      i += 1
    }
    return i
  }

  /// The element at an index, with its index in the tree and the summary of all elements before it.
  ///
  /// - Parameter prefix: the summary of all elements before this node.
  /// - Parameter base: the index of the node's first element in the tree.
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

  /// The summary of all elements before this node and its first `count`.
  ///
  /// - Parameter prefix: the summary of all elements before this node.
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

  /// The first element for which the summary up to and including it satisfies `reaches`.
  ///
  /// The last slot is taken without asking `reaches`: a floating-point total of the parent may
  /// satisfy it although, by rounding, the sum of the slots does not.
  ///
  /// - Parameter prefix: the summary of all elements before this node.
  /// - Parameter index: the index of the node's first element in the tree.
  @inlinable
  func firstPosition(
    after prefix: Summary,
    index: Int,
    where reaches: (Summary) -> Bool
  ) -> SummaryTree<Element>.Position {
    // As in `withPlace`.
    withExtendedLifetime(self) {
      var prefix = prefix
      var index = index
      var level = height
      var nodes = unsafe children.withUnsafeBufferPointer { unsafe $0 }
      var leaf = unsafe elements.withUnsafeBufferPointer { unsafe $0 }
      while level > 0 {
        var i = 0
        while i < nodes.count - 1 {
          let through = unsafe prefix + nodes[i].summary
          if reaches(through) { break }
          prefix = through
          unsafe index += nodes[i].count
          i += 1
        }
        level -= 1
        if level == 0 {
          unsafe leaf = nodes[i].elements.withUnsafeBufferPointer { unsafe $0 }
        } else {
          unsafe nodes = nodes[i].children.withUnsafeBufferPointer { unsafe $0 }
        }
      }
      var i = 0
      while i < leaf.count - 1 {
        let through = unsafe prefix + leaf[i].summary
        if reaches(through) { break }
        prefix = through
        i += 1
      }
      return unsafe .init(index: index + i, element: leaf[i], prefix: prefix)
    }
  }

  /// The first element for which the total up to and including it exceeds `number`.
  ///
  /// - Precondition: the total of the node exceeds `number`.
  @inlinable
  func place(of number: Int, in measure: (Summary) -> Int) -> SummaryTree<Element>.Place {
    withPlace(of: number, in: measure) { .init(index: $1, element: $0, start: $2) }
  }

  /// Calls `body` with that element, its index in the tree, and the total of all elements before
  /// it.
  ///
  /// Changes no reference counts: nodes far down in large trees are seldom in a cache, and a search
  /// that only reads them waits for less.
  ///
  /// - Precondition: the total of the node exceeds `number`.
  @inlinable
  func withPlace<Result>(
    of number: Int,
    in measure: (Summary) -> Int,
    _ body: (Element, Int, Int) -> Result
  ) -> Result {
    // The pointers are to arrays of this node and of those below, which it keeps alive and nobody
    // changes.
    withExtendedLifetime(self) {
      var index = 0
      var start = 0
      var level = height
      var nodes = unsafe children.withUnsafeBufferPointer { unsafe $0 }
      var leaf = unsafe elements.withUnsafeBufferPointer { unsafe $0 }
      while level > 0 {
        var i = 0
        while i < nodes.count - 1 {
          let end = unsafe start + measure(nodes[i].summary)
          if end > number { break }
          start = end
          unsafe index += nodes[i].count
          i += 1
        }
        level -= 1
        if level == 0 {
          unsafe leaf = nodes[i].elements.withUnsafeBufferPointer { unsafe $0 }
        } else {
          unsafe nodes = nodes[i].children.withUnsafeBufferPointer { unsafe $0 }
        }
      }
      var i = 0
      while i < leaf.count - 1 {
        let end = unsafe start + measure(leaf[i].summary)
        if end > number { break }
        start = end
        i += 1
      }
      return unsafe body(leaf[i], index + i, start)
    }
  }

  /// The first element that a state does not pass.
  ///
  /// - Precondition: the state does not pass the node. Where rounding says of each of its slots
  ///   that it does, the last one counts.
  /// - Parameter index: the index of the node's first element in the tree.
  @inlinable
  func walk<State>(
    _ state: inout State,
    _ passes: (inout State, Summary) -> Bool,
    index: Int
  ) -> (index: Int, element: Element) {
    var i = 0
    if height == 0 {
      while i < elements.count - 1, passes(&state, elements[i].summary) { i += 1 }
      return (index + i, elements[i])
    }
    var index = index
    while i < children.count - 1, passes(&state, children[i].summary) {
      index += children[i].count
      i += 1
    }
    return children[i].walk(&state, passes, index: index)
  }

  /// Calls `body` with each element of a range until it returns false.
  ///
  /// - Parameter range: counted from the node's first element.
  /// - Parameter base: the index of the node's first element in the tree.
  /// - Parameter prefix: the summary of all elements before this node.
  /// - Returns: whether `body` returned true for every element.
  @inlinable
  func forEach(
    in range: Range<Int>,
    base: Int,
    prefix: Summary,
    _ body: (Element, Int, Summary) -> Bool
  ) -> Bool {
    height == 0
      ? Self.forEach(of: elements, in: range, base: base, prefix: prefix, body)
      : Self.forEach(below: children, height, in: range, base: base, prefix: prefix, body)
  }

  /// The same for the elements of a leaf.
  @inlinable
  static func forEach(
    of elements: [Element],
    in range: Range<Int>,
    base: Int,
    prefix: Summary,
    _ body: (Element, Int, Summary) -> Bool
  ) -> Bool {
    var prefix = prefix
    let elements = elements.span
    for i in 0 ..< range.upperBound {
      if i >= range.lowerBound && !body(elements[i], base + i, prefix) { return false }
      prefix = prefix + elements[i].summary
    }
    return true
  }

  /// The same for the elements below some siblings.
  ///
  /// - Parameter height: that of their parent.
  @inlinable
  static func forEach(
    below nodes: [TreeNode],
    _ height: Int,
    in range: Range<Int>,
    base: Int,
    prefix: Summary,
    _ body: (Element, Int, Summary) -> Bool
  ) -> Bool {
    var prefix = prefix
    var start = 0
    for i in nodes.indices {
      if start >= range.upperBound { break }
      let end = start + nodes[i].count
      if end > range.lowerBound {
        let part = max(range.lowerBound, start) - start ..< min(range.upperBound, end) - start
        let base = base + start
        let goesOn =
          height == 1
          ? forEach(of: nodes[i].elements, in: part, base: base, prefix: prefix, body)
          : forEach(
            below: nodes[i].children,
            height - 1,
            in: part,
            base: base,
            prefix: prefix,
            body
          )
        if !goesOn { return false }
      }
      prefix = prefix + nodes[i].summary
      start = end
    }
    return true
  }

  /// Calls `body` with each element that has a part of a range of one total, until it returns
  /// false.
  @inlinable
  func forEach(
    overlapping range: Range<Int>,
    in measure: (Summary) -> Int,
    _ body: (Element, Int) -> Bool
  ) {
    if height == 0 {
      _ = Self.forEach(of: elements, overlapping: range, in: measure, start: 0, body)
    } else {
      _ = Self.forEach(below: children, height, overlapping: range, in: measure, start: 0, body)
    }
  }

  /// The same for the elements of a leaf.
  ///
  /// - Parameter start: the total of all elements before them.
  /// - Returns: whether there may be more elements in the range.
  @inlinable
  static func forEach(
    of elements: [Element],
    overlapping range: Range<Int>,
    in measure: (Summary) -> Int,
    start: Int,
    _ body: (Element, Int) -> Bool
  ) -> Bool {
    var start = start
    let elements = elements.span
    for i in elements.indices {
      let end = start + measure(elements[i].summary)
      if end > range.lowerBound && !body(elements[i], start) { return false }
      start = end
      if start >= range.upperBound { return false }
    }
    return true
  }

  /// The same for the elements below some siblings.
  ///
  /// - Parameter height: that of their parent.
  @inlinable
  static func forEach(
    below nodes: [TreeNode],
    _ height: Int,
    overlapping range: Range<Int>,
    in measure: (Summary) -> Int,
    start: Int,
    _ body: (Element, Int) -> Bool
  ) -> Bool {
    var start = start
    for i in nodes.indices {
      let end = start + measure(nodes[i].summary)
      if end > range.lowerBound {
        let goesOn =
          height == 1
          ? forEach(of: nodes[i].elements, overlapping: range, in: measure, start: start, body)
          : forEach(
            below: nodes[i].children,
            height - 1,
            overlapping: range,
            in: measure,
            start: start,
            body
          )
        if !goesOn { return false }
      }
      start = end
    }
    return true
  }

  /// Calls `body` with each element from the first that `reaches` accepts on, until it returns
  /// false.
  ///
  /// - Parameter isFound: whether that first element has been found, here or in a node before.
  /// - Parameter index: the index of the node's first element in the tree.
  /// - Parameter prefix: the summary of all elements before this node.
  /// - Returns: whether `body` returned true for every element.
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
        // The last element is taken without asking: see `firstPosition`.
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
