// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// Whether the next search for a key finds the key index, or needs none. False while another
  /// thread builds it.
  public var hasKeyIndex: Bool {
    if let wholeContents { return wholeContents.contents.hasKeyIndex }
    return !hasItemKeys && !hasSectionKeys || keyIndex.isBuilt
  }

  /// The same contents, in which keys are searched for with the index of others.
  ///
  /// - Parameter source: has the same sections and items at the same places.
  package func findingKeys(in source: CollectionContents) -> CollectionContents {
    guard wholeContents == nil else { return self }
    var result = self
    result.keyIndex = KeyIndexCache(source: source.keyIndex.source ?? source)
    return result
  }

  /// The index path of the item with a key; nil = no item has it, or among rows: it is hidden.
  ///
  /// - Complexity: O(log n) expected. The first search builds the key index in O(n), unless these
  ///   contents or an earlier version that they were derived from already have one:
  ///   `ContentsBuilder` builds it when it checks keys.
  public func indexPath(ofItemKey key: String) -> IndexPath? {
    if let wholeContents {
      return wholeContents.contents.indexPath(ofItemKey: key).flatMap { rowPath(ofItem: $0) }
    }
    guard hasItemKeys else { return nil }
    if let source = keyIndex.source { return source.indexPath(ofItemKey: key) }
    return keyIndex.index(of: self).path(ofItem: key, in: self)
  }

  /// The index of the section with a key; nil = no section has it, or the key is empty.
  ///
  /// - Complexity: as for items.
  public func sectionIndex(ofKey key: String) -> Int? {
    if let wholeContents { return wholeContents.contents.sectionIndex(ofKey: key) }
    guard hasSectionKeys, !key.isEmpty else { return nil }
    if let source = keyIndex.source { return source.sectionIndex(ofKey: key) }
    return keyIndex.index(of: self).sectionIndex(ofKey: key, in: self)
  }
}
