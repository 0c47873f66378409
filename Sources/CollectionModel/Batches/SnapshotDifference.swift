// SPDX-License-Identifier: Apache-2.0

/// Finds the change between two versions of contents by comparing keys.
///
/// Sections and items with the same key are the same, wherever they are. Of the items that are in
/// the same section on both sides, a longest increasing subsequence stays and only the others move.
/// The new contents are taken over as a whole. An item that keeps its key and has new values counts
/// as reconfigured, whether or not the snapshot names it, since layouts must place it again.
/// Section metrics or layout names that differ count as changed metrics.
struct SnapshotDifference {
  private let old: CollectionContents
  private let new: CollectionContents
  /// New paths of the items that the snapshot names as reloaded.
  private let isReloaded: Set<IndexPath>
  /// New paths of the items that the snapshot names as reconfigured.
  private let isReconfigured: Set<IndexPath>

  /// The items of each old section.
  private var oldItems: [FlatItems]
  /// For each new section, the index of the old section with the same key; nil = there is none.
  private var matchedOld: [Int?]
  /// For each old section, the index of the new section with the same key; nil = there is none.
  private var matchedNew: [Int?]
  /// The changes of the list of sections.
  private var sections = SequencePlan()
  /// Old indices of the sections that moved.
  private var movedSections: Set<Int> = []
  /// For each new section, how many items at its start and at its end have the same keys as those
  /// of the matching old section.
  private var sharedEnds: [(prefix: Int, suffix: Int)] = []
  private var changes: [ContentsChange.SectionChange] = []
  private var maps: [ItemMap] = []
  private var moves: [PlaceMove] = []

  /// The change from contents to those of a snapshot.
  ///
  /// - Complexity: O(n + m log m + c + s), where n is the number of items of the snapshot, m that
  ///   of its items between the common start and the common end of their sections, c that of the
  ///   old chunks and s that of the old sections; O(old items) where many are compared, or the old
  ///   contents have no key index yet.
  /// - Throws: `Refusal` where the snapshot is invalid or exceeds a limit.
  static func change(
    from old: CollectionContents,
    to snapshot: SnapshotUpdate,
    limits: ContentsLimits,
    isAnimated: Bool
  ) throws(Refusal) -> ContentsChange {
    var violations = Violations()
    snapshot.check(limits: limits, into: &violations)
    try violations.throwIfAny()
    let numbered = snapshot.contents.numberingKinds(after: old.cellKindNames)
    let kindCount = numbered.cellKindNames.count
    guard kindCount <= limits.cellKinds else {
      throw Refusal(
        .fieldInvalid,
        field: "snapshot.contents.cell_kind_names",
        "\(kindCount) names together with those of earlier versions; at most \(limits.cellKinds)"
      )
    }
    var difference = SnapshotDifference(from: old, to: snapshot, numbered)
    difference.matchSections()
    difference.matchItems()
    return difference.finish(isAnimated: isAnimated)
  }

  /// - Parameter new: the snapshot's contents, with cell kinds numbered as in the old contents.
  private init(
    from old: CollectionContents,
    to snapshot: SnapshotUpdate,
    _ new: CollectionContents
  ) {
    self.old = old
    self.new = new
    isReloaded = Set(snapshot.reloadedItemKeys.compactMap { new.indexPath(ofItemKey: $0) })
    isReconfigured = Set(snapshot.reconfiguredItemKeys.compactMap { new.indexPath(ofItemKey: $0) })
    oldItems = old.sections.map { FlatItems($0.contents.items) }
    matchedOld = Array(repeating: nil, count: new.sectionCount)
    matchedNew = Array(repeating: nil, count: old.sectionCount)
  }

  // MARK: - Sections

  /// Matches sections by key and plans which of them are removed, inserted and moved.
  private mutating func matchSections() {
    var oldByKey: [ExactText: Int] = [:]
    for (i, entry) in old.sections.enumerated() where entry.summary.keyedSectionCount > 0 {
      oldByKey[ExactText(entry.contents.key)] = i
    }
    var pairs: [(old: Int, new: Int)] = []
    for (i, entry) in new.sections.enumerated() {
      guard let match = oldByKey[ExactText(entry.contents.key)] else { continue }
      matchedOld[i] = match
      matchedNew[match] = i
      pairs.append((match, i))
    }
    let staying = Set(longestIncreasingSubsequence(pairs.map(\.old)).map { pairs[$0].old })
    for section in 0 ..< old.sectionCount where !staying.contains(section) {
      if let target = matchedNew[section] {
        movedSections.insert(section)
        moves.append(
          PlaceMove(
            old: IndexPath(section: section),
            new: IndexPath(section: target),
            kind: .edit
          )
        )
      }
      sections.removals.appendPlace(section, .delete)
    }
    for section in 0 ..< new.sectionCount
    where matchedOld[section].map({ !staying.contains($0) }) ?? true {
      sections.insertions.appendPlace(section, .insert)
    }
  }

  // MARK: - Items

  /// Matches items by key and plans the changes of each section.
  private mutating func matchItems() {
    var newItems = new.sections.map { FlatItems($0.contents.items) }
    for section in newItems.indices { trim(section, &newItems[section]) }
    let oldPlaces = oldPlaces(of: newItems)
    var plans: [SequencePlan] = Array(repeating: SequencePlan(), count: new.sectionCount)
    /// By old section, the indices of items between the shared ends that stay in their section.
    var staying: [Int: [Int]] = [:]
    for section in newItems.indices {
      matchMiddle(section, &newItems[section], oldPlaces, &plans[section], &staying)
    }
    for section in newItems.indices {
      guard let match = matchedOld[section] else { continue }
      let (prefix, suffix) = sharedEnds[section]
      var kept = staying[match] ?? []
      kept.append(oldItems[match].count - suffix)
      var next = prefix
      for place in kept {
        if place > next {
          plans[section].removals.append(.init(range: next ..< place, use: .delete, operation: 0))
        }
        next = place + 1
      }
      compareEnds(section, match, &newItems[section], &plans[section])
      finishSection(section, match, plans[section])
    }
  }

  /// Finds how many items a section shares with its old version at the start and at the end: mostly
  /// nearly all of them, which are then not looked up by key.
  private mutating func trim(_ section: Int, _ items: inout FlatItems) {
    guard let match = matchedOld[section] else {
      sharedEnds.append((0, 0))
      return
    }
    let limit = min(items.count, oldItems[match].count)
    var prefix = 0
    while prefix < limit && items.hasSameKey(prefix, as: &oldItems[match], prefix) { prefix += 1 }
    var suffix = 0
    let oldCount = oldItems[match].count
    while suffix < limit - prefix
      && items.hasSameKey(
        items.count - 1 - suffix,
        as: &oldItems[match],
        oldCount - 1 - suffix
      )
    {
      suffix += 1
    }
    sharedEnds.append((prefix, suffix))
  }

  /// Finds where items were by their keys. Only items that are not in a shared end are asked for:
  /// their keys are unique on both sides, so no item of a shared end is found.
  private enum OldPlaces {
    /// The index paths by key.
    case paths([ExactText: IndexPath])
    /// Contents with their key index.
    case index(CollectionContents)

    func path(ofKey key: String) -> IndexPath? {
      switch self {
      case .paths(let paths): paths[ExactText(key)]
      case .index(let contents): contents.indexPath(ofItemKey: key)
      }
    }
  }

  /// Looks up few items in the key index of the old contents, where a dictionary of millions of old
  /// items would take seconds for a snapshot of one. Many are found faster in a dictionary.
  ///
  /// - Parameter newItems: those of each new section.
  private mutating func oldPlaces(of newItems: [FlatItems]) -> OldPlaces {
    let sought = newItems.indices.reduce(0) { count, section in
      count + newItems[section].count - sharedEnds[section].prefix - sharedEnds[section].suffix
    }
    let untrimmed = oldItems.indices.reduce(0) { $0 + untrimmedItems(ofOld: $1).count }
    // Rows are found by key among all items, whose places are others.
    guard old.wholeContents != nil || untrimmed <= Self.itemsForLookup * sought else {
      return .index(old)
    }
    return .paths(pathsOfUntrimmed(count: untrimmed))
  }

  /// As many old items are put into a dictionary in the time of one search in the key index,
  /// roughly.
  private static let itemsForLookup = 4

  /// The old index paths, by key, of the items that are not in a shared end.
  private mutating func pathsOfUntrimmed(count: Int) -> [ExactText: IndexPath] {
    var paths: [ExactText: IndexPath] = [:]
    paths.reserveCapacity(count)
    for section in oldItems.indices {
      for item in untrimmedItems(ofOld: section) {
        if let key = oldItems[section].key(item) {
          paths[ExactText(key)] = IndexPath(section: section, item: item)
        }
      }
    }
    return paths
  }

  /// The items of an old section that are not in a shared end.
  private func untrimmedItems(ofOld section: Int) -> Range<Int> {
    let ends = matchedNew[section].map { sharedEnds[$0] } ?? (prefix: 0, suffix: 0)
    return ends.prefix ..< oldItems[section].count - ends.suffix
  }

  /// Plans what becomes of the items of a new section between its shared ends.
  ///
  /// - Parameter staying: receives the old indices of items that stay.
  private mutating func matchMiddle(
    _ section: Int,
    _ items: inout FlatItems,
    _ oldPlaces: OldPlaces,
    _ plan: inout SequencePlan,
    _ staying: inout [Int: [Int]]
  ) {
    let (prefix, suffix) = sharedEnds[section]
    let middle = prefix ..< items.count - suffix
    guard !middle.isEmpty else { return }
    let paths = middle.map { item in items.key(item).flatMap { oldPlaces.path(ofKey: $0) } }
    let local = paths.indices.filter { i in
      matchedOld[section] != nil && paths[i]?.section == matchedOld[section]
    }
    let kept = longestIncreasingSubsequence(local.map { paths[$0]?.item ?? 0 }).map { local[$0] }
    var next = 0
    for (i, path) in paths.enumerated() {
      let item = prefix + i
      if next < kept.count, kept[next] == i, let path, let place = path.item {
        next += 1
        staying[path.section, default: []].append(place)
        let kind = kind(of: IndexPath(section: section, item: item), path, &items)
        plan.replace(place, kind)
        continue
      }
      plan.insertions.appendPlace(item, .insert)
      if let path {
        let new = IndexPath(section: section, item: item)
        moves.append(PlaceMove(old: path, new: new, kind: kind(of: new, path, &items)))
      }
    }
  }

  /// Finds items with new values in the shared ends of a section.
  private mutating func compareEnds(
    _ section: Int,
    _ match: Int,
    _ items: inout FlatItems,
    _ plan: inout SequencePlan
  ) {
    let (prefix, suffix) = sharedEnds[section]
    let shift = oldItems[match].count - items.count
    for item in 0 ..< prefix {
      let new = IndexPath(section: section, item: item)
      plan.replace(item, kind(of: new, IndexPath(section: match, item: item), &items))
    }
    for item in items.count - suffix ..< items.count {
      let new = IndexPath(section: section, item: item)
      let place = item + shift
      plan.replace(place, kind(of: new, IndexPath(section: match, item: place), &items))
    }
  }

  /// How an item that is in both versions has changed.
  ///
  /// - Parameter items: those of the new section.
  private mutating func kind(
    of path: IndexPath,
    _ oldPath: IndexPath,
    _ items: inout FlatItems
  ) -> SpliceKind {
    if !isReloaded.isEmpty && isReloaded.contains(path) { return .reload }
    if !isReconfigured.isEmpty && isReconfigured.contains(path) { return .reconfigure }
    let isSame = items.hasSameValues(
      path.item ?? 0,
      as: &oldItems[oldPath.section],
      oldPath.item ?? 0
    )
    return isSame ? .edit : .reconfigure
  }

  /// Records the changes of a section that is in both versions.
  private mutating func finishSection(_ section: Int, _ match: Int, _ plan: SequencePlan) {
    var plan = plan
    plan.sort()
    let map = plan.map(of: plan.parts())
    let (before, after) = (old.section(at: match), new.section(at: section))
    let metricsChanged =
      before.metrics != after.metrics || !before.layoutName.hasSameBytes(as: after.layoutName)
      || before.outline != after.outline
    if !map.splices.isEmpty {
      maps.append(ItemMap(oldSection: match, newSection: section, items: map))
    }
    guard !map.splices.isEmpty || metricsChanged, !movedSections.contains(match) else { return }
    changes.append(
      ContentsChange.SectionChange(
        oldIndex: match,
        newIndex: section,
        itemSplices: map.splices,
        metricsChanged: metricsChanged
      )
    )
  }

  private func finish(isAnimated: Bool) -> ContentsChange {
    ContentsChange(
      old: old,
      new: new,
      isAnimated: isAnimated,
      sectionMap: sections.map(of: sections.parts()),
      changedSections: changes,
      itemMaps: maps.sorted { $0.oldSection < $1.oldSection },
      moves: moves.sorted { $0.old < $1.old },
      renumbersSections: true
    )
  }
}

extension [PlaceClaim] {
  /// Adds one place; extends the last claim if the place directly follows it.
  fileprivate mutating func appendPlace(_ place: Int, _ use: PlaceClaim.Use) {
    if let last = indices.last, self[last].range.upperBound == place {
      self[last].range = self[last].range.lowerBound ..< place + 1
    } else {
      append(PlaceClaim(range: place ..< place + 1, use: use, operation: 0))
    }
  }
}

extension SequencePlan {
  /// Notes that the item at an old place is reloaded or reconfigured. Places may come in any order.
  fileprivate mutating func replace(_ place: Int, _ kind: SpliceKind) {
    let use: PlaceClaim.Use
    switch kind {
    case .edit: return
    case .reload: use = .reload
    case .reconfigure: use = .reconfigure
    }
    if let last = replacements.indices.last, replacements[last].range.upperBound == place,
      kind == self.kind(ofReplacement: last)
    {
      replacements[last].range = replacements[last].range.lowerBound ..< place + 1
    } else {
      replacements.append(PlaceClaim(range: place ..< place + 1, use: use, operation: 0))
    }
  }
}
