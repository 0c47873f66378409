// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What a batch did: the contents before and after it, what differs, and where each item went.
///
/// Layouts use it to derive a prepared layout from the previous one, and sessions to keep the
/// identity of what they show. Its size depends on the batch alone, not on the contents.
public struct ContentsChange: Sendable {
  /// In a class, because every session that follows a change copies it.
  let map: ChangeMap

  /// The contents before the batch.
  public var old: CollectionContents { map.old }
  /// The contents after the batch.
  public var new: CollectionContents { map.new }
  /// The ranges of sections that were replaced by others, sorted and disjoint. The sections outside
  /// correspond in order. A moved section is in two splices: where it was and where it is.
  public var sectionSplices: [Splice] { map.sectionMap.splices }
  /// Corresponding sections whose items, metrics or layout name changed, sorted.
  public let changedSections: [SectionChange]
  /// Whether renderers should animate from the old state to the new.
  public let isAnimated: Bool

  /// What changed in a section that exists before and after the batch.
  public struct SectionChange: Hashable, Sendable {
    /// The section's index before the batch.
    public var oldIndex: Int
    /// The section's index after the batch.
    public var newIndex: Int
    /// The ranges of items that were replaced by others, sorted and disjoint. The items outside
    /// correspond in order. A moved item is in two splices: where it was and where it is. Reloaded
    /// and reconfigured items are in splices whose ranges have the same length.
    public var itemSplices: [Splice]
    /// Whether the section's metrics or layout name differ.
    public var metricsChanged: Bool

    /// A change with the given values.
    public init(oldIndex: Int, newIndex: Int, itemSplices: [Splice], metricsChanged: Bool) {
      self.oldIndex = oldIndex
      self.newIndex = newIndex
      self.itemSplices = itemSplices
      self.metricsChanged = metricsChanged
    }
  }

  /// - Parameter itemMaps: sorted by old section.
  /// - Parameter moves: sorted by old path.
  /// - Parameter renumbersSections: see `ChangeMap.renumbersSections`.
  /// - Parameter hiddenSections: see `ChangeMap.hiddenSections`.
  init(
    old: CollectionContents,
    new: CollectionContents,
    isAnimated: Bool,
    sectionMap: SpliceMap,
    changedSections: [SectionChange],
    itemMaps: [ItemMap],
    moves: [PlaceMove],
    renumbersSections: Bool = false,
    hiddenSections: [Int] = []
  ) {
    map = ChangeMap(
      old: old,
      new: new,
      sectionMap: sectionMap,
      itemMaps: itemMaps,
      moves: moves,
      renumbersSections: renumbersSections,
      hiddenSections: hiddenSections
    )
    self.isAnimated = isAnimated
    self.changedSections = changedSections
  }

  /// The change from contents to others that have nothing in common: every section is replaced.
  public static func replacement(
    of old: CollectionContents,
    with new: CollectionContents,
    isAnimated: Bool = false
  ) -> ContentsChange {
    var map = SpliceMap()
    if old.sectionCount > 0 || new.sectionCount > 0 {
      map.append(Splice(old: 0 ..< old.sectionCount, new: 0 ..< new.sectionCount), .edit)
    }
    return ContentsChange(
      old: old,
      new: new,
      isAnimated: isAnimated,
      sectionMap: map,
      changedSections: [],
      itemMaps: [],
      moves: []
    )
  }

  /// The same change to new contents whose `measuredItemSize` is `size`.
  ///
  /// - Complexity: that of a copy of the change's lists
  public func settingMeasuredItemSize(_ size: Size?) -> ContentsChange {
    var contents = new
    contents.measuredItemSize = size
    return between(old, and: contents)
  }

  /// The same change of rows, to new contents that are rows of other contents with the same items.
  ///
  /// - Complexity: that of a copy of the change's lists
  public func settingWhole(_ whole: CollectionContents) -> ContentsChange {
    var contents = new
    contents.wholeContents = WholeContents(whole, base: new.expansionBase)
    return between(old, and: contents)
  }

  /// The same change to new contents with other sizes of measured elements.
  ///
  /// - Parameter sections: the new indices of sections in which some of these differ from those of
  ///   `old`, sorted; sections in splices need not be among them.
  /// - Complexity: that of a copy of the change's lists; also O(log k) for each of the sections
  public func settingMeasuredElements(
    _ elements: MeasuredElements,
    in sections: [Int] = []
  ) -> ContentsChange {
    var contents = new
    contents.measuredElements = elements
    var changed = changedSections
    for index in sections {
      let place = changed.indices.partitioningIndex { changed[$0].newIndex >= index }
      if place < changed.count, changed[place].newIndex == index {
        changed[place].metricsChanged = true
      } else if case .index(let old) = map.sectionMap.oldPlace(ofNew: index) {
        changed.insert(
          SectionChange(oldIndex: old, newIndex: index, itemSplices: [], metricsChanged: true),
          at: place
        )
      }
    }
    return between(old, and: contents, changed)
  }

  /// The same change between other contents, which have the same sections and items at each side.
  ///
  /// - Parameter changedSections: nil = those of this change.
  func between(
    _ old: CollectionContents,
    and new: CollectionContents,
    _ changedSections: [SectionChange]? = nil
  ) -> ContentsChange {
    ContentsChange(
      old: old,
      new: new,
      isAnimated: isAnimated,
      sectionMap: map.sectionMap,
      changedSections: changedSections ?? self.changedSections,
      itemMaps: map.itemMaps,
      moves: map.moves,
      renumbersSections: map.renumbersSections,
      hiddenSections: map.hiddenSections
    )
  }

  /// The ranges of items that were replaced in a section that stays, moved or not, sorted and
  /// disjoint.
  ///
  /// - Parameter section: the section's old index.
  /// - Complexity: O(log k) for k changed sections
  public func itemSplices(ofOldSection section: Int) -> [Splice] {
    map.itemMap(ofOld: section).map { map.itemMaps[$0].items.splices } ?? []
  }

  /// Whether nothing changed.
  public var isEmpty: Bool {
    sectionSplices.isEmpty && changedSections.isEmpty && map.itemMaps.isEmpty
  }
}

/// A move of items or a section.
struct PlaceMove: Hashable, Sendable {
  /// The first one's index path before the batch.
  var old: IndexPath
  /// The first one's index path after the batch.
  var new: IndexPath
  /// How many items moved together, one behind the other on both sides.
  var count = 1
  /// Whether it also got new values, or a new identity.
  var kind: SpliceKind
}

/// How the identities on both sides of a splice, or of a move, relate.
enum SpliceKind: Hashable, Sendable {
  /// In a splice: both sides have nothing in common, except for what is listed as moved. In a move:
  /// the same identity and the same values.
  case edit
  /// Both sides correspond one to one; all values are new, and so are the identities.
  case reload
  /// Both sides correspond one to one and have the same identities, with new values.
  case reconfigure
}

/// How the items of a section before the batch correspond to its items after it.
struct ItemMap: Hashable, Sendable {
  /// The section's index before the batch.
  var oldSection: Int
  /// The section's index after the batch.
  var newSection: Int
  /// How the item indices correspond.
  var items: SpliceMap
}

/// A monotone mapping between the indices of two sequences. Between the splices indices correspond
/// in order.
struct SpliceMap: Hashable, Sendable {
  /// Sorted and disjoint on either side.
  private(set) var splices: [Splice] = []
  /// The kind of each splice.
  private(set) var kinds: [SpliceKind] = []

  /// Adds a splice behind all others.
  mutating func append(_ splice: Splice, _ kind: SpliceKind) {
    splices.append(splice)
    kinds.append(kind)
  }

  /// What corresponds to an index.
  enum Place: Hashable {
    /// This index of the other sequence.
    case index(Int)
    /// The index is in a splice. The number is the index on the other side of the splice; it means
    /// nothing for a splice of kind `.edit`.
    case spliced(SpliceKind, Int)
  }

  /// What corresponds to an index of the old sequence.
  ///
  /// - Complexity: O(log splices)
  func newPlace(ofOld index: Int) -> Place {
    let next = splices.partitioningIndex { $0.old.lowerBound > index }
    guard next > 0 else { return .index(index) }
    let splice = splices[next - 1]
    return place(index, splice.old, splice.new, kinds[next - 1])
  }

  /// What corresponds to an index of the new sequence.
  ///
  /// - Complexity: O(log splices)
  func oldPlace(ofNew index: Int) -> Place {
    let next = splices.partitioningIndex { $0.new.lowerBound > index }
    guard next > 0 else { return .index(index) }
    let splice = splices[next - 1]
    return place(index, splice.new, splice.old, kinds[next - 1])
  }

  /// What corresponds to an index, given the last splice that starts at or before it. As splices
  /// are disjoint, no other one can contain the index; an empty range at the index itself is before
  /// it.
  private func place(
    _ index: Int,
    _ source: Range<Int>,
    _ target: Range<Int>,
    _ kind: SpliceKind
  ) -> Place {
    if index < source.upperBound {
      return .spliced(kind, target.lowerBound + index - source.lowerBound)
    }
    return .index(target.upperBound + index - source.upperBound)
  }
}
