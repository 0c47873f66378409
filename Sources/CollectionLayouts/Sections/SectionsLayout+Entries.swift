// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension SectionsLayout {
  /// The entries within the limit; the others are ignored.
  var usedLayouts: ArraySlice<SectionLayout> { layouts.prefix(Limit.sections) }

  /// All compositional sections as one layout, which prepares them together.
  var compositional: CompositionalLayout {
    CompositionalLayout(
      scrollAxis: scrollAxis,
      sections: usedLayouts.compactMap {
        guard case .compositional(let section) = $0.kind else { return nil }
        return section
      }
    )
  }

  /// The layouts of all entries except grids, compositional sections as one.
  var members: [any SectionedLayout] {
    var members: [any SectionedLayout] = []
    var hasCompositional = false
    for entry in usedLayouts {
      switch entry.kind {
      case .unspecified, .grid: break
      case .flow(let layout): members.append(layout)
      case .list(let layout): members.append(layout)
      case .waterfall(let layout): members.append(layout)
      case .gridLanes(let layout): members.append(layout)
      case .compositional: hasCompositional = true
      }
    }
    if hasCompositional { members.append(compositional) }
    return members
  }

  /// All kinds without duplicates. The kinds of lists come first, because all layouts but
  /// compositional ones number their kinds alike, and so find them where they expect them.
  var allElementKinds: [String] {
    var kinds = ListLayout().elementKinds
    var seen = Set(kinds.map { ExactText($0) })
    for kind in compositional.allElementKinds where seen.insert(ExactText(kind)).inserted {
      kinds.append(kind)
    }
    return kinds
  }

  /// The entry that a section takes: the one with its layout name, else the one at its index modulo
  /// their number; nil if there are no entries.
  ///
  /// - Complexity: O(entries) if the section has a layout name.
  func entry(named name: String, at index: Int) -> SectionLayout? {
    let layouts = usedLayouts
    if !name.isEmpty, let named = layouts.first(where: { $0.name.hasSameBytes(as: name) }) {
      return named
    }
    return layouts.isEmpty ? nil : layouts[index % layouts.count]
  }
}
