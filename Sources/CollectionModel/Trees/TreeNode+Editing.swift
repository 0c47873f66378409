// SPDX-License-Identifier: Apache-2.0

/// Editing. A mutating function leaves this node well-formed. Where it returns a node, that is a
/// right sibling of the same height which takes the slots that did not fit.
extension TreeNode {
  /// Moves the upper half of the slots to a new right sibling where there are more than `maxSlots`;
  /// nil = all slots fit.
  @inlinable
  mutating func splitIfOverfull() -> TreeNode? {
    let slots = slotCount
    guard slots > Self.maxSlots else { return nil }
    let half = slots / 2
    let spill: TreeNode
    if height == 0 {
      spill = TreeNode(leaf: Array(elements[half...]))
      elements.removeSubrange(half...)
    } else {
      spill = TreeNode(inner: Array(children[half...]))
      children.removeSubrange(half...)
    }
    refresh()
    return spill
  }

  /// Replaces the root by its child while the child is the only one.
  @inlinable
  mutating func collapse() {
    while height > 0 && children.count == 1 { self = children[0] }
  }

  /// Appends an element below this node.
  @inlinable
  mutating func append(_ element: Element) -> TreeNode? {
    if height == 0 {
      elements.append(element)
    } else if let spill = children[children.count - 1].append(element) {
      children.append(spill)
    }
    if let spill = splitIfOverfull() { return spill }
    summary = summary + element.summary
    count += 1
    return nil
  }

  // MARK: - Joining

  /// Moves slots between this node and a right sibling so that both are well-formed; nil = this
  /// node has taken all of them.
  ///
  /// - Precondition: both have the same height.
  @inlinable
  mutating func merge(_ other: TreeNode) -> TreeNode? {
    let total = slotCount + other.slotCount
    if total > Self.maxSlots && slotCount >= Self.minSlots && other.slotCount >= Self.minSlots {
      return other
    }
    elements += other.elements
    children += other.children
    if let spill = splitIfOverfull() { return spill }
    refresh()
    return nil
  }

  /// Appends a node at the right end, at the level that its height belongs to.
  ///
  /// - Precondition: `other` is not higher.
  @inlinable
  mutating func append(node other: TreeNode) -> TreeNode? {
    if other.height == height { return merge(other) }
    if let spill = children[children.count - 1].append(node: other) { children.append(spill) }
    if let spill = splitIfOverfull() { return spill }
    refresh()
    return nil
  }

  /// Inserts a node at the left end, at the level that its height belongs to.
  ///
  /// - Precondition: `other` is lower.
  @inlinable
  mutating func prepend(node other: TreeNode) -> TreeNode? {
    if children[0].height == other.height {
      var first = other
      if let spill = first.merge(children[0]) {
        children[0] = spill
        children.insert(first, at: 0)
      } else {
        children[0] = first
      }
    } else if let spill = children[0].prepend(node: other) {
      children.insert(spill, at: 1)
    }
    if let spill = splitIfOverfull() { return spill }
    refresh()
    return nil
  }

  /// The root of a tree with the elements of two others, in order.
  ///
  /// - Precondition: neither is empty.
  @inlinable
  static func joined(_ left: TreeNode, _ right: TreeNode) -> TreeNode {
    var result: TreeNode
    let spill: TreeNode?
    if left.height >= right.height {
      result = left
      spill = result.append(node: right)
    } else {
      result = right
      spill = result.prepend(node: left)
    }
    return spill.map { TreeNode(inner: [result, $0]) } ?? result
  }

  // MARK: - Splitting

  /// A node with these children, or the only child itself; nil = there are none.
  @inlinable
  static func root(of children: ArraySlice<TreeNode>) -> TreeNode? {
    guard let first = children.first else { return nil }
    return children.count == 1 ? first : TreeNode(inner: Array(children))
  }

  /// The root of a tree with the first `count` elements.
  ///
  /// - Precondition: 0 < `count` ≤ count of the node.
  @inlinable
  func prefix(_ count: Int) -> TreeNode {
    if count == self.count { return self }
    if height == 0 { return TreeNode(leaf: Array(elements[..<count])) }
    var rest = count
    var i = 0
    while rest >= children[i].count {
      rest -= children[i].count
      i += 1
    }
    let whole = Self.root(of: children[..<i])
    guard rest > 0 else { return whole ?? self }
    let part = children[i].prefix(rest)
    return whole.map { Self.joined($0, part) } ?? part
  }

  /// The root of a tree with the elements from an index on.
  ///
  /// - Precondition: 0 ≤ `index` < count of the node.
  @inlinable
  func suffix(from index: Int) -> TreeNode {
    if index == 0 { return self }
    if height == 0 { return TreeNode(leaf: Array(elements[index...])) }
    var rest = index
    var i = 0
    while rest >= children[i].count {
      rest -= children[i].count
      i += 1
    }
    let part = children[i].suffix(from: rest)
    return Self.root(of: children[(i + 1)...]).map { Self.joined(part, $0) } ?? part
  }

  // MARK: - Editing one leaf

  /// Whether a replacement touches one leaf only and leaves at most two in its place.
  ///
  /// - Parameter range: the replaced elements, counted from the node's first.
  /// - Parameter newCount: how many elements take their place.
  @inlinable
  func isLocal(_ range: Range<Int>, newCount: Int) -> Bool {
    if height == 0 { return elements.count - range.count + newCount <= 2 * Self.maxSlots }
    let (i, start) = child(for: range)
    return range.upperBound <= start + children[i].count
      && children[i].isLocal(
        range.lowerBound - start ..< range.upperBound - start,
        newCount: newCount
      )
  }

  /// The child that contains the start of a range, and the index of that child's first element. An
  /// empty range between two children belongs to the first of them.
  @inlinable
  func child(for range: Range<Int>) -> (child: Int, start: Int) {
    var start = 0
    var i = 0
    while i < children.count - 1 {
      let end = start + children[i].count
      if range.lowerBound < end || (range.isEmpty && range.lowerBound == end) { break }
      start = end
      i += 1
    }
    return (i, start)
  }

  /// Replaces a range of elements in one leaf.
  ///
  /// - Precondition: `isLocal` is true for the same arguments.
  @inlinable
  mutating func replaceLocally(
    _ range: Range<Int>,
    with new: some Collection<Element>
  ) -> TreeNode? {
    if height == 0 {
      elements.replaceSubrange(range, with: new)
    } else {
      let (i, start) = child(for: range)
      let local = range.lowerBound - start ..< range.upperBound - start
      if let spill = children[i].replaceLocally(local, with: new) {
        children.insert(spill, at: i + 1)
      } else if children[i].slotCount < Self.minSlots && children.count > 1 {
        let left = i > 0 ? i - 1 : i
        let right = children.remove(at: left + 1)
        if let spill = children[left].merge(right) { children.insert(spill, at: left + 1) }
      }
    }
    if let spill = splitIfOverfull() { return spill }
    refresh()
    return nil
  }

  /// Changes one element in place.
  ///
  /// - Precondition: 0 ≤ `index` < count of the node.
  @inlinable
  mutating func update(at index: Int, _ body: (inout Element) -> Void) {
    if height == 0 {
      body(&elements[index])
    } else {
      var rest = index
      var i = 0
      while rest >= children[i].count {
        rest -= children[i].count
        i += 1
      }
      children[i].update(at: rest, body)
    }
    refresh()
  }
}
