// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension ContentsChange {
  /// The same change for contents that have the same sections and items as `old` and differ only in
  /// sizes, such as contents with a viewer's measurements.
  ///
  /// In the result, items that the batch left alone have their values in `derived`. Items that it
  /// moved or reconfigured have the size in `derived` if that differs from the size in `old`. Items
  /// that it inserted or reloaded are as in `new`.
  ///
  /// Items are found by key as in `new`.
  ///
  /// - Parameter derived: what the change is to be applied to. Its sections have the serials and
  ///   labels that they have in `old`.
  /// - Complexity: O(k log n) for a batch that touched k sections and runs of items, also O(1) for
  ///   each chunk that it touched, and O(log n) for each item in one with other sizes in `derived`;
  ///   also O(sections) for a snapshot, and for a batch that gave all sections new labels.
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
    result.keyIndex = KeyIndexCache(source: new.keyIndex.source ?? new)
    result.sectionsChanged()
    return between(derived, and: result)
  }

  /// A section after the change, with the sizes of `derived`.
  ///
  /// - Parameter index: the section's new index.
  /// - Returns: nil if the section and all its items are as in `new`.
  private func rebased(section index: Int, of derived: CollectionContents) -> SectionContents? {
    var section = new.section(at: index)
    guard let oldIndex = oldIndexPath(ofNew: IndexPath(section: index))?.section else {
      // A snapshot can move items into a new section.
      let moves = map.moves(ofItemsInto: index)
      for move in moves { takeSizes(along: move, from: derived, into: &section.items) }
      return moves.isEmpty ? nil : section
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
    for (splice, kind) in zip(map.items.splices, map.items.kinds) where kind == .reconfigure {
      takeSizes(
        of: IndexPath(section: oldIndex, item: splice.old.lowerBound),
        count: splice.old.count,
        from: derived,
        to: splice.new.lowerBound,
        in: &items
      )
    }
    for move in self.map.moves(ofItemsInto: index) {
      takeSizes(along: move, from: derived, into: &items)
    }
    section.items = items
    return section
  }

  /// Gives items that were moved, and not reloaded, their sizes in `derived`.
  ///
  /// - Parameter items: of the section that they moved to, after the change.
  private func takeSizes(
    along move: PlaceMove,
    from derived: CollectionContents,
    into items: inout ItemSequence
  ) {
    guard move.kind != .reload, let target = move.new.item else { return }
    takeSizes(of: move.old, count: move.count, from: derived, to: target, in: &items)
  }

  /// Gives items their sizes in `derived`, if these differ from those in `old`. Parts of chunks
  /// that both share are skipped.
  ///
  /// - Parameter path: that of the first item in the old contents.
  /// - Parameter target: the index of the first item in `items`.
  private func takeSizes(
    of path: IndexPath,
    count: Int,
    from derived: CollectionContents,
    to target: Int,
    in items: inout ItemSequence
  ) {
    guard let first = path.item else { return }
    let before = old.section(at: path.section).items
    var changed: [(item: Int, width: Double?, height: Double?)] = []
    let range = first ..< first + count
    derived.section(at: path.section).items.forEachChunk(in: range) { chunk, start in
      var next = max(start, first)
      let end = min(start + chunk.count, range.upperBound)
      while next < end {
        let (other, otherStart) = before.chunk(containing: next)
        let stop = min(end, otherStart + other.count)
        if other !== chunk || otherStart != start {
          for item in next ..< stop {
            let (width, height) = (
              chunk.widths.value(at: item - start), chunk.heights.value(at: item - start)
            )
            if width != other.widths.value(at: item - otherStart)
              || height != other.heights.value(at: item - otherStart)
            {
              changed.append((item - first + target, width, height))
            }
          }
        }
        next = stop
      }
      return true
    }
    for (item, width, height) in changed {
      var values = items.item(at: item)
      values.width = width
      values.height = height
      var noLog: [ChunkReplacement]?
      items.replace(
        item ..< item + 1,
        with: ItemSequence([ItemBlock(values)]).slices(in: 0 ..< 1),
        log: &noLog
      )
    }
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
      outline: OutlineColumns(values.outline),
      data: values.data.isEmpty ? [] : [values.data]
    )
  }
}
