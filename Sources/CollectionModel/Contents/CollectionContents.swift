// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The data of a collection at one version: sections in order, each with its items in order.
///
/// A persistent value: copying is O(1), and versions share all that they have in common.
public struct CollectionContents: Sendable {
  /// The sections in order, with the totals that are searched for.
  var sections: SummaryTree<SectionEntry>
  /// The names of the cell kinds, to which items refer by index. Never empty. Later versions only
  /// append names, so an index keeps its meaning.
  public internal(set) var cellKindNames: [String]
  /// The mean of the sizes that a viewer measured, in points, if these are the private contents of
  /// a session that measured any; nil otherwise. It is no part of the data.
  public var measuredItemSize: Size?
  /// The sizes that a viewer measured of elements that are neither items nor headers or footers, if
  /// these are the private contents of a session that measured any. They are no part of the data,
  /// and do not follow batches by themselves: see `MeasuredElements.following(_:)`.
  public internal(set) var measuredElements = MeasuredElements()
  /// The serial of the next new section: greater than all serials in use.
  var nextSerial: UInt32
  /// Finds items and sections by key; built when first needed.
  var keyIndex: KeyIndexCache
  /// What is visible of outlines at the base; nil if there are none, and in rows.
  var rowsCache: RowsCache?
  /// All items, if these are rows of outlines; nil otherwise.
  var wholeContents: WholeContents?

  /// Contents without sections and with one unnamed cell kind.
  public static let empty = CollectionContents(sections: EmptyCollection())

  /// Contents of the given sections, which are not checked.
  ///
  /// - Parameter cellKindNames: empty = one unnamed kind.
  /// - Complexity: O(sections)
  /// - Precondition: keys are unique, kinds are indices into the names, and the numbers of items
  ///   and sections are within what `ContentsLimits` can express. Use `ContentsBuilder` for data
  ///   from outside, which checks all of that.
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
    sectionsChanged()
  }

  /// The number of sections.
  ///
  /// - Complexity: O(1)
  public var sectionCount: Int { sections.count }
  /// The number of items in all sections.
  ///
  /// - Complexity: O(1)
  public var itemCount: Int { sections.summary.itemCount }

  /// Whether some item has a key.
  public var hasItemKeys: Bool { sections.summary.keyedItemCount > 0 }

  /// Whether some section has a key.
  public var hasSectionKeys: Bool { sections.summary.keyedSectionCount > 0 }

  /// Roughly the memory that these contents use, in bytes: counts what they share with other
  /// versions and the rows of outlines at the base, and not the key index.
  ///
  /// - Complexity: O(1)
  public var approximateByteCount: Int {
    sections.summary.byteCount + (rowsCache?.byteCount ?? 0)
  }

  /// Roughly the memory that these contents use with the index of item keys, in bytes. The index is
  /// built when a key is first looked up, for example by most batches.
  ///
  /// - Complexity: O(1)
  public var indexedByteCount: Int {
    let keys = sections.summary.keyedItemCount
    return approximateByteCount + (keys > 0 ? KeyTrie.byteCount(ofEntries: keys) : 0)
  }

  /// Roughly the memory of the index of item keys, in bytes, if it has been built for these
  /// contents; 0 if keys are searched for in others.
  ///
  /// - Complexity: O(1)
  package var builtIndexByteCount: Int {
    guard wholeContents == nil, keyIndex.source == nil, keyIndex.isBuilt else { return 0 }
    return indexedByteCount - approximateByteCount
  }

  /// The section at an index.
  ///
  /// - Complexity: O(log sections)
  /// - Precondition: `index` is within 0 ..< sectionCount.
  public func section(at index: Int) -> SectionContents {
    withMeasurements(sections[index].contents, at: index)
  }

  /// A section with the measured sizes of its elements.
  private func withMeasurements(_ section: SectionContents, at index: Int) -> SectionContents {
    guard !measuredElements.isEmpty || section.measured.hasAny else { return section }
    var section = section
    section.measured = measuredElements[section: index]
    return section
  }

  /// Calls `body` with the index and contents of each section of a range, in order, until it
  /// returns false.
  ///
  /// - Complexity: O(log sections + sections visited)
  /// - Precondition: `range` is within 0 ..< sectionCount.
  public func forEachSection(in range: Range<Int>, _ body: (Int, SectionContents) -> Bool) {
    sections.forEach(in: range) { entry, index, _ in
      body(index, withMeasurements(entry.contents, at: index))
    }
  }

  /// The number of items in all sections before a section.
  ///
  /// - Complexity: O(log sections)
  /// - Precondition: `index` is within 0 ... sectionCount.
  public func itemCount(before index: Int) -> Int {
    sections.summary(ofFirst: index).itemCount
  }

  /// The index path of an item by its number, counted over all sections; nil = there are not as
  /// many.
  ///
  /// - Complexity: O(log sections)
  /// - Precondition: `ordinal` is at least 0.
  public func indexPath(ofOrdinal ordinal: Int) -> IndexPath? {
    sections.place(of: ordinal) { $0.itemCount }.map {
      IndexPath(section: $0.index, item: ordinal - $0.start)
    }
  }

  /// Whether an item exists at the path, or a section if the path names no item.
  ///
  /// - Complexity: O(log sections)
  public func contains(_ path: IndexPath) -> Bool {
    guard path.section < sectionCount else { return false }
    guard let item = path.item else { return true }
    return item < sections[path.section].summary.itemCount
  }

  /// The values that the data gives for an item; nil = no item exists at the path.
  ///
  /// - Complexity: O(log n)
  public func item(at path: IndexPath) -> ItemValues? {
    guard let (chunk, index) = chunk(at: path) else { return nil }
    return chunk.item(at: index)
  }

  /// The key of an item; nil = it has none, or no item exists at the path.
  ///
  /// - Complexity: O(log n)
  public func key(at path: IndexPath) -> String? {
    guard let (chunk, index) = chunk(at: path) else { return nil }
    return chunk.keys.value(at: index)
  }

  /// The data that an item carries for renderers; "" = none, or no item exists at the path.
  ///
  /// - Complexity: O(log n)
  public func data(at path: IndexPath) -> String {
    guard let (chunk, index) = chunk(at: path) else { return "" }
    return chunk.data.value(at: index)
  }

  /// Whether an item has the same data as one of other contents. False if one of them does not
  /// exist.
  ///
  /// - Complexity: O(log n)
  func hasSameData(
    at path: IndexPath,
    as other: CollectionContents,
    at otherPath: IndexPath
  ) -> Bool {
    guard let (a, i) = chunk(at: path), let (b, j) = other.chunk(at: otherPath) else {
      return false
    }
    return a.data.hasSameValue(at: i, as: b.data, at: j)
  }

  /// The chunk that contains an item, and the item's index in the chunk; nil = no item exists at
  /// the path.
  private func chunk(at path: IndexPath) -> (ItemChunk, Int)? {
    guard let item = path.item, path.section < sectionCount else { return nil }
    let items = sections[path.section].contents.items
    guard item < items.count else { return nil }
    let (chunk, start) = items.chunk(containing: item)
    return (chunk, item - start)
  }
}
