// SPDX-License-Identifier: Apache-2.0

/// What a `SummaryTree` knows about a run of its elements: a monoid under `+`.
public protocol TreeSummary: Sendable {
  /// The summary of no elements; neutral under `+`.
  static var zero: Self { get }

  /// The summary of a run followed by another.
  static func + (a: Self, b: Self) -> Self
}

/// An element of a `SummaryTree`.
public protocol SummarizedElement: Sendable {
  /// What trees of these elements add up.
  associatedtype Summary: TreeSummary

  /// The summary of this element alone. Read often, so it should be stored or O(1) to compute.
  var summary: Summary { get }
}

/// A persistent sequence in which elements can be found by any running total.
///
/// A B-tree whose nodes contain the summaries of their children. Copying is O(1). An edit copies
/// the nodes on one path and shares the others. Nodes that no other tree shares are changed in
/// place, so that building a tree by appending copies nothing.
///
///     var lines = SummaryTree(elements)
///     let line = lines.firstPosition { $0.height > y }   // the first that ends below y
///
/// Totals are sums along the path from the root. For floating-point summaries that are not exact,
/// the same prefix may differ in its last bits between trees of different shape.
@frozen
public struct SummaryTree<Element: SummarizedElement>: Sendable {
  /// What the tree adds up.
  public typealias Summary = Element.Summary

  @usableFromInline var root: TreeNode<Element>

  /// An empty tree.
  @inlinable
  public init() { root = TreeNode(leaf: []) }

  /// A tree of the given elements.
  ///
  /// - Complexity: O(n)
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    root = TreeNode(building: Array(elements))
  }

  @inlinable
  init(root: TreeNode<Element>) { self.root = root }

  /// The number of elements.
  @inlinable public var count: Int { root.count }
  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { root.count == 0 }

  /// The summary of all elements.
  ///
  /// - Complexity: O(1)
  @inlinable public var summary: Summary { root.summary }

  /// The element at an index.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < root.count, "index \(index) of \(root.count)")
      return root.element(at: index)
    }
    set { update(at: index) { $0 = newValue } }
  }

  /// An element, its index and the summary of everything before it.
  @frozen
  public struct Position: Sendable {
    /// The element's index in the tree.
    public let index: Int
    /// The element itself.
    public let element: Element
    /// The summary of all elements before this one.
    public let prefix: Summary

    @inlinable
    init(index: Int, element: Element, prefix: Summary) {
      self.index = index
      self.element = element
      self.prefix = prefix
    }
  }

  /// The first element for which the summary of all elements up to and including it satisfies
  /// `reaches`; nil = not even the summary of all elements does.
  ///
  /// - Parameter reaches: must be monotone: once true for a prefix, true for every longer one.
  /// - Complexity: O(log n)
  @inlinable
  public func firstPosition(where reaches: (Summary) -> Bool) -> Position? {
    guard root.count > 0, reaches(root.summary) else { return nil }
    return root.firstPosition(after: .zero, index: 0, where: reaches)
  }

  /// An element, its index and one total over everything before it.
  @frozen
  public struct Place: Sendable {
    /// The element's index in the tree.
    public let index: Int
    /// The element itself.
    public let element: Element
    /// The total of all elements before this one.
    public let start: Int

    @inlinable
    init(index: Int, element: Element, start: Int) {
      self.index = index
      self.element = element
      self.start = start
    }
  }

  /// The first element for which a total over all elements up to and including it exceeds `number`;
  /// nil = not even the total of all elements does.
  ///
  /// Faster than `firstPosition`, because it adds up one integer rather than whole summaries.
  ///
  /// - Parameter measure: picks the total out of a summary. Must not be negative, and must be
  ///   additive: measure(a + b) = measure(a) + measure(b).
  /// - Complexity: O(log n)
  @inlinable
  public func place(of number: Int, in measure: (Summary) -> Int) -> Place? {
    guard root.count > 0, measure(root.summary) > number else { return nil }
    return root.place(of: number, in: measure)
  }

  /// Calls `body` with that element, its index, and the total of all elements before it. Faster
  /// than `place(of:in:)` where only a part of the element is needed, which is then not copied as a
  /// whole.
  ///
  /// - Returns: nil = not even the total of all elements exceeds `number`.
  /// - Complexity: O(log n)
  @inlinable
  public func withPlace<Result>(
    of number: Int,
    in measure: (Summary) -> Int,
    _ body: (Element, Int, Int) -> Result
  ) -> Result? {
    guard root.count > 0, measure(root.summary) > number else { return nil }
    return root.withPlace(of: number, in: measure, body)
  }

  /// The first element that a state does not pass, and its index; nil = it passes all.
  ///
  /// For totals that depend on what comes before a run, so that they are not in the run's summary
  /// alone. The state adds up along the path from the root.
  ///
  /// - Parameter passes: takes the state past a run of elements and returns true, or returns false
  ///   and leaves the state as it is. Must return true for a run exactly where it does for each of
  ///   its elements in turn.
  /// - Complexity: O(log n)
  @inlinable
  public func walk<State>(
    _ state: inout State,
    passes: (inout State, Summary) -> Bool
  ) -> (index: Int, element: Element)? {
    guard root.count > 0, !passes(&state, root.summary) else { return nil }
    return root.walk(&state, passes, index: 0)
  }

  /// The element at an index, with the summary of everything before it.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  @inlinable
  public func position(at index: Int) -> Position {
    precondition(index >= 0 && index < root.count, "index \(index) of \(root.count)")
    return root.position(at: index, after: .zero, base: 0)
  }

  /// The summary of the first `count` elements.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `count` is within 0 ... count of the tree.
  @inlinable
  public func summary(ofFirst count: Int) -> Summary {
    precondition(count >= 0 && count <= root.count, "\(count) of \(root.count)")
    return count == root.count ? root.summary : root.summary(ofFirst: count, after: .zero)
  }

  /// Calls `body` with each element of a range, its index and the summary of all elements before
  /// it, in order, until it returns false.
  ///
  /// - Complexity: O(log n + k) for k elements; allocates nothing.
  /// - Returns: whether `body` returned true for every element.
  /// - Precondition: `range` is within 0 ..< count.
  @inlinable @discardableResult
  public func forEach(in range: Range<Int>, _ body: (Element, Int, Summary) -> Bool) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(root.count)")
    guard !range.isEmpty else { return true }
    return root.forEach(in: range, base: 0, prefix: .zero, body)
  }
}

extension SummaryTree {
  /// Calls `body` with each element that has a part of a range of one total, and the total of all
  /// elements before it, in order, until it returns false.
  ///
  /// Faster than the others, because it adds up one integer rather than whole summaries, and looks
  /// at nothing else of them.
  ///
  /// - Parameter range: not empty.
  /// - Parameter measure: as in `place(of:in:)`.
  /// - Complexity: O(log n + k) for k elements; allocates nothing.
  @inlinable
  public func forEach(
    overlapping range: Range<Int>,
    in measure: (Summary) -> Int,
    _ body: (Element, Int) -> Bool
  ) {
    root.forEach(overlapping: range, in: measure, body)
  }

  /// Calls `body` with the elements of each leaf, in order: the fastest way through all elements.
  ///
  /// - Complexity: O(n); allocates nothing.
  @inlinable
  public func forEachLeaf(_ body: ([Element]) -> Void) {
    if root.height == 0 {
      body(root.elements)
    } else {
      Self.forEachLeaf(below: root.children, body)
    }
  }

  @inlinable
  static func forEachLeaf(below nodes: [TreeNode<Element>], _ body: ([Element]) -> Void) {
    for i in nodes.indices {
      if nodes[i].height == 0 {
        body(nodes[i].elements)
      } else {
        forEachLeaf(below: nodes[i].children, body)
      }
    }
  }

  /// Calls `body` with each element from `firstPosition(where: reaches)` on, its index and the
  /// summary of all elements before it, in order, until it returns false.
  ///
  /// - Parameter reaches: must be monotone: once true for a prefix, true for every longer one.
  /// - Complexity: O(log n + k) for k elements; allocates and copies nothing.
  @inlinable
  public func forEach(
    where reaches: (Summary) -> Bool,
    body: (Element, Int, Summary) -> Bool
  ) {
    guard root.count > 0, reaches(root.summary) else { return }
    var isFound = false
    _ = root.forEach(isFound: &isFound, index: 0, prefix: .zero, where: reaches, body)
  }
}

extension SummaryTree: Sequence {
  /// Visits the elements in order.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline var path: [(node: TreeNode<Element>, next: Int)]

    @inlinable
    init(root: TreeNode<Element>) { path = [(root, 0)] }

    /// The next element; nil = there are no more.
    ///
    /// - Complexity: amortised O(1)
    @inlinable
    public mutating func next() -> Element? {
      while let last = path.indices.last {
        let position = path[last].next
        if position >= path[last].node.slotCount {
          path.removeLast()
        } else {
          path[last].next += 1
          if path[last].node.height == 0 { return path[last].node.elements[position] }
          path.append((path[last].node.children[position], 0))
        }
      }
      return nil
    }
  }

  /// An iterator over the elements in order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(root: root) }

  /// The number of elements.
  @inlinable public var underestimatedCount: Int { root.count }
}
