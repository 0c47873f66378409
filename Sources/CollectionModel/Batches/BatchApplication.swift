// SPDX-License-Identifier: Apache-2.0

/// Applies a checked batch to the contents.
struct BatchApplication {
  private let plan: BatchPlan
  private let old: CollectionContents
  private var new: CollectionContents
  /// The key index, which follows every edit; nil = there are no keys, neither before nor after.
  private var index: KeyIndex?
  private var changes: [ContentsChange.SectionChange] = []
  private var maps: [ItemMap] = []
  /// Whether surviving sections may have other serials or labels.
  private var renumbersSections = false

  /// The new contents, with what changed.
  /// - Complexity: O(k log n), where k is the number of operations and of the items that they bring
  ///   or touch; O(n) if the old contents have keys and no key index yet.
  ///
  /// - Parameter keepsIndex: whether the new contents have the key index as soon as the old ones
  ///   do; otherwise it is built when a key is searched for.
  static func change(
    _ plan: BatchPlan,
    isAnimated: Bool,
    keepsIndex: Bool = true
  ) -> ContentsChange {
    var application = BatchApplication(plan, keepsIndex: keepsIndex)
    application.editSections()
    application.spliceSections()
    return application.finish(isAnimated: isAnimated)
  }

  private init(_ plan: BatchPlan, keepsIndex: Bool) {
    self.plan = plan
    old = plan.contents
    new = plan.contents
    // Rows are found by key among all items, and measured items among the collection's contents.
    if keepsIndex, old.wholeContents == nil, old.keyIndex.source == nil,
      old.hasItemKeys || old.hasSectionKeys || Self.bringsKeys(plan.operations)
    {
      index = old.keyIndex.index(of: old)
    }
  }

  /// Whether the batch brings any keys.
  private static func bringsKeys(_ operations: [UpdateOperation]) -> Bool {
    operations.contains {
      switch $0 {
      case .insertItems(_, let blocks), .reloadItems(_, _, let blocks),
        .reconfigureItems(_, _, let blocks):
        blocks.contains { !$0.keys.isEmpty }
      case .insertSections(_, let sections):
        sections.contains { !$0.key.isEmpty || $0.items.summary.hasKeys }
      case .reloadSection(_, let section):
        !section.key.isEmpty || section.items.summary.hasKeys
      default: false
      }
    }
  }

  // MARK: - Items

  /// Edits items and metrics of the surviving sections, while these still have their old indices.
  private mutating func editSections() {
    let touched = Set(plan.items.keys).union(plan.metrics.keys).sorted()
    for section in touched {
      guard case .stays(let target) = plan.target(ofOld: section) else { continue }
      let entry = old.sections[section]
      var contents = entry.contents
      var splices: [Splice] = []
      if let items = plan.items[section] {
        let parts = items.parts()
        let map = items.map(of: parts)
        edit(&contents.items, items, parts, serial: entry.serial)
        splices = map.splices
        if !splices.isEmpty {
          maps.append(ItemMap(oldSection: section, newSection: target, items: map))
        }
      }
      if !plan.keepsTrees || splices.contains(where: { $0.old.count != $0.new.count }) {
        contents.rows?.isRearranged = true
      }
      let metrics = plan.metrics[section]
      let metricsChanged = metrics != nil && metrics != contents.metrics
      if let metrics { contents.metrics = metrics }
      guard !splices.isEmpty || metricsChanged else { continue }
      new.sections[section] = entry.replacing(contents)
      if plan.sectionMoves[section] == nil {
        changes.append(
          ContentsChange.SectionChange(
            oldIndex: section,
            newIndex: target,
            itemSplices: splices,
            metricsChanged: metricsChanged
          )
        )
      }
    }
  }

  /// Edits the items of one section.
  private mutating func edit(
    _ items: inout ItemSequence,
    _ plan: SequencePlan,
    _ parts: [SequencePlan.Part],
    serial: UInt32
  ) {
    let before = items
    var log: [ChunkReplacement]? = index == nil ? nil : []
    // Parts are in order, so those of one replacement are neighbours and share `replacement`.
    var replacement: (index: Int, values: ItemReplacement)?
    let splices = parts.map {
      ItemSplice($0.splice.old, with: slices($0, plan, before, &replacement))
    }
    items.replace(splices, log: &log)
    for replacement in log ?? [] { index?.apply(replacement, serial: serial) }
  }

  /// The new items of one part.
  ///
  /// - Parameter before: the section's items before the batch.
  /// - Parameter replacement: the one of the previous part, reused if this part has the same.
  private func slices(
    _ part: SequencePlan.Part,
    _ items: SequencePlan,
    _ before: ItemSequence,
    _ replacement: inout (index: Int, values: ItemReplacement)?
  ) -> [ChunkSlice] {
    switch part.content {
    case .insertions(let range):
      return range.count == 1
        ? slices(items.insertions[range.lowerBound])
        : range.flatMap { slices(items.insertions[$0]) }
    case .replacement(let index, let offset):
      if replacement?.index != index {
        replacement = self.replacement(items.replacements[index]).map { (index, $0) }
      }
      let range = offset ..< offset + part.splice.old.count
      return replacement?.values.slices(in: range, of: part, before) ?? []
    }
  }

  /// The values that a reload or a reconfiguration brings; nil = the claim is neither.
  private func replacement(_ claim: PlaceClaim) -> ItemReplacement? {
    switch plan.operations[claim.operation] {
    case .reloadItems(_, _, let blocks): ItemReplacement(blocks, keepsValues: false)
    case .reconfigureItems(_, _, let blocks): ItemReplacement(blocks, keepsValues: true)
    default: nil
    }
  }

  /// The items that an insertion brings, or those that a move brings.
  private func slices(_ insertion: PlaceClaim) -> [ChunkSlice] {
    if case .moveIn(let from) = insertion.use, let item = from.item {
      return old.sections[from.section].contents.items.slices(
        in: item ..< item + insertion.range.count
      )
    }
    guard case .insertItems(_, let blocks) = plan.operations[insertion.operation] else { return [] }
    return blocks.map { ChunkSlice(ItemChunk($0, in: 0 ..< $0.count)) }
  }

  // MARK: - Sections

  /// Removes, inserts, moves and reloads whole sections.
  private mutating func spliceSections() {
    guard !plan.sectionParts.isEmpty else { return }
    renumberIfNeeded()
    let edited = new.sections
    for part in plan.sectionParts.reversed() {
      let range = part.splice.old
      edited.forEach(in: range) { entry, section, _ in
        if plan.sectionMoves[section] == nil { index?.removeSection(entry) }
        return true
      }
      let contents = newSections(part, edited)
      let labels = labels(for: contents.count, replacing: range)
      var entries: [SectionEntry] = []
      for (i, content) in contents.enumerated() {
        let label = labels?[i] ?? 0
        switch content {
        case .moved(let entry): entries.append(entry.relabelled(label))
        case .new(let contents):
          entries.append(SectionEntry(contents, serial: new.nextSerial, label: label))
          new.nextSerial += 1
        }
      }
      new.sections.replaceSubrange(range, with: entries)
      if labels == nil { relabelSections() }
      for (i, entry) in entries.enumerated() {
        index?.insertSection(labels == nil ? new.sections[range.lowerBound + i] : entry)
        if case .new = contents[i] { index?.insertItems(of: entry) }
      }
    }
  }

  /// A section that a batch puts in a new place.
  private enum NewSection {
    /// With its serial, so that the key index still finds its items.
    case moved(SectionEntry)
    case new(SectionContents)
  }

  /// The sections of one part.
  ///
  /// - Parameter edited: all sections, edited and still in their old places.
  private func newSections(
    _ part: SequencePlan.Part,
    _ edited: SummaryTree<SectionEntry>
  ) -> [NewSection] {
    switch part.content {
    case .replacement(let index, _):
      let claim = plan.sections.replacements[index]
      guard case .reloadSection(_, let contents) = plan.operations[claim.operation] else {
        return []
      }
      return [.new(contents)]
    case .insertions(let range):
      return range.flatMap { i -> [NewSection] in
        let claim = plan.sections.insertions[i]
        if case .moveIn(let from) = claim.use { return [.moved(edited[from.section])] }
        guard case .insertSections(_, let all) = plan.operations[claim.operation] else { return [] }
        return all.map { .new($0) }
      }
    }
  }

  /// Labels for sections that take the place of others; nil = there is no room for so many.
  private func labels(for count: Int, replacing range: Range<Int>) -> [UInt64]? {
    let sections = new.sections
    return OrderLabels.labels(
      count,
      between: range.lowerBound > 0 ? sections[range.lowerBound - 1].label : nil,
      and: range.upperBound < sections.count ? sections[range.upperBound].label : nil
    )
  }

  /// Gives new, evenly spaced labels to all sections. Rare: only when a gap is used up.
  private mutating func relabelSections() {
    renumbersSections = true
    let count = new.sections.count
    new.sections = SummaryTree(
      new.sections.enumerated().map { i, entry in
        entry.relabelled(OrderLabels.label(ofNew: i, of: count))
      }
    )
    guard index != nil else { return }
    for entry in new.sections { index?.insertSection(entry) }
  }

  /// Renumbers all sections if the serials of this batch would reach 2³² − 1, which no section may
  /// have: so `nextSerial` never overflows. Happens once in 2³² inserted sections.
  private mutating func renumberIfNeeded() {
    var inserted = 0
    for claim in plan.sections.insertions + plan.sections.replacements {
      inserted += claim.range.count
    }
    guard Int(new.nextSerial) + inserted >= Int(UInt32.max) else { return }
    renumbersSections = true
    let count = new.sections.count
    new = CollectionContents(
      entries: new.sections.enumerated().map {
        SectionEntry(
          $1.contents,
          serial: UInt32(truncatingIfNeeded: $0),
          label: OrderLabels.label(ofNew: $0, of: count)
        )
      },
      cellKindNames: new.cellKindNames
    )
    if index != nil { index = KeyIndex(of: new) }
  }

  // MARK: - Result

  /// The change, with the key index if that is worth keeping.
  private func finish(isAnimated: Bool) -> ContentsChange {
    var new = new
    let hasKeys = new.hasItemKeys || new.hasSectionKeys
    if new.wholeContents == nil { new.sectionsChanged() }
    new.keyIndex = KeyIndexCache(hasKeys && index?.isWorn(for: new) == false ? index : nil)
    let sectionMoves = plan.sectionMoves.map {
      PlaceMove(old: IndexPath(section: $0), new: IndexPath(section: $1), kind: .edit)
    }
    return ContentsChange(
      old: old,
      new: new,
      isAnimated: isAnimated,
      sectionMap: plan.sectionMap,
      changedSections: changes,
      itemMaps: maps,
      moves: sectionMoves.isEmpty
        ? plan.itemMoves : (sectionMoves + plan.itemMoves).sorted { $0.old < $1.old },
      renumbersSections: renumbersSections
    )
  }
}
