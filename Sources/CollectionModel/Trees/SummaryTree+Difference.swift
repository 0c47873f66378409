// SPDX-License-Identifier: Apache-2.0

extension SummaryTree {
  /// What is left of two versions of a tree without the leaves that they share, in order.
  ///
  /// Where no element stands in a tree twice, an element of one that is not in what is left of it is
  /// in the other as well. What is left may still hold elements of both: leaves differ as a whole.
  ///
  /// - Complexity: O(nodes that are not shared): for versions that a few edits lie between,
  ///   O(edits · log n).
  func unshared(with other: SummaryTree) -> (mine: [Element], theirs: [Element]) {
    var mine = [root]
    var theirs = [other.root]
    while true {
      let (height, otherHeight) = (mine.first?.height ?? 0, theirs.first?.height ?? 0)
      if height == otherHeight {
        // A node that both trees have is at the same height in both.
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
  /// The place of what it holds, which is that of no other node while this one lives; all empty
  /// leaves have the same.
  fileprivate var identity: UInt {
    height == 0
      ? unsafe elements.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
      : unsafe children.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }
}
