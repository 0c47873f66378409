// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
import LayoutGeometry

/// Layouts from bytes, valid or not.
extension ByteReader {
  package mutating func layout() -> any CollectionLayout {
    switch byte() % 14 {
    case 0: flow()
    case 12: gridLanes()
    case 13: table()
    case 1: list()
    case 2: grid()
    case 3: waterfall()
    case 4, 5: compositional()
    case 6: sections()
    case 7:
      LineLayout(
        scrollDirection: axis(),
        itemSize: size(),
        lineSpacing: number(),
        sectionInset: insets(),
        activeDistance: number(),
        zoomFactor: number()
      )
    case 8: CircleLayout(itemSize: size(), radiusDivisor: number(), startAngle: number())
    case 9: carousel()
    case 10:
      StackLayout(
        scrollDirection: axis(),
        itemSize: size(),
        visibleDepth: index(12),
        depthOffset: Point(x: number(), y: number()),
        depthScale: number()
      )
    default: spatial()
    }
  }

  private mutating func axis() -> ScrollAxis { flag() ? .vertical : .horizontal }

  private mutating func flow() -> FlowLayout {
    FlowLayout(
      scrollDirection: axis(),
      itemSize: size(),
      estimatedItemSize: maybe { $0.size() },
      minimumLineSpacing: number(),
      minimumInteritemSpacing: number(),
      sectionInset: insets(),
      sectionInsetReference: reference(),
      headerReferenceSize: size(),
      footerReferenceSize: size(),
      sectionHeadersPinToVisibleBounds: flag(),
      sectionFootersPinToVisibleBounds: flag(),
      alignment: pick(FlowLayout.Alignment.allCases),
      crossAlignment: pick(FlowLayout.CrossAlignment.allCases),
      pinnedZIndex: index(20)
    )
  }

  private mutating func reference() -> InsetsReference {
    chance(60) ? .automatic : pick(InsetsReference.allCases)
  }

  private mutating func list() -> ListLayout {
    ListLayout(
      rowHeight: number(),
      rowSpacing: number(),
      sectionInset: insets(),
      headerHeight: number(),
      footerHeight: number(),
      headersPinToVisibleBounds: flag(),
      footersPinToVisibleBounds: flag(),
      separatorThickness: number(),
      separatorInsets: insets()
    )
  }

  private mutating func waterfall() -> WaterfallLayout {
    WaterfallLayout(
      scrollAxis: axis(),
      columns: flag() ? .count(index(12)) : .minimumWidth(number()),
      columnSpacing: number(),
      itemSpacing: number(),
      sectionInset: insets(),
      headerHeight: number(),
      footerHeight: number(),
      order: pick(WaterfallLayout.Order.allCases),
      headersPinToVisibleBounds: flag()
    )
  }

  private mutating func table() -> TableLayout {
    TableLayout(
      columns: list(upTo: 5) { $0.tableColumn(level: 0) },
      rowHeight: number(),
      isSelfSizing: flag(),
      rowSpacing: number(),
      headerHeight: number(),
      headersScrollAway: flag(),
      sectionHeaderHeight: number(),
      sectionFooterHeight: number(),
      sectionHeadersPinToVisibleBounds: flag(),
      separatorThickness: number(),
      rowKinds: list(upTo: 2) { reader in
        TableRowKind(
          cellKind: reader.pick(["", "a", "b"]),
          isWhole: reader.flag(),
          spans: reader.list(upTo: 3) { reader in
            TableSpan(
              column: reader.pick(["a", "b", "c"]),
              count: reader.maybe { $0.index(6) },
              rowCount: reader.index(70)
            )
          }
        )
      }
    )
  }

  private mutating func tableColumn(level: Int) -> TableColumn {
    TableColumn(
      pick(["", "a", "b", "c", "d", "e"]),
      width: flag() ? .points(number()) : .share(number()),
      minimum: number(),
      maximum: maybe { $0.number() },
      isHidden: flag(),
      frozen: maybe { $0.pick(TableEdge.allCases) },
      columns: level < 3 && flag() ? list(upTo: 2) { $0.tableColumn(level: level + 1) } : []
    )
  }

  private mutating func gridLanes() -> GridLanesLayout {
    var layout = GridLanesLayout(
      scrollAxis: axis(),
      lanes: list(upTo: 4) { reader in
        GridLane(
          reader.flag() ? .length(reader.number()) : .fraction(reader.number()),
          minimum: reader.maybe { $0.number() },
          repetition: reader.flag() ? .autoFill : .count(reader.index(12))
        )
      }
    )
    layout.laneSpacing = number()
    layout.itemSpacing = number()
    layout.flowTolerance = number()
    layout.fillReverse = flag()
    layout.isDense = flag()
    layout.trackReverse = flag()
    layout.placements = list(upTo: 3) { reader in
      GridLanePlacement(
        cellKind: reader.pick(["", "a", "b"]),
        span: reader.index(6),
        lane: reader.maybe { $0.index(20) }
      )
    }
    layout.sectionInset = insets()
    layout.headerHeight = number()
    layout.footerHeight = number()
    layout.headersPinToVisibleBounds = flag()
    return layout
  }

  private mutating func carousel() -> CarouselLayout {
    CarouselLayout(
      style: pick(CarouselLayout.Style.allCases),
      scrollDirection: axis(),
      itemSize: size(),
      spacing: number(),
      cameraDistance: number(),
      visibleItemsPerSide: maybe { $0.index(20) }
    )
  }

  private mutating func spatial() -> SpatialLayout {
    SpatialLayout(
      projection: pick(SpatialLayout.Projection.allCases),
      zoom: number(),
      itemSize: size(),
      anchor: Point(x: number(), y: number()),
      contentInset: insets(),
      clusters: maybe { reader in
        SpatialLayout.Clusters(
          cellSize: reader.number(),
          minimumCount: reader.index(9),
          size: reader.size(),
          growth: reader.number(),
          fillsCells: reader.flag()
        )
      }
    )
  }

  package mutating func options() -> LayoutOptions {
    LayoutOptions(
      sectionBackgrounds: chance(30) ? backgrounds() : [],
      scrollSnap: maybe { $0.pick(ScrollSnap.allCases) },
      isPixelAligned: flag()
    )
  }

  private mutating func backgrounds() -> [SectionBackground] {
    list(upTo: chance(5) ? 90 : 3) { reader in
      SectionBackground(
        kind: "b\(reader.below(4))",
        insets: reader.insets(),
        zIndex: reader.index(3),
        sections: reader.maybe { Set($0.list(upTo: 3) { $0.index(5) }) },
        custom: reader.maybe { ["n": .number($0.number())] }
      )
    }
  }
}

// MARK: - Compositional

extension ByteReader {
  private mutating func compositional() -> CompositionalLayout {
    CompositionalLayout(
      scrollAxis: axis(),
      interSectionSpacing: number(),
      sections: list(upTo: 3) { reader in
        let name = reader.pick(["", "a", "b"])
        return reader.chance(15)
          ? reader.listSection(named: name) : reader.compositionalSection(named: name)
      },
      boundarySupplementaryItems: boundaryItems(),
      contentInsetsReference: reference()
    )
  }

  private mutating func listSection(named name: String) -> CompositionalSection {
    CompositionalSection(
      name: name,
      list: ListConfiguration(
        appearance: pick(ListConfiguration.Appearance.allCases),
        headerMode: pick(ListConfiguration.HeaderMode.allCases),
        footerMode: pick(ListConfiguration.FooterMode.allCases),
        idiom: pick(ListConfiguration.Idiom.allCases),
        headerTopPadding: maybe { $0.number() },
        estimatedRowHeight: maybe { $0.number() },
        contentInsets: maybe { $0.insets() },
        showsSeparators: chance(70),
        separatorThickness: maybe { $0.number() },
        separator: separator(),
        rowSeparators: list(upTo: 2) {
          ListConfiguration.RowSeparator(
            cellKind: $0.pick(["", "a", "photo"]),
            separator: $0.separator()
          )
        }
      ),
      interGroupSpacing: number(),
      boundarySupplementaryItems: boundaryItems(),
      backgrounds: chance(20) ? backgrounds() : []
    )
  }

  private mutating func separator() -> ListSeparator {
    ListSeparator(
      topVisibility: pick(ListSeparator.Visibility.allCases),
      bottomVisibility: pick(ListSeparator.Visibility.allCases),
      topInsets: chance(70) ? .zero : insets(),
      bottomInsets: chance(70) ? .zero : insets()
    )
  }

  private mutating func compositionalSection(named name: String = "") -> CompositionalSection {
    CompositionalSection(
      name: name,
      group: group(depth: 1),
      contentInsets: insets(),
      contentInsetsReference: reference(),
      interGroupSpacing: number(),
      orthogonalScrolling: pick(OrthogonalScrolling.allCases),
      boundarySupplementaryItems: boundaryItems(),
      backgrounds: chance(20) ? backgrounds() : [],
      supplementariesFollowContentInsets: flag(),
      supplementaryContentInsetsReference: reference(),
      visibleItemEffects: list(upTo: 2) { $0.effect() }
    )
  }

  private mutating func grid() -> GridLayout {
    GridLayout(itemSize: size(), interitemSpacing: number(), lineSpacing: number())
  }

  private mutating func sections() -> SectionsLayout {
    SectionsLayout(
      scrollAxis: axis(),
      interSectionSpacing: number(),
      layouts: list(upTo: 4) { reader in
        let name = reader.pick(["", "a", "b"])
        let kind: SectionLayout.Kind =
          switch reader.byte() % 9 {
          case 0, 1: .flow(reader.flow())
          case 2, 3: .list(reader.list())
          case 4: .waterfall(reader.waterfall())
          case 5: .grid(reader.grid())
          case 8: .gridLanes(reader.gridLanes())
          case 6: .compositional(reader.compositionalSection())
          default: .unspecified
          }
        return SectionLayout(name: name, kind)
      }
    )
  }

  private mutating func effect() -> VisibleItemEffect {
    VisibleItemEffect(
      attribute: maybe { $0.pick(VisibleItemEffect.Attribute.allCases) },
      activeDistance: number(),
      atCenter: number(),
      atDistance: number()
    )
  }

  private mutating func dimension() -> LayoutDimension {
    switch byte() % 10 {
    case 0: .unspecified
    case 1, 2: .fractionalWidth(chance(80) ? Double(1 + below(8)) / 4 : number())
    case 3, 4: .fractionalHeight(chance(80) ? Double(1 + below(8)) / 4 : number())
    case 5, 6, 7: .absolute(number())
    case 8: .estimated(number())
    default: .uniformAcrossSiblings(number())
    }
  }

  private mutating func layoutSize() -> LayoutSize {
    LayoutSize(width: dimension(), height: dimension())
  }

  private mutating func spacing() -> LayoutSpacing {
    flag() ? .fixed(number()) : .flexible(number())
  }

  private mutating func edges() -> EdgeSpacing {
    chance(70)
      ? .zero
      : EdgeSpacing(top: spacing(), leading: spacing(), bottom: spacing(), trailing: spacing())
  }

  private mutating func anchor() -> LayoutAnchor {
    let point = Point(x: number(), y: number())
    return LayoutAnchor(
      top: flag(),
      leading: flag(),
      bottom: flag(),
      trailing: flag(),
      offset: flag() ? .absolute(point) : .fractional(point)
    )
  }

  private mutating func badges() -> [AnchoredSupplementaryItem] {
    guard chance(25) else { return [] }
    return list(upTo: chance(5) ? 40 : 2) { reader in
      AnchoredSupplementaryItem(
        kind: "a\(reader.below(4))",
        size: reader.layoutSize(),
        containerAnchor: reader.anchor(),
        itemAnchor: reader.maybe { $0.anchor() },
        zIndex: reader.index(3)
      )
    }
  }

  private mutating func boundaryItems() -> [BoundarySupplementaryItem] {
    guard chance(30) else { return [] }
    return list(upTo: chance(5) ? 200 : 4) { reader in
      BoundarySupplementaryItem(
        kind: "h\(reader.below(6))",
        size: reader.layoutSize(),
        alignment: reader.maybe { $0.pick(RectAlignment.allCases) },
        absoluteOffset: Point(x: reader.number(), y: reader.number()),
        extendsBoundary: reader.flag(),
        pinToVisibleBounds: reader.flag(),
        zIndex: reader.maybe { $0.index(3) }
      )
    }
  }

  private mutating func group(depth: Int) -> LayoutGroup {
    let isCustom = chance(15)
    return LayoutGroup(
      axis: chance(95) ? pick(LayoutGroup.Axis.allCases) : nil,
      size: layoutSize(),
      subitems: isCustom ? [] : list(upTo: 3) { $0.subitem(depth: depth) },
      count: chance(25) ? (chance(90) ? below(6) : index(10_000)) : 0,
      interitemSpacing: spacing(),
      contentInsets: chance(70) ? .zero : insets(),
      edgeSpacing: edges(),
      supplementaryItems: badges(),
      customFrames: isCustom
        ? list(upTo: 4) { reader in
          Rect(
            x: reader.number(),
            y: reader.number(),
            width: reader.number(),
            height: reader.number()
          )
        } : []
    )
  }

  private mutating func subitem(depth: Int) -> LayoutSubitem {
    if chance(3) { return .unspecified }
    if depth < 18, chance(isAtEnd ? 0 : 30) { return .group(group(depth: depth + 1)) }
    return .item(
      LayoutItem(
        size: layoutSize(),
        contentInsets: chance(70) ? .zero : insets(),
        edgeSpacing: edges(),
        supplementaryItems: badges()
      )
    )
  }
}
