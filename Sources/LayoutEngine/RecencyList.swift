// SPDX-License-Identifier: Apache-2.0

/// Elements in order of their last use. `insert` returns an element's index, which stays valid
/// until the element is removed and may be reused after that.
///
/// A doubly linked list in an array.
///
/// - Complexity: O(1) for every operation but `forEachFromOldest`, amortised for `insert`.
struct RecencyList<Element> {
  private struct Node {
    var element: Element?
    var older: Int
    var newer: Int
  }

  private static var none: Int { -1 }

  private var nodes: [Node] = []
  private var free: [Int] = []
  private var oldest = none
  private var newest = none

  /// The least recently used element; nil = the list is empty.
  var leastRecent: Element? { oldest == Self.none ? nil : nodes[oldest].element }

  /// Calls `body` with each element, the least recently used one first, until it returns false.
  ///
  /// - Complexity: O(n)
  func forEachFromOldest(_ body: (Element) -> Bool) {
    var index = oldest
    while index != Self.none {
      if let element = nodes[index].element, !body(element) { return }
      index = nodes[index].newer
    }
  }

  /// Adds an element as the most recently used one.
  ///
  /// - Returns: its index.
  mutating func insert(_ element: Element) -> Int {
    let index: Int
    if let reused = free.popLast() {
      index = reused
      nodes[index].element = element
    } else {
      index = nodes.count
      nodes.append(Node(element: element, older: Self.none, newer: Self.none))
    }
    linkAsNewest(index)
    return index
  }

  mutating func remove(_ index: Int) {
    unlink(index)
    nodes[index].element = nil
    free.append(index)
  }

  /// Makes the element at an index the most recently used one.
  mutating func markUsed(_ index: Int) {
    guard index != newest else { return }
    unlink(index)
    linkAsNewest(index)
  }

  private mutating func linkAsNewest(_ index: Int) {
    nodes[index].older = newest
    nodes[index].newer = Self.none
    if newest == Self.none { oldest = index } else { nodes[newest].newer = index }
    newest = index
  }

  private mutating func unlink(_ index: Int) {
    let node = nodes[index]
    if node.older == Self.none { oldest = node.newer } else { nodes[node.older].newer = node.newer }
    if node.newer == Self.none { newest = node.older } else { nodes[node.newer].older = node.older }
  }
}
