// SPDX-License-Identifier: Apache-2.0

/// Finds where many items of old contents went, as `ContentsChange.newIndexPath(ofOld:)` does for
/// each of them. What is the same for the items of one section is looked up once, as long as these
/// follow each other.
public struct ItemFollower: Sendable {
  private let change: ContentsChange
  private var last: Section?

  private struct Section: Sendable {
    let oldIndex: Int
    /// nil = it was deleted or reloaded.
    let newIndex: Int?
    /// nil = all items are where they were.
    let items: SpliceMap?
  }

  /// For the items of the contents before a change.
  public init(_ change: ContentsChange) { self.change = change }

  /// The new index path of an item; nil = it was deleted or reloaded.
  ///
  /// - Parameter path: of an item that the old contents have.
  /// - Complexity: O(log k) for a batch of k operations; also O(log sections) where the item before
  ///   was in another section, or something was moved
  public mutating func newIndexPath(ofOld path: IndexPath) -> IndexPath? {
    guard let first = change.firstChangedPath, path >= first else { return path }
    guard !change.hasMoves, let item = path.item else { return change.newIndexPath(ofOld: path) }
    let section = section(path.section)
    guard let index = section.newIndex else { return nil }
    guard let place = section.items?.newPlace(ofOld: item) else {
      return IndexPath(section: index, item: item)
    }
    switch place {
    case .index(let new), .spliced(.reconfigure, let new):
      return IndexPath(section: index, item: new)
    case .spliced: return nil
    }
  }

  private mutating func section(_ index: Int) -> Section {
    if let last, last.oldIndex == index { return last }
    let map = change.map
    let found = Section(
      oldIndex: index,
      newIndex: change.newIndexPath(ofOld: IndexPath(section: index))?.section,
      items: map.itemMap(ofOld: index).map { map.itemMaps[$0].items }
    )
    last = found
    return found
  }
}

/// Says which sections are outlines, and looks each up once as long as the same one is asked for.
public struct OutlineSections: Sendable {
  private let contents: CollectionContents
  private var last: (section: Int, isOutline: Bool)?

  /// - Parameter contents: with all items.
  public init(_ contents: CollectionContents) { self.contents = contents }

  /// Whether a section that the contents have is an outline.
  ///
  /// - Complexity: O(1) where none is, or the section before was the same; otherwise O(log
  ///   sections)
  public mutating func contains(_ section: Int) -> Bool {
    guard contents.hasOutlines else { return false }
    if let last, last.section == section { return last.isOutline }
    let isOutline = contents.section(at: section).outline != nil
    last = (section, isOutline)
    return isOutline
  }
}
