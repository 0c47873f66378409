// SPDX-License-Identifier: Apache-2.0

/// What a `SummaryTree` knows about a run of its elements: a monoid.
public protocol TreeSummary: Sendable {
  /// The summary of no elements; neutral under `+`.
  static var zero: Self { get }

  /// The summary of a run followed by another.
  static func + (a: Self, b: Self) -> Self
}

/// An element of a `SummaryTree`.
public protocol SummarizedElement: Sendable {
  associatedtype Summary: TreeSummary

  /// Asked often; should be stored or cheap.
  var summary: Summary { get }
}

/// A persistent sequence that finds elements by any running total.
///
/// A B-tree whose nodes hold the summaries of their children. Copying is O(1), and an edit copies
/// the nodes on one path and shares the rest; nodes that nobody else holds are changed in place, so
/// that building by appending does not copy.
///
///     var lines = SummaryTree(elements)
///     let line = lines.firstPosition { $0.height > y }   // the first that ends below y
///
/// Totals are sums along the path from the root. For floating-point summaries that are not exact,
/// the same prefix may differ in its last bits between trees of different shape.
@frozen
public struct SummaryTree<Element: SummarizedElement>: Sendable {
  public typealias Summary = Element.Summary

  @usableFromInline var root: TreeNode<Element>

  @inlinable
  public init() { root = TreeNode(leaf: []) }

  /// - Complexity: O(n)
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    root = TreeNode(building: Array(elements))
  }

  @inlinable
  init(root: TreeNode<Element>) { self.root = root }

  /// How many elements there are.
  @inlinable public var count: Int { root.count }
  @inlinable public var isEmpty: Bool { root.count == 0 }

  /// The summary of all elements.
  /// - Complexity: O(1)
  @inlinable public var summary: Summary { root.summary }

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

  /// An element with what comes before it.
  @frozen
  public struct Position: Sendable {
    public let index: Int
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

  /// The first element at whose end the running total satisfies `reaches`; nil when not even the
  /// total of all does.
  ///
  /// - Parameter reaches: monotone: once true for a prefix, true for every longer one.
  /// - Complexity: O(log n)
  @inlinable
  public func firstPosition(where reaches: (Summary) -> Bool) -> Position? {
    guard root.count > 0, reaches(root.summary) else { return nil }
    return root.firstPosition(after: .zero, index: 0, where: reaches)
  }

  /// An element with one of the totals before it.
  @frozen
  public struct Place: Sendable {
    public let index: Int
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

  /// The first element at whose end a total exceeds a number; nil when not even that of all does.
  /// Adds up nothing else, and so is quicker than `firstPosition`.
  ///
  /// - Parameter measure: a part of the summary that is never negative, and adds up.
  /// - Complexity: O(log n)
  @inlinable
  public func place(of number: Int, in measure: (Summary) -> Int) -> Place? {
    guard root.count > 0, measure(root.summary) > number else { return nil }
    return root.place(of: number, in: measure)
  }

  /// The element at an index with what comes before it.
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

  /// Calls `body` with each element of a range, its index and the summary of all before it, in
  /// order, until it returns false.
  ///
  /// - Complexity: O(log n + k); allocates nothing.
  /// - Returns: whether the end of the range was reached.
  /// - Precondition: `range` is within 0 ..< count.
  @inlinable @discardableResult
  public func forEach(in range: Range<Int>, _ body: (Element, Int, Summary) -> Bool) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(root.count)")
    guard !range.isEmpty else { return true }
    return root.forEach(in: range, base: 0, prefix: .zero, body)
  }
}

extension SummaryTree {
  /// Calls `body` with each element from the first on at whose end the running total satisfies
  /// `reaches`, with its index and the summary of all before it, in order, until it returns false.
  ///
  /// - Parameter reaches: monotone: once true for a prefix, true for every longer one.
  /// - Complexity: O(log n + k); allocates and copies nothing.
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
  /// Walks the leaves from left to right.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline var path: [(node: TreeNode<Element>, next: Int)]

    @inlinable
    init(root: TreeNode<Element>) { path = [(root, 0)] }

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

  @inlinable
  public func makeIterator() -> Iterator { Iterator(root: root) }

  @inlinable public var underestimatedCount: Int { root.count }
}
