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
  /// - Parameter derived: what the change is to be applied to. Its sections have the serials and labels
  ///   that they have in `old`.
  /// - Complexity: O(k log n) for a batch that touched k items and sections; also O(sections) for a
  ///   snapshot, and for a batch that gave all sections new labels.
  public func rebased(on derived: CollectionContents) -> ContentsChange {
    var sections = derived.sections
    for splice in sectionSplices.reversed() {
      let entries = splice.new.map { index in
        let entry = new.sections[index]
        return rebased(section: index, of: derived).map(entry.replacing) ?? entry
      }
      sections.replaceSubrange(splice.old, with: entries)
    }
    for index in changedSections.map(\.newIndex) + map.hiddenSections {
      guard let contents = rebased(section: index, of: derived) else { continue }
      sections.replaceSubrange(
        index ..< index + 1,
        with: [new.sections[index].replacing(contents)]
      )
    }
    if map.renumbersSections {
      // The sections above have the serials and labels in `new`, the others still those in `old`.
      sections = SummaryTree(zip(sections, new.sections).map { $0.identified(as: $1) })
    }
    var result = new
    result.sections = sections
    result.keyIndex = KeyIndexCache()
    result.sectionsChanged()
    return between(derived, and: result)
  }

  /// A section after the change, with the sizes of `derived`.
  ///
  /// - Parameter index: the section's new index.
  /// - Returns: nil where the section and all its items are as in `new`.
  private func rebased(section index: Int, of derived: CollectionContents) -> SectionContents? {
    var section = new.section(at: index)
    guard let oldIndex = oldIndexPath(ofNew: IndexPath(section: index))?.section else {
      // A snapshot can move items into a new section.
      let moved = map.newPaths(ofItemsMovedInto: index)
      moved.forEach { takeSize(ofItemAt: $0, from: derived, into: &section.items) }
      return moved.isEmpty ? nil : section
    }
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
        takeSize(ofItemAt: IndexPath(section: index, item: item), from: derived, into: &items)
      }
    }
    section.items = items
    return section
  }

  /// Gives an item that was moved or reconfigured its size in `derived`, where that differs from the
  /// size in `old`.
  ///
  /// - Parameter path: the item's new index path.
  /// - Parameter items: the items of its section.
  private func takeSize(
    ofItemAt path: IndexPath,
    from derived: CollectionContents,
    into items: inout ItemSequence
  ) {
    guard let item = path.item, let source = oldIndexPath(ofNew: path),
      let before = old.item(at: source), let own = derived.item(at: source),
      own.width != before.width || own.height != before.height, var values = new.item(at: path)
    else { return }
    values.width = own.width
    values.height = own.height
    var noLog: [ChunkReplacement]?
    items.replace(
      item ..< item + 1,
      with: ItemSequence([ItemBlock(values)]).slices(in: 0 ..< 1),
      log: &noLog
    )
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
      keys: values.key.map { [$0] } ?? [],
      outline: OutlineColumns(values.outline)
    )
  }
}
