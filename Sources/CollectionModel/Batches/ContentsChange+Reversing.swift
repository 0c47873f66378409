// SPDX-License-Identifier: Apache-2.0

extension ContentsChange {
  /// The change that leads from the new contents back to the old ones. Not of rows in which
  /// something hidden changed.
  ///
  /// - Complexity: O(k log k) for a change with k splices and moves
  public var reversed: ContentsChange {
    ContentsChange(
      old: new,
      new: old,
      isAnimated: isAnimated,
      sectionMap: map.sectionMap.reversed,
      changedSections: changedSections.map(\.reversed).sorted { $0.newIndex < $1.newIndex },
      itemMaps: map.itemMaps.map(\.reversed).sorted { $0.oldSection < $1.oldSection },
      moves: map.movesByNew.map { map.moves[$0].reversed },
      renumbersSections: map.renumbersSections
    )
  }
}

extension ContentsChange.SectionChange {
  fileprivate var reversed: Self {
    Self(
      oldIndex: newIndex,
      newIndex: oldIndex,
      itemSplices: itemSplices.map(\.reversed),
      metricsChanged: metricsChanged
    )
  }
}

extension ItemMap {
  fileprivate var reversed: ItemMap {
    ItemMap(oldSection: newSection, newSection: oldSection, items: items.reversed)
  }
}

extension SpliceMap {
  fileprivate var reversed: SpliceMap {
    var map = SpliceMap()
    for (splice, kind) in zip(splices, kinds) { map.append(splice.reversed, kind) }
    return map
  }
}

extension PlaceMove {
  fileprivate var reversed: PlaceMove { PlaceMove(old: new, new: old, count: count, kind: kind) }
}

extension Splice {
  fileprivate var reversed: Splice { Splice(old: new, new: old) }
}
