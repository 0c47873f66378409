// SPDX-License-Identifier: Apache-2.0

extension SummaryTree {
  /// Appends an element.
  ///
  /// - Complexity: O(log n). Nodes that no other tree shares are changed in place.
  @inlinable
  public mutating func append(_ element: Element) {
    if let spill = root.append(element) { root = TreeNode(inner: [root, spill]) }
  }

  /// Appends another tree, sharing its nodes.
  ///
  /// - Complexity: O(log n + log m)
  @inlinable
  public mutating func append(contentsOf other: SummaryTree) {
    if other.isEmpty { return }
    if isEmpty {
      root = other.root
    } else {
      let left = root
      root = TreeNode(leaf: [])
      root = TreeNode.joined(left, other.root)
    }
  }

  /// The first `count` elements.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `count` is within 0 ... count of the tree.
  @inlinable
  public func prefix(_ count: Int) -> SummaryTree {
    precondition(count >= 0 && count <= root.count, "\(count) of \(root.count)")
    return count == 0 ? SummaryTree() : SummaryTree(root: root.prefix(count))
  }

  /// The elements from an index on.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ... count.
  @inlinable
  public func suffix(from index: Int) -> SummaryTree {
    precondition(index >= 0 && index <= root.count, "index \(index) of \(root.count)")
    return index == root.count ? SummaryTree() : SummaryTree(root: root.suffix(from: index))
  }

  /// Replaces a range of elements.
  ///
  /// - Complexity: O(log n + m) for m new elements.
  /// - Precondition: `range` is within 0 ..< count.
  @inlinable
  public mutating func replaceSubrange(
    _ range: Range<Int>,
    with elements: some Collection<Element>
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(root.count)")
    if range.isEmpty && elements.isEmpty { return }
    guard root.isLocal(range, newCount: elements.count) else {
      replaceSubrange(range, with: SummaryTree(elements))
      return
    }
    let spill = root.replaceLocally(range, with: elements)
    if let spill {
      root = TreeNode(inner: [root, spill])
    } else {
      root.collapse()
    }
  }

  /// Replaces a range of elements by those of another tree, sharing its nodes.
  ///
  /// - Complexity: O(log n + log m)
  /// - Precondition: `range` is within 0 ..< count.
  @inlinable
  public mutating func replaceSubrange(_ range: Range<Int>, with other: SummaryTree) {
    let tail = suffix(from: range.upperBound)
    self = prefix(range.lowerBound)
    append(contentsOf: other)
    append(contentsOf: tail)
  }

  /// Removes a range of elements.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `range` is within 0 ..< count.
  @inlinable
  public mutating func removeSubrange(_ range: Range<Int>) {
    replaceSubrange(range, with: EmptyCollection())
  }

  /// Changes one element in place.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  @inlinable
  public mutating func update(at index: Int, _ body: (inout Element) -> Void) {
    precondition(index >= 0 && index < root.count, "index \(index) of \(root.count)")
    root.update(at: index, body)
  }
}
