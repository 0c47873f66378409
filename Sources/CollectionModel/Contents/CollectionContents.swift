// SPDX-License-Identifier: Apache-2.0

/// The data of a collection at one version: sections in order, each with its items in order.
///
/// A persistent value: copying is O(1), and versions share all that they have in common.
public struct CollectionContents: Sendable {
  var sections: SummaryTree<SectionEntry>
  /// The reuse kinds that items refer to by index. Never empty; only grows from version to version,
  /// so that an index keeps its meaning.
  public internal(set) var cellKindNames: [String]
  /// For the next new section.
  var nextSerial: UInt32
  var keyIndex: KeyIndexCache

  public static let empty = CollectionContents(sections: EmptyCollection())

  /// - Parameter cellKindNames: empty = one unnamed kind.
  /// - Complexity: O(sections)
  /// - Precondition: keys are unique and kinds within the names; `ContentsBuilder` checks that.
  public init(sections: some Sequence<SectionContents>, cellKindNames: [String] = []) {
    let sections = Array(sections)
    self.init(
      entries: sections.enumerated().map {
        SectionEntry(
          $1,
          serial: UInt32(truncatingIfNeeded: $0),
          label: OrderLabels.label(ofNew: $0, of: sections.count)
        )
      },
      cellKindNames: cellKindNames
    )
  }

  init(entries: [SectionEntry], cellKindNames: [String]) {
    sections = SummaryTree(entries)
    self.cellKindNames = cellKindNames.isEmpty ? [""] : cellKindNames
    nextSerial = UInt32(truncatingIfNeeded: entries.count)
    keyIndex = KeyIndexCache()
  }

  public var sectionCount: Int { sections.count }
  public var itemCount: Int { sections.summary.itemCount }

  /// Whether some item has a key.
  public var hasItemKeys: Bool { sections.summary.keyedItemCount > 0 }

  /// Whether some section has a key.
  public var hasSectionKeys: Bool { sections.summary.keyedSectionCount > 0 }

  /// What it keeps in memory, counting what it shares with other versions, but not the key index.
  public var approximateByteCount: Int { sections.summary.byteCount }

  /// - Complexity: O(log sections)
  /// - Precondition: `index` is within 0 ..< sectionCount.
  public func section(at index: Int) -> SectionContents { sections[index].contents }

  /// Calls `body` with sections in order until it returns false.
  ///
  /// - Precondition: `range` is within 0 ..< sectionCount.
  public func forEachSection(in range: Range<Int>, _ body: (Int, SectionContents) -> Bool) {
    sections.forEach(in: range) { entry, index, _ in body(index, entry.contents) }
  }

  /// The number of items in all sections before one.
  ///
  /// - Complexity: O(log sections)
  /// - Precondition: `index` is within 0 ... sectionCount.
  public func itemCount(before index: Int) -> Int {
    sections.summary(ofFirst: index).itemCount
  }

  /// Whether there is such an item, or such a section.
  public func contains(_ path: IndexPath) -> Bool {
    guard path.section < sectionCount else { return false }
    guard let item = path.item else { return true }
    return item < sections[path.section].summary.itemCount
  }

  /// What the data says about an item; nil where there is none.
  public func item(at path: IndexPath) -> ItemValues? {
    guard let (chunk, index) = chunk(at: path) else { return nil }
    return chunk.item(at: index)
  }

  /// The key of an item; nil = none, or no such item.
  public func key(at path: IndexPath) -> String? {
    guard let (chunk, index) = chunk(at: path) else { return nil }
    return chunk.keys.value(at: index)
  }

  private func chunk(at path: IndexPath) -> (ItemChunk, Int)? {
    guard let item = path.item, path.section < sectionCount else { return nil }
    let items = sections[path.section].contents.items
    guard item < items.count else { return nil }
    let (chunk, start) = items.chunk(containing: item)
    return (chunk, item - start)
  }
}
