// SPDX-License-Identifier: Apache-2.0

extension OutlineEditor {
  // MARK: - Inserting and removing

  /// Inserts items. If there are no items, nothing is done or checked.
  mutating func insert(_ blocks: [ItemBlock], at place: OutlinePlace) throws(Refusal) {
    guard blocks.contains(where: { $0.count != 0 }) else { return }
    let target = try resolve(place, "at")
    let new = try NewOutlineItems(blocks, level: target.level, of: contents, limits)
    try checkFree(new.keys) { _ in false }
    try checkRoom(for: new.count)
    let piece = OutlinePiece(old: nil, count: new.count)
    replace(target.item ..< target.item, of: target.section, with: new.slices, [piece])
  }

  /// Removes items with their descendants.
  mutating func remove(_ keys: [String]) throws(Refusal) {
    var paths: [IndexPath] = []
    for (i, key) in keys.enumerated() {
      guard let path = path(of: key) else { throw .keyUnknown(key, field: "keys[\(i)]") }
      paths.append(path)
    }
    paths.sort()
    var next = paths.startIndex
    while next < paths.endIndex {
      let section = paths[next].section
      let end = paths[next...].firstIndex { $0.section != section } ?? paths.endIndex
      try checkOutline(section, "keys")
      remove(trees(at: paths[next ..< end], items(of: section)), of: section)
      next = end
    }
  }

  /// The ranges of some items of a section with everything below them; those that touch are one.
  ///
  /// - Parameter paths: sorted.
  private func trees(at paths: ArraySlice<IndexPath>, _ items: ItemSequence) -> [Range<Int>] {
    var trees: [Range<Int>] = []
    for path in paths {
      guard let item = path.item else { continue }
      guard let last = trees.last, item <= last.upperBound else {
        trees.append(item ..< items.endOfSubtree(at: item))
        continue
      }
      guard item == last.upperBound else { continue }
      trees[trees.count - 1] = last.lowerBound ..< items.endOfSubtree(at: item)
    }
    return trees
  }

  // MARK: - Children

  /// Replaces the descendants of an item. Items whose keys recur keep their identity.
  mutating func replaceChildren(of parent: String, by blocks: [ItemBlock]) throws(Refusal) {
    guard let path = path(of: parent), let item = path.item else {
      throw .keyUnknown(parent, field: "parent")
    }
    try checkOutline(path.section, "parent")
    let items = items(of: path.section)
    let below = item + 1 ..< items.endOfSubtree(at: item)
    let level = items.outlineItem(at: item).level + 1
    var new = NewOutlineItems.none
    if blocks.contains(where: { $0.count != 0 }) {
      new = try NewOutlineItems(blocks, level: level, of: contents, limits)
    }
    var known: [Int?] = []
    for key in new.keys {
      let found = self.path(of: key)
      known.append(found?.section == path.section ? found?.item : nil)
    }
    try checkFree(new.keys) { $0.section == path.section && below.contains($0.item ?? 0) }
    try checkRoom(for: new.count - below.count)
    if new.isSilentAboutExpansion {
      new.keepExpansions { index in known[index].map { items.outlineItem(at: $0) } }
    }
    var pieces: [OutlinePiece] = []
    for found in known {
      guard let found, var piece = self.pieces(of: path.section, in: found ..< found + 1).first
      else {
        pieces.append(OutlinePiece(old: nil, count: 1))
        continue
      }
      piece.isReconfigured = true
      pieces.append(piece)
    }
    replace(below, of: path.section, with: new.slices, pieces.merged)
  }

  // MARK: - Moving

  /// Moves an item with its descendants.
  mutating func move(_ key: String, to place: OutlinePlace) throws(Refusal) {
    guard let path = path(of: key), let item = path.item else {
      throw .keyUnknown(key, field: "key")
    }
    let target = try resolve(place, "to")
    try checkOutline(path.section, "key")
    let items = items(of: path.section)
    let tree = item ..< items.endOfSubtree(at: item)
    if let named = target.named, named.section == path.section, let below = named.item,
      tree.contains(below)
    {
      if below == item {
        if case .lastChild = place {} else { return }
      }
      throw Refusal(
        .batchInconsistent,
        field: "to.\(place.fieldName)",
        "\"\(place.key)\" is \"\(key)\" or below it; a tree cannot move below itself"
      )
    }
    try touch(tree.count, field: "key")
    let shift = target.level - items.outlineItem(at: item).level
    let slices = items.slices(in: tree)
    let highest = slices.reduce(0) { max($0, $1.highestLevel) } + shift
    guard highest <= OutlineItem.highestLevel else {
      throw .tooDeep(highest, field: "to.\(place.fieldName)")
    }
    var pieces = pieces(of: path.section, in: tree)
    if shift != 0 { for i in pieces.indices { pieces[i].isReconfigured = true } }
    let isAhead = target.section == path.section && target.item >= tree.upperBound
    replace(tree, of: path.section, with: [], [])
    let start = target.item - (isAhead ? tree.count : 0)
    replace(
      start ..< start,
      of: target.section,
      with: shift == 0 ? slices : slices.map { $0.shifted(by: shift) },
      pieces
    )
  }

  // MARK: - Expanding

  /// Expands and collapses items of sections that share their expansions.
  mutating func apply(_ change: ExpansionChange) throws(Refusal) {
    try change.checkKeys()
    let fields = [("expand", change.expanded, true), ("collapse", change.collapsed, false)]
    for (field, keys, isExpanded) in fields {
      var trees: [Int: [Range<Int>]] = [:]
      for (i, key) in keys.enumerated() {
        guard let path = path(of: key), let item = path.item else { continue }
        guard contents.sections[path.section].contents.outline == .shared else {
          throw Refusal(
            .batchInconsistent,
            field: "\(field)[\(i)]",
            "\"\(key)\" is in section \(path.section), which does not share its expansions"
          )
        }
        let items = items(of: path.section)
        let end = change.includesDescendants ? items.endOfSubtree(at: item) : item + 1
        try touch(end - item, field: "\(field)[\(i)]")
        trees[path.section, default: []].append(item ..< end)
      }
      for section in trees.keys.sorted() {
        setExpanded(isExpanded, trees[section] ?? [], of: section)
      }
    }
  }

  /// Expands or collapses the first item of each range, and those behind it that can be expanded,
  /// in one pass over the section's tree.
  ///
  /// - Parameter trees: in any order; they may contain each other.
  private mutating func setExpanded(_ isExpanded: Bool, _ trees: [Range<Int>], of section: Int) {
    let items = items(of: section)
    let trees = trees.sorted { $0.lowerBound < $1.lowerBound }
    var edits: [(start: Int, slice: ChunkSlice)] = []
    var next = trees.startIndex
    while next < trees.endIndex {
      var (range, named) = (trees[next], [trees[next].lowerBound] as Set)
      next += 1
      while next < trees.endIndex, trees[next].lowerBound < range.upperBound {
        named.insert(trees[next].lowerBound)
        range = range.lowerBound ..< max(range.upperBound, trees[next].upperBound)
        next += 1
      }
      append(isExpanded, range, named, items, to: &edits)
    }
    replace(edits, of: section)
  }

  /// Notes what becomes of the items of a range.
  ///
  /// - Parameter named: the items that change whether or not they can be expanded.
  private func append(
    _ isExpanded: Bool,
    _ range: Range<Int>,
    _ named: Set<Int>,
    _ items: ItemSequence,
    to edits: inout [(start: Int, slice: ChunkSlice)]
  ) {
    items.forEachChunk(in: range) { chunk, start in
      let part = range.clamped(to: start ..< start + chunk.count)
      var changed: [Int: UInt8] = [:]
      for index in part {
        let item = chunk.outline.value(at: index - start)
        guard item.isExpanded != isExpanded,
          named.contains(index) || item.isExpandable || items.hasChildren(at: index)
        else { continue }
        changed[index - start] = item.expanded(isExpanded).rawValue
      }
      guard let first = changed.keys.min(), let last = changed.keys.max() else { return true }
      let slice = ChunkSlice(chunk, first ..< last + 1)
      var bytes = chunk.outline.bytes(in: slice.range)
      for (index, byte) in changed { bytes[index - first] = byte }
      edits.append((start + first, slice.placed(OutlineColumn(bytes))))
      return true
    }
  }
}
