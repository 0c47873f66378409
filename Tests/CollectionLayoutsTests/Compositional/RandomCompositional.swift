// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

extension SplitMix64 {
  mutating func compositional(isScrolling: Bool = true) -> CompositionalLayout {
    CompositionalLayout(
      scrollAxis: chance(70) ? .vertical : .horizontal,
      interSectionSpacing: chance(50) ? 0 : length(0 ... 30),
      sections: (0 ..< int(1 ... 3)).map { index in
        compositionalSection(name: ["", "a", "b"][index], isScrolling: isScrolling)
      },
      boundarySupplementaryItems: (0 ..< (chance(25) ? int(1 ... 2) : 0)).map {
        boundaryItem(kind: "global\($0)")
      },
      contentInsetsReference: chance(50) ? .automatic : insetsReference()
    )
  }

  /// Sections of all sorts of sizes, some of which name entries.
  mutating func namedContents() -> CollectionContents {
    let kinds = chance(30) ? ["photo", "video"] : []
    return CollectionContents(
      sections: (0 ..< int(0 ... 7)).map { _ in namedSection(kinds: kinds.count) },
      cellKindNames: kinds
    )
  }

  private mutating func namedSection(kinds: Int) -> SectionContents {
    var section = sizedSection(items: 20)
    section.layoutName = ["", "", "a", "b", "c", "d"][int(0 ... 5)]
    if kinds > 0, chance(50) {
      let count = int(1 ... 20)
      section.items = ItemSequence([
        ItemBlock(count: count, cellKinds: (0 ..< count).map { _ in below(kinds) })
      ])
    }
    return section
  }

  mutating func compositionalSection(name: String, isScrolling: Bool) -> CompositionalSection {
    CompositionalSection(
      name: name,
      group: layoutGroup(depth: 1),
      contentInsets: insets(0 ... 30),
      contentInsetsReference: chance(50) ? .automatic : insetsReference(),
      interGroupSpacing: chance(40) ? 0 : length(0 ... 20),
      orthogonalScrolling: isScrolling && chance(25)
        ? [.continuous, .paging, .groupPaging, .groupPagingCentered][int(0 ... 3)] : .none,
      boundarySupplementaryItems: (0 ..< (chance(50) ? int(1 ... 3) : 0)).map {
        boundaryItem(kind: ["header", "footer", "more"][$0])
      },
      backgrounds: chance(30)
        ? [SectionBackground(kind: "plate", insets: insets(-10 ... 10), zIndex: int(-1 ... 2))]
        : [],
      supplementariesFollowContentInsets: chance(60),
      supplementaryContentInsetsReference: chance(70) ? .automatic : insetsReference()
    )
  }

  mutating func boundaryItem(kind: String) -> BoundarySupplementaryItem {
    BoundarySupplementaryItem(
      kind: kind,
      size: layoutSize(isEstimated: true),
      alignment: RectAlignment.allCases[int(0 ... 8)],
      absoluteOffset: chance(20) ? Point(x: length(-20 ... 20), y: length(-20 ... 20)) : .zero,
      extendsBoundary: chance(75),
      zIndex: chance(20) ? int(-2 ... 5) : nil
    )
  }

  mutating func layoutGroup(depth: Int) -> LayoutGroup {
    let axis: LayoutGroup.Axis = chance(50) ? .horizontal : .vertical
    var group = LayoutGroup(
      axis: axis,
      size: layoutSize(isEstimated: chance(40)),
      interitemSpacing: chance(50) ? .zero : spacing(),
      contentInsets: chance(30) ? insets(0 ... 12) : .zero,
      edgeSpacing: chance(20) ? edgeSpacing() : .zero,
      supplementaryItems: chance(20) ? [badge(kind: "group\(depth)")] : []
    )
    if chance(10) {
      group.customFrames = (0 ..< int(1 ... 4)).map { _ in
        Rect(
          x: length(-10 ... 150),
          y: length(-10 ... 150),
          width: length(0 ... 80),
          height: length(0 ... 80)
        )
      }
      return group
    }
    let count = int(1 ... 3)
    group.subitems = (0 ..< count).map { _ in
      depth < 3 && chance(25) ? .group(layoutGroup(depth: depth + 1)) : .item(layoutItem())
    }
    if count == 1, chance(40) { group.count = int(1 ... 5) }
    return group
  }

  /// A layout of groups with a fixed height, filled with subgroups that are as high as what they
  /// hold: whether one more fits depends on all of its items.
  mutating func groupsOfGroups() -> CompositionalLayout {
    CompositionalLayout(sections: [
      CompositionalSection(
        group: LayoutGroup(
          axis: .vertical,
          size: LayoutSize(width: .absolute(200), height: .absolute(length(60 ... 400))),
          subitems: (0 ..< int(1 ... 2)).map { _ in .group(growingGroup(depth: 2)) },
          interitemSpacing: chance(30) ? spacing() : .zero
        )
      )
    ])
  }

  private mutating func growingGroup(depth: Int) -> LayoutGroup {
    func height(_ isUniform: Bool) -> LayoutDimension {
      isUniform ? .uniformAcrossSiblings(20) : .estimated(20)
    }
    return LayoutGroup(
      axis: chance(70) ? .vertical : .horizontal,
      size: LayoutSize(width: .absolute(60), height: height(chance(25))),
      subitems: (0 ..< int(1 ... 3)).map { _ in
        if depth < 4, chance(35) { return .group(growingGroup(depth: depth + 1)) }
        return .item(
          LayoutItem(size: LayoutSize(width: .absolute(25), height: height(chance(25))))
        )
      }
    )
  }

  /// The layout with uniform lengths in many places.
  mutating func uniform(_ layout: CompositionalLayout) -> CompositionalLayout {
    var layout = layout
    for index in layout.sections.indices {
      let axes = (width: chance(40), height: chance(70))
      makeUniform(&layout.sections[index].group, along: axes)
    }
    return layout
  }

  private mutating func makeUniform(
    _ group: inout LayoutGroup,
    along axes: (width: Bool, height: Bool)
  ) {
    makeUniform(&group.size, along: axes)
    for index in group.subitems.indices {
      switch group.subitems[index] {
      case .unspecified: break
      case .item(var item):
        makeUniform(&item.size, along: axes)
        group.subitems[index] = .item(item)
      case .group(var nested):
        makeUniform(&nested, along: axes)
        group.subitems[index] = .group(nested)
      }
    }
  }

  private mutating func makeUniform(
    _ size: inout LayoutSize,
    along axes: (width: Bool, height: Bool)
  ) {
    if axes.width, chance(80) { size.width = mostlyUniform() }
    if axes.height, chance(80) { size.height = mostlyUniform() }
  }

  private mutating func mostlyUniform() -> LayoutDimension {
    chance(85) ? .uniformAcrossSiblings(length(20 ... 150)) : .estimated(length(20 ... 150))
  }

  /// The contents with measured sizes of badges and boundary elements, some of which no layout has.
  mutating func measuringElements(_ contents: CollectionContents) -> CollectionContents {
    var measured = MeasuredElements()
    _ = measured.insert(measuredElements(in: contents))
    return contents.measuring(measured)
  }

  private mutating func measuredSize() -> Size {
    Size(width: length(2 ... 90), height: length(2 ... 90))
  }

  mutating func measuredElements(in contents: CollectionContents) -> [MeasuredElement: Size] {
    var sizes: [MeasuredElement: Size] = [:]
    if chance(40) { sizes[.layout(kind: "global\(int(0 ... 1))")] = measuredSize() }
    for section in 0 ..< contents.sectionCount {
      let kind = chance(50) ? "more" : "else"
      if chance(40) { sizes[.section(section, kind: kind)] = measuredSize() }
      for item in 0 ..< contents.section(at: section).items.count where chance(15) {
        sizes[.item(IndexPath(section: section, item: item), kind: "badge")] = measuredSize()
      }
      for ordinal in 0 ..< 6 where chance(25) {
        let kind = "group\(int(1 ... 3))"
        sizes[.group(section: section, ordinal: ordinal, kind: kind)] = measuredSize()
      }
    }
    return sizes
  }

  mutating func layoutItem() -> LayoutItem {
    LayoutItem(
      size: layoutSize(isEstimated: chance(40)),
      contentInsets: chance(30) ? insets(0 ... 8) : .zero,
      edgeSpacing: chance(25) ? edgeSpacing() : .zero,
      supplementaryItems: chance(25) ? [badge(kind: "badge")] : []
    )
  }

  mutating func layoutSize(isEstimated: Bool) -> LayoutSize {
    LayoutSize(
      width: dimension(isEstimated: isEstimated),
      height: dimension(isEstimated: isEstimated)
    )
  }

  /// Long enough that groups do not hold hundreds of items.
  mutating func dimension(isEstimated: Bool) -> LayoutDimension {
    switch int(0 ... (isEstimated ? 9 : 6)) {
    case 0 ... 2: .fractionalWidth([1, 0.5, 1 / 3, 0.25, 0.7][int(0 ... 4)])
    case 3: .fractionalHeight([1, 0.5, 0.3][int(0 ... 2)])
    case 4 ... 6: .absolute(length(15 ... 250))
    case 7, 8: .estimated(length(20 ... 150))
    default: .uniformAcrossSiblings(length(20 ... 150))
    }
  }

  mutating func spacing() -> LayoutSpacing {
    chance(50) ? .fixed(length(0 ... 15)) : .flexible(length(0 ... 15))
  }

  mutating func edgeSpacing() -> EdgeSpacing {
    EdgeSpacing(
      top: chance(50) ? .zero : spacing(),
      leading: chance(50) ? .zero : spacing(),
      bottom: chance(50) ? .zero : spacing(),
      trailing: chance(50) ? .zero : spacing()
    )
  }

  mutating func badge(kind: String) -> AnchoredSupplementaryItem {
    AnchoredSupplementaryItem(
      kind: kind,
      size: LayoutSize(
        width: chance(40) ? .estimated(length(5 ... 30)) : .absolute(length(5 ... 30)),
        height: chance(40) ? .estimated(length(5 ... 30)) : .fractionalWidth(0.2)
      ),
      containerAnchor: anchor(),
      itemAnchor: chance(50) ? nil : anchor(),
      zIndex: int(0 ... 3)
    )
  }

  mutating func anchor() -> LayoutAnchor {
    let point = Point(x: double(-1 ... 1), y: double(-1 ... 1))
    return LayoutAnchor(
      top: chance(40),
      leading: chance(40),
      bottom: chance(10),
      trailing: chance(10),
      offset: chance(50)
        ? .fractional(point) : .absolute(Point(x: 10 * point.x, y: 10 * point.y))
    )
  }

  /// Sections of which some items have sizes, as measurements leave them.
  mutating func measuredContents(isMeasured: Bool) -> CollectionContents {
    let kinds = chance(30) ? ["photo", "video"] : []
    return CollectionContents(
      sections: (0 ..< int(0 ... 4)).map { _ in
        let blocks = (0 ..< int(0 ... 4)).map { _ in
          let count = chance(70) ? int(1 ... 12) : int(20 ... 60)
          let cellKinds = kinds.isEmpty ? [] : (0 ..< count).map { _ in int(0 ... 1) }
          guard isMeasured, chance(50) else {
            return ItemBlock(count: count, cellKinds: cellKinds)
          }
          return ItemBlock(
            count: count,
            widths: chance(70) ? (0 ..< count).map { _ in length(10 ... 200) } : [],
            heights: chance(70) ? (0 ..< count).map { _ in length(10 ... 200) } : [],
            cellKinds: cellKinds
          )
        }
        return SectionContents(
          metrics: sectionMetrics(),
          layoutName: ["", "", "a", "b", "c"][int(0 ... 4)],
          blocks: blocks
        )
      },
      cellKindNames: kinds
    )
  }
}

extension CollectionContents {
  /// The same contents with measured sizes.
  func measuring(_ elements: MeasuredElements) -> CollectionContents {
    let none = ContentsChange.replacement(of: self, with: self)
    return none.settingMeasuredElements(elements).new
  }
}
