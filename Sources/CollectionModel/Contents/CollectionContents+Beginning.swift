// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The first sections, with at least `count` items in total; all contents if there are fewer.
  ///
  /// The last of the sections may be cut short. Chunks are shared with the whole and never cut, so
  /// there may be many more items than `count`.
  ///
  /// - Complexity: O(chunks and sections in the result)
  public func beginning(ofAtLeast count: Int) -> CollectionContents {
    guard count < itemCount else { return self }
    var sections: [SectionContents] = []
    var missing = count
    forEachSection(in: 0 ..< sectionCount) { _, section in
      var section = section
      if section.items.count > missing { section.items = section.items.beginning(missing) }
      missing -= section.items.count
      sections.append(section)
      return missing > 0
    }
    var beginning = CollectionContents(sections: sections, cellKindNames: cellKindNames)
    if wholeContents != nil {
      beginning.wholeContents = wholeContents
      beginning.sectionsChanged()
    }
    return beginning
  }
}

extension ItemSequence {
  /// The first chunks, with at least `count` items in total if there are as many.
  fileprivate func beginning(_ count: Int) -> ItemSequence {
    var entries: [ChunkEntry] = []
    var missing = count
    chunks.forEach(in: 0 ..< chunks.count) { entry, _, _ in
      guard missing > 0 else { return false }
      entries.append(entry)
      missing -= entry.chunk.count
      return true
    }
    return ItemSequence(chunks: SummaryTree(entries))
  }
}
