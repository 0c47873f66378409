// SPDX-License-Identifier: Apache-2.0

extension ContentsChange {
  /// The change between contents that have the same sections and items and differ in sizes, however
  /// many of these differ: every item keeps its place and its identity, and has new values.
  ///
  /// - Parameters:
  ///   - old: what was seen.
  ///   - new: has as many sections as `old`, and each has as many items.
  /// - Returns: nil if the numbers of sections or items differ.
  /// - Complexity: O(sections)
  public static func resizing(
    from old: CollectionContents,
    to new: CollectionContents
  ) -> ContentsChange? {
    guard old.sectionCount == new.sectionCount else { return nil }
    var changed: [SectionChange] = []
    var maps: [ItemMap] = []
    var isSame = true
    old.forEachSection(in: 0 ..< old.sectionCount) { index, section in
      let count = section.items.count
      isSame = new.section(at: index).items.count == count
      let range = 0 ..< count
      var items = SpliceMap()
      if count > 0 { items.append(Splice(old: range, new: range), .reconfigure) }
      changed.append(
        SectionChange(
          oldIndex: index,
          newIndex: index,
          itemSplices: items.splices,
          metricsChanged: true
        )
      )
      if count > 0 { maps.append(ItemMap(oldSection: index, newSection: index, items: items)) }
      return isSame
    }
    guard isSame else { return nil }
    return ContentsChange(
      old: old,
      new: new,
      isAnimated: false,
      sectionMap: SpliceMap(),
      changedSections: changed,
      itemMaps: maps,
      moves: []
    )
  }
}
