// SPDX-License-Identifier: Apache-2.0

extension SummaryTree {
  /// New elements for a range of old ones.
  @frozen
  public struct Replacement: Sendable {
    /// The indices of the replaced elements in the tree before any replacement; empty = an
    /// insertion.
    public var range: Range<Int>
    /// The elements that take their place; empty = a removal.
    public var elements: [Element]

    /// Replaces the elements of `range` by `elements`.
    @inlinable
    public init(_ range: Range<Int>, with elements: [Element]) {
      self.range = range
      self.elements = elements
    }
  }

  /// Replaces many ranges in one pass: a node that several replacements touch is copied once.
  ///
  /// - Parameter replacements: sorted and disjoint; all ranges count in the tree as it is before.
  /// - Complexity: O(k log n + m) for k replacements by m elements; O(n + m) at most.
  /// - Precondition: the ranges are within 0 ..< count.
  @inlinable
  public mutating func replaceSubranges(_ replacements: [Replacement]) {
    var end = 0
    for replacement in replacements {
      precondition(
        replacement.range.lowerBound >= end && replacement.range.upperBound <= count,
        "\(replacement.range) of \(end) ..< \(count)"
      )
      end = replacement.range.upperBound
    }
    guard !replacements.isEmpty else { return }
    var level: [TreeNode<Element>] = []
    root.appendReplacing(replacements[...], base: 0, isLast: true, to: &level)
    while level.count > 1 { level = TreeNode.parents(of: level) }
    root = level.first ?? TreeNode(leaf: [])
    root.collapse()
  }
}

extension TreeNode {
  @usableFromInline typealias Replacement = SummaryTree<Element>.Replacement

  /// Carries out replacements in this node and appends the resulting nodes, which have the same
  /// height as this one; none of them is empty.
  ///
  /// The appended nodes may have fewer than `minSlots` slots. The nodes below them are well-formed,
  /// except for one: where the result is a single node with a single child, that child may have too
  /// few slots as well.
  ///
  /// - Parameter replacements: all that touch this node, at least one. The first may begin before
  ///   the node, and the last may end after it. New elements go to the node where their range
  ///   begins.
  /// - Parameter base: the index of the node's first element in the tree.
  /// - Parameter isLast: whether insertions at the end of the node belong to it rather than to the
  ///   next node.
  /// - Parameter nodes: receives the resulting nodes.
  @inlinable
  func appendReplacing(
    _ replacements: ArraySlice<Replacement>,
    base: Int,
    isLast: Bool,
    to nodes: inout [TreeNode]
  ) {
    if height == 0 {
      Self.appendReplacing(of: elements, replacements, base: base, to: &nodes)
      return
    }
    var new: [TreeNode] = []
    new.reserveCapacity(children.count + 4)
    var next = replacements.startIndex
    var start = base
    for i in children.indices {
      let end = start + children[i].count
      let isLastChild = isLast && i == children.count - 1
      var after = next
      while after < replacements.endIndex,
        isLastChild || replacements[after].range.lowerBound < end
      {
        after += 1
      }
      if after == next {
        new.append(children[i])
      } else {
        let first = replacements[next].range
        let isGone = after == next + 1 && first.lowerBound < start && first.upperBound >= end
        if !isGone, height == 1 {
          let parts = replacements[next ..< after]
          Self.appendReplacing(of: children[i].elements, parts, base: start, to: &new)
        } else if !isGone {
          children[i].appendReplacing(
            replacements[next ..< after],
            base: start,
            isLast: isLastChild,
            to: &new
          )
        }
        // The last replacement may reach into the next child, which then gets it again.
        next = replacements[after - 1].range.upperBound > end ? after - 1 : after
      }
      start = end
    }
    Self.fillUp(&new)
    if new.count <= Self.maxSlots {
      if !new.isEmpty { nodes.append(TreeNode(inner: new)) }
      return
    }
    for range in Self.evenRanges(new.count) { nodes.append(TreeNode(inner: Array(new[range]))) }
  }

  /// Carries out replacements in the elements of a leaf and appends the resulting leaves; see the
  /// other one.
  @inlinable
  static func appendReplacing(
    of elements: [Element],
    _ replacements: ArraySlice<Replacement>,
    base: Int,
    to nodes: inout [TreeNode]
  ) {
    var new: [Element] = []
    new.reserveCapacity(elements.count + replacements.count)
    var next = 0
    for replacement in replacements {
      let range = replacement.range
      let start = max(range.lowerBound - base, 0)
      if start > next { new.append(contentsOf: elements[next ..< start]) }
      if range.lowerBound >= base { new.append(contentsOf: replacement.elements) }
      next = max(next, min(range.upperBound - base, elements.count))
    }
    new.append(contentsOf: elements[next...])
    if new.count <= maxSlots {
      if !new.isEmpty { nodes.append(TreeNode(leaf: new)) }
      return
    }
    for range in evenRanges(new.count) { nodes.append(TreeNode(leaf: Array(new[range]))) }
  }

  /// Merges neighbouring siblings until none has fewer than `minSlots` slots or only one is left.
  @inlinable
  static func fillUp(_ nodes: inout [TreeNode]) {
    guard nodes.contains(where: { $0.slotCount < minSlots }) else { return }
    var full: [TreeNode] = []
    full.reserveCapacity(nodes.count)
    for node in nodes {
      guard let last = full.last, last.slotCount < minSlots || node.slotCount < minSlots else {
        full.append(node)
        continue
      }
      full.removeLast()
      full.append(contentsOf: merged(last, node))
    }
    nodes = full
  }

  /// Distributes the slots of two siblings evenly over one node or two.
  @inlinable
  static func merged(_ left: TreeNode, _ right: TreeNode) -> [TreeNode] {
    if left.height == 0 {
      let all = left.elements + right.elements
      return evenRanges(all.count).map { TreeNode(leaf: Array(all[$0])) }
    }
    var all = left.children + right.children
    // The only child of a node may itself have too few slots.
    fillUp(&all)
    return evenRanges(all.count).map { TreeNode(inner: Array(all[$0])) }
  }

  /// The nodes one level above some siblings; the siblings themselves where merging leaves only
  /// one.
  @inlinable
  static func parents(of nodes: [TreeNode]) -> [TreeNode] {
    var nodes = nodes
    fillUp(&nodes)
    return nodes.count == 1
      ? nodes : evenRanges(nodes.count).map { TreeNode(inner: Array(nodes[$0])) }
  }
}
