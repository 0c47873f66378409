// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The same items, each once, without descendants of others in outlines: these go along with
  /// their ancestors.
  ///
  /// - Parameter items: counted among all items; all are there.
  /// - Complexity: O(k log n) for k items
  public func separateTrees(_ items: [IndexPath]) -> [IndexPath] {
    guard items.count > 1 else { return items }
    var roots: [IndexPath: IndexPath] = [:]
    var last: (root: IndexPath, end: IndexPath)?
    for path in items.sorted() {
      if let last, path < last.end {
        roots[path] = last.root
        continue
      }
      roots[path] = path
      last = (path, IndexPath(rawValue: path.rawValue + UInt64(subtreeCount(of: path))))
    }
    var seen: Set<IndexPath> = []
    return items.compactMap { roots[$0] }.filter { seen.insert($0).inserted }
  }

  /// The number of items in an item's subtree, itself included; 1 outside outlines.
  ///
  /// - Parameter path: counted among all items; the item is there.
  /// - Complexity: O(log n)
  public func subtreeCount(of path: IndexPath) -> Int {
    let section = section(at: path.section)
    guard section.outline != nil, let item = path.item else { return 1 }
    return section.items.endOfSubtree(at: item) - item
  }
}
