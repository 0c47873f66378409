// SPDX-License-Identifier: Apache-2.0

/// What a batch did: the contents before and after it, what differs, and where each item went.
///
/// Enough for layouts to derive a prepared layout from the one before, and for sessions to keep the
/// identity of what they show. Its size, and the time for an answer, depend on the batch alone.
public struct ContentsChange: Sendable {
  /// Boxed: every session that follows a change copies it.
  let map: ChangeMap

  public var old: CollectionContents { map.old }
  public var new: CollectionContents { map.new }
  /// Over section indices: an old range replaced by a new range, sorted and disjoint. The sections
  /// outside correspond in order. A moved section is in two of them, where it was and where it is.
  public var sectionSplices: [Splice] { map.sectionMap.splices }
  /// Corresponding sections whose items, metrics or layout name changed, sorted.
  public let changedSections: [SectionChange]
  /// Whether renderers should animate from the old state to the new.
  public let isAnimated: Bool

  /// What changed in a section that is there before and after.
  public struct SectionChange: Hashable, Sendable {
    public var oldIndex: Int
    public var newIndex: Int
    /// Sorted and disjoint; the items outside correspond in order. A moved item is in two of them;
    /// reloaded and reconfigured items are in splices with ranges of the same length.
    public var itemSplices: [Splice]
    /// Whether the section's metrics, layout name or key differ.
    public var metricsChanged: Bool

    public init(oldIndex: Int, newIndex: Int, itemSplices: [Splice], metricsChanged: Bool) {
      self.oldIndex = oldIndex
      self.newIndex = newIndex
      self.itemSplices = itemSplices
      self.metricsChanged = metricsChanged
    }
  }

  init(
    old: CollectionContents,
    new: CollectionContents,
    isAnimated: Bool,
    sectionMap: SpliceMap,
    changedSections: [SectionChange],
    itemMaps: [ItemMap],
    moves: [PlaceMove]
  ) {
    map = ChangeMap(old: old, new: new, sectionMap: sectionMap, itemMaps: itemMaps, moves: moves)
    self.isAnimated = isAnimated
    self.changedSections = changedSections
  }

  /// Other contents without anything in common: every section is replaced.
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

  /// Whether nothing changed.
  public var isEmpty: Bool {
    sectionSplices.isEmpty && changedSections.isEmpty && map.itemMaps.isEmpty
  }
}

/// Where an item or a section went that moved.
struct PlaceMove: Hashable, Sendable {
  var old: IndexPath
  var new: IndexPath
  var kind: SpliceKind
}

/// How the identities on both sides of a splice, or of a move, relate.
enum SpliceKind: Hashable, Sendable {
  /// Of a splice: not at all, but for what is listed as moved. Of a move: the same.
  case edit
  /// One to one by place; new identities.
  case reload
  /// One to one; the same identities.
  case reconfigure
}

/// How the items of one section map to those of the section after the batch.
struct ItemMap: Hashable, Sendable {
  var oldSection: Int
  var newSection: Int
  var items: SpliceMap
}

/// A monotone mapping between two sequences of indices, in pieces.
struct SpliceMap: Hashable, Sendable {
  private(set) var splices: [Splice] = []
  private(set) var kinds: [SpliceKind] = []

  mutating func append(_ splice: Splice, _ kind: SpliceKind) {
    splices.append(splice)
    kinds.append(kind)
  }

  enum Place: Hashable {
    /// It corresponds to this index.
    case index(Int)
    /// Within a splice of a kind, at this place of the other side where that is one to one.
    case spliced(SpliceKind, Int)
  }

  /// - Complexity: O(log splices)
  func newPlace(ofOld index: Int) -> Place {
    let next = firstIndex(splices.count) { splices[$0].old.lowerBound > index }
    guard next > 0 else { return .index(index) }
    let splice = splices[next - 1]
    return place(index, splice.old, splice.new, kinds[next - 1])
  }

  /// - Complexity: O(log splices)
  func oldPlace(ofNew index: Int) -> Place {
    let next = firstIndex(splices.count) { splices[$0].new.lowerBound > index }
    guard next > 0 else { return .index(index) }
    let splice = splices[next - 1]
    return place(index, splice.new, splice.old, kinds[next - 1])
  }

  /// An empty range at the index itself comes before it; a range that holds the index is the last
  /// that starts at or before it, since ranges are disjoint.
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
