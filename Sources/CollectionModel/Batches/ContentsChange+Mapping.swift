// SPDX-License-Identifier: Apache-2.0

/// All are O(log k) for a batch of k operations.
extension ContentsChange {
  /// Where an item or a section of the old contents is now; nil = deleted or reloaded: a reload is a
  /// new identity at the same place.
  public func newIndexPath(ofOld path: IndexPath) -> IndexPath? {
    map.forward(path).flatMap { $0.kind == .reload ? nil : $0.path }
  }

  /// Where an item or a section is now, or what was reloaded in its place; nil = deleted, or in a
  /// section that was reloaded.
  public func newPlace(ofOld path: IndexPath) -> IndexPath? { map.forward(path)?.path }

  /// Where an item or a section of the new contents was; nil = inserted or reloaded.
  public func oldIndexPath(ofNew path: IndexPath) -> IndexPath? {
    map.backward(path).flatMap { $0.kind == .reload ? nil : $0.path }
  }

  /// Whether the batch moved an item or a section elsewhere by name, or the section that an item is
  /// in, rather than by what it inserted and deleted around it.
  public func isMoved(old path: IndexPath) -> Bool { map.isMoved(old: path) }

  /// Whether the batch moved any item or section by name.
  ///
  /// - Complexity: O(1)
  public var hasMoves: Bool { !map.moves.isEmpty }

  /// Whether an item of the new contents has new values under its old identity.
  public func isReconfigured(new path: IndexPath) -> Bool {
    map.backward(path)?.kind == .reconfigure
  }
}

/// Where things of two versions are in the other.
final class ChangeMap: Sendable {
  let old: CollectionContents
  let new: CollectionContents
  let sectionMap: SpliceMap
  /// Of the sections with changed items, those that moved included; by old section.
  let itemMaps: [ItemMap]
  /// Indices into `itemMaps` by new section.
  let itemMapsByNew: [Int]
  /// Items and sections that are elsewhere for another reason than what lies before them, by old
  /// path.
  let moves: [PlaceMove]
  /// Indices into `moves` by new path.
  let movesByNew: [Int]

  init(
    old: CollectionContents,
    new: CollectionContents,
    sectionMap: SpliceMap,
    itemMaps: [ItemMap],
    moves: [PlaceMove]
  ) {
    self.old = old
    self.new = new
    self.sectionMap = sectionMap
    self.itemMaps = itemMaps
    itemMapsByNew = itemMaps.indices.sorted { itemMaps[$0].newSection < itemMaps[$1].newSection }
    self.moves = moves
    movesByNew = moves.indices.sorted { moves[$0].new < moves[$1].new }
  }

  func isMoved(old path: IndexPath) -> Bool {
    if move(ofOld: path) != nil { return true }
    return path.item != nil && move(ofOld: IndexPath(section: path.section)) != nil
  }

  typealias Found = (path: IndexPath, kind: SpliceKind)

  func forward(_ path: IndexPath) -> Found? {
    guard old.contains(path) else { return nil }
    if let move = move(ofOld: path) { return (move.new, move.kind) }
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

  func backward(_ path: IndexPath) -> Found? {
    guard new.contains(path) else { return nil }
    if let move = move(ofNew: path) { return (move.old, move.kind) }
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
    let i = firstIndex(moves.count) { moves[$0].old >= path }
    return i < moves.count && moves[i].old == path ? moves[i] : nil
  }

  private func move(ofNew path: IndexPath) -> PlaceMove? {
    let i = firstIndex(movesByNew.count) { moves[movesByNew[$0]].new >= path }
    guard i < movesByNew.count, moves[movesByNew[i]].new == path else { return nil }
    return moves[movesByNew[i]]
  }

  /// The place in `itemMaps`.
  private func itemMap(ofOld section: Int) -> Int? {
    let i = firstIndex(itemMaps.count) { itemMaps[$0].oldSection >= section }
    return i < itemMaps.count && itemMaps[i].oldSection == section ? i : nil
  }

  /// The place in `itemMaps`.
  func itemMap(ofNew section: Int) -> Int? {
    let i = firstIndex(itemMapsByNew.count) { itemMaps[itemMapsByNew[$0]].newSection >= section }
    guard i < itemMapsByNew.count else { return nil }
    let index = itemMapsByNew[i]
    return itemMaps[index].newSection == section ? index : nil
  }
}

/// The first of 0 ..< count for which a monotone condition holds; `count` where none.
func firstIndex(_ count: Int, where condition: (Int) -> Bool) -> Int {
  var low = 0
  var high = count
  while low < high {
    let middle = (low + high) / 2
    if condition(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}
