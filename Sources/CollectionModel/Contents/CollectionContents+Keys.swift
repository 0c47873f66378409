// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// Where the item with a key is.
  ///
  /// - Complexity: O(log n) expected; O(n) the first time in a line of versions, unless the contents
  ///   were checked when they were built.
  public func indexPath(ofItemKey key: String) -> IndexPath? {
    guard hasItemKeys else { return nil }
    return keyIndex.index(of: self).path(ofItem: key, in: self)
  }

  /// The index of the section with a key.
  ///
  /// - Complexity: as for items.
  public func sectionIndex(ofKey key: String) -> Int? {
    guard hasSectionKeys, !key.isEmpty else { return nil }
    return keyIndex.index(of: self).sectionIndex(ofKey: key, in: self)
  }
}
