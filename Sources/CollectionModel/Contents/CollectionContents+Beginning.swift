// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The sections from the first on, the last of them perhaps cut short, with at least `count` items
  /// where there are so many: whole chunks, which are shared.
  ///
  /// - Complexity: O(chunks and sections taken)
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
    return CollectionContents(sections: sections, cellKindNames: cellKindNames)
  }
}

extension ItemSequence {
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
