// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension ContentsChange {
  /// The same change for contents that have the same sections and items as `old` and differ only in
  /// sizes, such as contents with a viewer's measurements.
  ///
  /// In the result, items that the batch left alone have their values in `derived`. Items that it moved
  /// or reconfigured have the size in `derived` where that differs from the size in `old`. Items that
  /// it inserted or reloaded are as in `new`.
  ///
  /// The result has no key index yet, so the first search for a key is slow.
  ///
  /// - Parameter derived: what the change is to be applied to.
  /// - Complexity: O(k log n) for a batch that touched k items and sections.
  public func rebased(on derived: CollectionContents) -> ContentsChange {
    var sections = derived.sections
    for splice in sectionSplices.reversed() {
      let entries = splice.new.map { index in
        let entry = new.sections[index]
        guard let old = oldIndexPath(ofNew: IndexPath(section: index)) else { return entry }
        return entry.replacing(rebased(section: index, from: old.section, of: derived))
      }
      sections.replaceSubrange(splice.old, with: entries)
    }
    for change in changedSections {
      let contents = rebased(section: change.newIndex, from: change.oldIndex, of: derived)
      sections.replaceSubrange(
        change.newIndex ..< change.newIndex + 1,
        with: [new.sections[change.newIndex].replacing(contents)]
      )
    }
    var result = new
    result.sections = sections
    result.keyIndex = KeyIndexCache()
    return ContentsChange(
      old: derived,
      new: result,
      isAnimated: isAnimated,
      sectionMap: map.sectionMap,
      changedSections: changedSections,
      itemMaps: map.itemMaps,
      moves: map.moves
    )
  }

  /// A section after the change, with the sizes of `derived`.
  ///
  /// - Parameter index: the section's new index.
  /// - Parameter oldIndex: the section's old index.
  private func rebased(
    section index: Int,
    from oldIndex: Int,
    of derived: CollectionContents
  ) -> SectionContents {
    var section = new.section(at: index)
    let oldMetrics = old.section(at: oldIndex).metrics
    let derivedSection = derived.section(at: oldIndex)
    if derivedSection.metrics.headerSize != oldMetrics.headerSize {
      section.metrics.headerSize = derivedSection.metrics.headerSize
    }
    if derivedSection.metrics.footerSize != oldMetrics.footerSize {
      section.metrics.footerSize = derivedSection.metrics.footerSize
    }
    var items = derivedSection.items
    var noLog: [ChunkReplacement]?
    guard let map = self.map.itemMap(ofNew: index).map({ self.map.itemMaps[$0] }) else {
      section.items = items
      return section
    }
    for splice in map.items.splices.reversed() {
      items.replace(splice.old, with: section.items.slices(in: splice.new), log: &noLog)
    }
    for splice in map.items.splices {
      for item in splice.new {
        let path = IndexPath(section: index, item: item)
        guard let source = oldIndexPath(ofNew: path), let before = old.item(at: source),
          let own = derived.item(at: source), var values = new.item(at: path),
          own.width != before.width || own.height != before.height
        else { continue }
        values.width = own.width
        values.height = own.height
        items.replace(
          item ..< item + 1,
          with: ItemSequence([ItemBlock(values)]).slices(in: 0 ..< 1),
          log: &noLog
        )
      }
    }
    section.items = items
    return section
  }
}

extension ItemBlock {
  /// A block of one item.
  fileprivate init(_ values: ItemValues) {
    self.init(
      count: 1,
      widths: values.width.map { [$0] } ?? [],
      heights: values.height.map { [$0] } ?? [],
      xs: values.x.map { [$0] } ?? [],
      ys: values.y.map { [$0] } ?? [],
      cellKinds: [values.cellKind],
      keys: values.key.map { [$0] } ?? []
    )
  }
}
