// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import TestSupport

extension SplitMix64 {
  /// Entries of all kinds, some with names.
  mutating func sectionsLayout(isScrolling: Bool = true) -> SectionsLayout {
    let axis: ScrollAxis = chance(70) ? .vertical : .horizontal
    return SectionsLayout(
      scrollAxis: axis,
      interSectionSpacing: chance(50) ? 0 : length(0 ... 30),
      layouts: (0 ..< int(1 ... 5)).map { index in
        SectionLayout(
          name: ["", "a", "b", "", "c"][index],
          sectionKind(along: axis, isScrolling: isScrolling)
        )
      }
    )
  }

  private mutating func sectionKind(
    along axis: ScrollAxis,
    isScrolling: Bool
  ) -> SectionLayout.Kind {
    switch int(0 ... 4) {
    case 0: .flow(flow(along: axis))
    case 1 where axis == .vertical: .list(pinningList())
    case 2 where axis == .vertical: .grid(grid())
    case 1, 2: .waterfall(waterfall(along: axis))
    case 3: .gridLanes(gridLanes(along: axis))
    default: .compositional(groups(isScrolling: isScrolling))
    }
  }

  private mutating func flow(along axis: ScrollAxis) -> FlowLayout {
    FlowLayout(
      scrollDirection: axis,
      itemSize: size(20 ... 90),
      estimatedItemSize: chance(20) ? size(20 ... 90) : nil,
      minimumLineSpacing: length(0 ... 15),
      minimumInteritemSpacing: length(0 ... 15),
      sectionInset: insets(0 ... 30),
      headerReferenceSize: chance(50) ? size(0 ... 40) : .zero,
      footerReferenceSize: chance(30) ? size(0 ... 40) : .zero,
      sectionHeadersPinToVisibleBounds: chance(40),
      sectionFootersPinToVisibleBounds: chance(40),
      alignment: FlowLayout.Alignment.allCases[int(0 ... 3)],
      crossAlignment: FlowLayout.CrossAlignment.allCases[int(0 ... 2)],
      pinnedZIndex: int(5 ... 15)
    )
  }

  private mutating func pinningList() -> ListLayout {
    var layout = list()
    layout.headersPinToVisibleBounds = chance(40)
    layout.footersPinToVisibleBounds = chance(40)
    return layout
  }

  private mutating func grid() -> GridLayout {
    GridLayout(
      itemSize: size(1 ... 60),
      interitemSpacing: chance(30) ? 0 : length(0 ... 20),
      lineSpacing: chance(30) ? 0 : length(0 ... 20)
    )
  }

  private mutating func waterfall(along axis: ScrollAxis) -> WaterfallLayout {
    WaterfallLayout(
      scrollAxis: axis,
      columns: chance(70) ? .count(int(1 ... 5)) : .minimumWidth(length(30 ... 200)),
      columnSpacing: length(0 ... 9),
      itemSpacing: length(0 ... 9),
      sectionInset: insets(0 ... 30),
      headerHeight: chance(50) ? length(1 ... 40) : 0,
      footerHeight: chance(30) ? length(1 ... 40) : 0,
      order: WaterfallLayout.Order.allCases[int(0 ... 2)],
      headersPinToVisibleBounds: chance(40)
    )
  }

  private mutating func groups(isScrolling: Bool) -> CompositionalSection {
    var section = compositionalSection(name: "", isScrolling: isScrolling)
    for index in section.boundarySupplementaryItems.indices {
      section.boundarySupplementaryItems[index].pinToVisibleBounds = chance(30)
    }
    for index in section.backgrounds.indices where chance(40) {
      section.backgrounds[index].sections = [0, 2]
    }
    return section
  }
}
