// SPDX-License-Identifier: Apache-2.0

extension SummaryTree {
  /// Describes the first fault in the tree's shape; nil = the tree is well-formed. For tests.
  ///
  /// - Complexity: O(n)
  public func brokenInvariant() -> String? { root.brokenInvariant(isRoot: true) }
}

extension TreeNode {
  /// Describes the first fault in the node or below it; nil = there is none.
  ///
  /// - Parameter isRoot: whether the node is the root, which may have fewer slots than others.
  /// - Complexity: O(n)
  func brokenInvariant(isRoot: Bool) -> String? {
    let slots = slotCount
    if slots > Self.maxSlots { return "\(slots) slots at height \(height)" }
    if !isRoot && slots < Self.minSlots { return "only \(slots) slots at height \(height)" }
    if isRoot && height > 0 && slots < 2 { return "an inner root with \(slots) children" }
    if height == 0 {
      if !children.isEmpty { return "a leaf with children" }
      return count == elements.count ? nil : "a leaf counts \(count) of \(elements.count)"
    }
    if !elements.isEmpty { return "an inner node with elements" }
    var below = 0
    for child in children {
      if child.height != height - 1 { return "height \(child.height) below \(height)" }
      if let broken = child.brokenInvariant(isRoot: false) { return broken }
      below += child.count
    }
    return below == count ? nil : "a node counts \(count) of \(below)"
  }
}
