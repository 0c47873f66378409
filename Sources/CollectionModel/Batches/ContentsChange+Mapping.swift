// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where items and sections went. Each question takes O(log k + log sections) for a batch of k
/// operations. Paths that do not exist in the contents asked about have no counterpart.
extension ContentsChange {
  /// The new index path of an item or a section of the old contents; nil = it was deleted, or
  /// reloaded, which gives a new identity to the same place.
  public func newIndexPath(ofOld path: IndexPath) -> IndexPath? {
    map.forward(path).flatMap { $0.kind == .reload ? nil : $0.path }
  }

  /// The first index path of the old contents whose item or section may be elsewhere, or whose item
  /// may be another or have other values; nil = there is none.
  ///
  /// - Complexity: O(1)
  public var firstChangedPath: IndexPath? { map.firstChangedPath }

  /// The new index path of an item or a section of the old contents, or of what was reloaded in its
  /// place; nil = it was deleted, or is an item of a section that was reloaded.
  public func newPlace(ofOld path: IndexPath) -> IndexPath? { map.forward(path)?.path }

  /// The old index path of an item or a section of the new contents; nil = it was inserted or
  /// reloaded.
  public func oldIndexPath(ofNew path: IndexPath) -> IndexPath? {
    map.backward(path).flatMap { $0.kind == .reload ? nil : $0.path }
  }

  /// Whether a move operation moved an item or a section, or the section that an item is in. False
  /// for one that only shifted because of insertions and deletions before it.
  public func isMoved(old path: IndexPath) -> Bool { map.isMoved(old: path) }

  /// Whether the batch has any move operation, or a snapshot in which something moved.
  ///
  /// - Complexity: O(1)
  public var hasMoves: Bool { !map.moves.isEmpty }

  /// Whether an item of the new contents has new values under its old identity.
  public func isReconfigured(new path: IndexPath) -> Bool {
    map.backward(path)?.kind == .reconfigure
  }

  /// Whether an item of the old contents keeps its identity and has other data for renderers than
  /// before.
  public func changesData(ofOld path: IndexPath) -> Bool {
    guard let found = map.forward(path), found.kind == .reconfigure else { return false }
    return !old.hasSameData(at: path, as: new, at: found.path)
  }
}

/// Maps index paths between the contents before and after a change.
final class ChangeMap: Sendable {
  let old: CollectionContents
  let new: CollectionContents
  /// How section indices correspond, except for moved sections.
  let sectionMap: SpliceMap
  /// For each section that stays, moved or not, and whose items changed, how its item indices
  /// correspond; sorted by old section.
  let itemMaps: [ItemMap]
  /// The indices of `itemMaps`, sorted by new section.
  let itemMapsByNew: [Int]
  /// All items and sections that moved, sorted by old path.
  let moves: [PlaceMove]
  /// The indices of `moves`, sorted by new path.
  let movesByNew: [Int]
  /// See `ContentsChange.firstChangedPath`.
  let firstChangedPath: IndexPath?
  /// Whether sections that stay may have other serials or labels in `new` than in `old`: after a
  /// snapshot, or where a batch found no room for a label.
  let renumbersSections: Bool
  /// The new indices of sections that stay in which only what is hidden in an outline changed,
  /// sorted: they have the same rows, of other items. Only in changes of rows.
  let hiddenSections: [Int]
  /// `ContentsChange.rows(startingFrom:)`, as far as these have been computed.
  let rowsChanges = Mutex<[ExpansionBase: ContentsChange]>([:])

  init(
    old: CollectionContents,
    new: CollectionContents,
    sectionMap: SpliceMap,
    itemMaps: [ItemMap],
    moves: [PlaceMove],
    renumbersSections: Bool,
    hiddenSections: [Int]
  ) {
    self.renumbersSections = renumbersSections
    self.hiddenSections = hiddenSections
    self.old = old
    self.new = new
    self.sectionMap = sectionMap
    self.itemMaps = itemMaps
    itemMapsByNew = itemMaps.indices.sorted { itemMaps[$0].newSection < itemMaps[$1].newSection }
    self.moves = moves
    movesByNew = moves.indices.sorted { moves[$0].new < moves[$1].new }
    var changed = [moves.first?.old, movesByNew.first.map { moves[$0].new }]
    changed.append(sectionMap.splices.first.map { IndexPath(section: $0.old.lowerBound) })
    // The first that is not empty: a section may be listed for its metrics alone.
    if let first = itemMaps.first(where: { !$0.items.splices.isEmpty }),
      let splice = first.items.splices.first
    {
      changed.append(IndexPath(section: first.oldSection, item: splice.old.lowerBound))
    }
    changed.append(hiddenSections.first.map { IndexPath(section: $0) })
    firstChangedPath = changed.compactMap(\.self).min()
  }

  /// Whether an item or a section moved, or the section that an item is in.
  func isMoved(old path: IndexPath) -> Bool {
    if move(ofOld: path) != nil { return true }
    return path.item != nil && move(ofOld: IndexPath(section: path.section)) != nil
  }

  /// The counterpart of a path, and how their identities relate.
  typealias Found = (path: IndexPath, kind: SpliceKind)

  /// The counterpart of an old path; nil = there is none.
  func forward(_ path: IndexPath) -> Found? {
    guard old.contains(path) else { return nil }
    if let move = move(ofOld: path) { return (move.new(of: path), move.kind) }
    guard let item = path.item else { return forward(section: path.section) }
    guard let section = forward(section: path.section), section.kind != .reload else { return nil }
    guard let index = itemMap(ofOld: path.section) else {
      return (IndexPath(section: section.path.section, item: item), .edit)
    }
    return Self.resolve(
      itemMaps[index].items.newPlace(ofOld: item),
      in: section.path.section
    )
  }

  /// The counterpart of a new path; nil = there is none.
  func backward(_ path: IndexPath) -> Found? {
    guard new.contains(path) else { return nil }
    if let move = move(ofNew: path) { return (move.old(of: path), move.kind) }
    guard let item = path.item else { return backward(section: path.section) }
    guard let section = backward(section: path.section), section.kind != .reload else { return nil }
    guard let index = itemMap(ofNew: path.section) else {
      return (IndexPath(section: section.path.section, item: item), .edit)
    }
    return Self.resolve(
      itemMaps[index].items.oldPlace(ofNew: item),
      in: section.path.section
    )
  }

  private static func resolve(_ place: SpliceMap.Place, in section: Int) -> Found? {
    switch place {
    case .index(let item): (IndexPath(section: section, item: item), .edit)
    case .spliced(.edit, _): nil
    case .spliced(let kind, let item): (IndexPath(section: section, item: item), kind)
    }
  }

  private func forward(section: Int) -> Found? {
    if let move = move(ofOld: IndexPath(section: section)) { return (move.new, move.kind) }
    return Self.resolve(sectionMap.newPlace(ofOld: section))
  }

  private func backward(section: Int) -> Found? {
    if let move = move(ofNew: IndexPath(section: section)) { return (move.old, move.kind) }
    return Self.resolve(sectionMap.oldPlace(ofNew: section))
  }

  private static func resolve(_ place: SpliceMap.Place) -> Found? {
    switch place {
    case .index(let section): (IndexPath(section: section), .edit)
    case .spliced(.edit, _): nil
    case .spliced(let kind, let section): (IndexPath(section: section), kind)
    }
  }

  private func move(ofOld path: IndexPath) -> PlaceMove? {
    let next = moves.partitioningIndex { $0.old > path }
    guard next > 0, moves[next - 1].contains(old: path) else { return nil }
    return moves[next - 1]
  }

  private func move(ofNew path: IndexPath) -> PlaceMove? {
    let next = movesByNew.indices.partitioningIndex { moves[movesByNew[$0]].new > path }
    guard next > 0, moves[movesByNew[next - 1]].contains(new: path) else { return nil }
    return moves[movesByNew[next - 1]]
  }

  /// The moves of items into a section, or within it.
  ///
  /// - Parameter section: a new index.
  /// - Complexity: O(log k + moves found) for k moves
  func moves(ofItemsInto section: Int) -> [PlaceMove] {
    let first = movesByNew.indices.partitioningIndex {
      moves[movesByNew[$0]].new.section >= section
    }
    var found: [PlaceMove] = []
    for index in movesByNew[first...] {
      let move = moves[index]
      guard move.new.section == section else { break }
      if move.new.item != nil { found.append(move) }
    }
    return found
  }

  /// The index in `itemMaps`; nil = the section's items did not change.
  func itemMap(ofOld section: Int) -> Int? {
    let i = itemMaps.indices.partitioningIndex { itemMaps[$0].oldSection >= section }
    return i < itemMaps.count && itemMaps[i].oldSection == section ? i : nil
  }

  /// The index in `itemMaps`; nil = the section's items did not change.
  func itemMap(ofNew section: Int) -> Int? {
    let i = itemMapsByNew.indices.partitioningIndex {
      itemMaps[itemMapsByNew[$0]].newSection >= section
    }
    guard i < itemMapsByNew.count else { return nil }
    let index = itemMapsByNew[i]
    return itemMaps[index].newSection == section ? index : nil
  }
}

extension PlaceMove {
  /// How far a path is behind the first one of a move; nil = it is not part of the move.
  private func offset(of path: IndexPath, from first: IndexPath) -> Int? {
    guard path.section == first.section else { return nil }
    guard let item = path.item, let start = first.item else { return path == first ? 0 : nil }
    return item >= start && item < start + count ? item - start : nil
  }

  func contains(old path: IndexPath) -> Bool { offset(of: path, from: old) != nil }
  func contains(new path: IndexPath) -> Bool { offset(of: path, from: new) != nil }

  /// The new path of what was at an old one.
  func new(of path: IndexPath) -> IndexPath {
    IndexPath(rawValue: new.rawValue + (path.rawValue - old.rawValue))
  }

  /// The old path of what is at a new one.
  func old(of path: IndexPath) -> IndexPath {
    IndexPath(rawValue: old.rawValue + (path.rawValue - new.rawValue))
  }
}
