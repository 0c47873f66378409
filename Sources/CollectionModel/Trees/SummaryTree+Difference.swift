// SPDX-License-Identifier: Apache-2.0

extension SummaryTree {
  /// The elements of each of two trees without the leaves that both trees share, in order.
  ///
  /// An element that is missing from a result is in both trees. The reverse does not hold: an
  /// edited leaf is reported as a whole, so both results may contain the same element.
  ///
  /// - Precondition: no tree contains an element twice.
  /// - Complexity: O(nodes that are not shared), which is O(edits · log n) for two versions that
  ///   are a few edits apart.
  func unshared(with other: SummaryTree) -> (mine: [Element], theirs: [Element]) {
    var mine = [root]
    var theirs = [other.root]
    while true {
      let (height, otherHeight) = (mine.first?.height ?? 0, theirs.first?.height ?? 0)
      if height == otherHeight {
        // A shared node is at the same height in both trees, so each level is compared with itself.
        let shared = Set(mine.map(\.identity)).intersection(theirs.map(\.identity))
        mine.removeAll { shared.contains($0.identity) }
        theirs.removeAll { shared.contains($0.identity) }
        if height == 0 { break }
      }
      if height >= otherHeight { mine = mine.flatMap(\.children) }
      if otherHeight >= height { theirs = theirs.flatMap(\.children) }
    }
    return (mine.flatMap(\.elements), theirs.flatMap(\.elements))
  }
}

extension TreeNode {
  /// The address of the node's array. No other node has it while this one exists, except that all
  /// empty leaves share one address.
  fileprivate var identity: UInt {
    height == 0
      ? unsafe elements.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
      : unsafe children.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }
}
