// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import TestSupport

extension SplitMix64 {
  /// A valid layout of the kind with this number, 0…10.
  mutating func layout(_ kind: Int) -> any CollectionLayout {
    switch kind {
    case 0:
      FlowLayout(
        scrollDirection: axis(),
        itemSize: size(),
        estimatedItemSize: maybe { $0.size() },
        minimumLineSpacing: number(0 ... 20),
        minimumInteritemSpacing: number(0 ... 20),
        sectionInset: insets(),
        sectionInsetReference: pick(InsetsReference.self),
        headerReferenceSize: size(),
        footerReferenceSize: size(),
        sectionHeadersPinToVisibleBounds: bool(),
        sectionFootersPinToVisibleBounds: bool(),
        alignment: pick(FlowLayout.Alignment.self),
        crossAlignment: pick(FlowLayout.CrossAlignment.self),
        pinnedZIndex: int(-9 ... 99)
      )
    case 1:
      ListLayout(
        rowHeight: number(1 ... 99),
        isSelfSizing: bool(),
        rowSpacing: number(0 ... 9),
        sectionInset: insets(),
        headerHeight: number(0 ... 50),
        footerHeight: number(0 ... 50),
        headersPinToVisibleBounds: bool(),
        footersPinToVisibleBounds: bool(),
        separatorThickness: number(0 ... 2),
        separatorInsets: insets()
      )
    case 2:
      GridLayout(
        itemSize: size(),
        interitemSpacing: number(0 ... 9),
        lineSpacing: number(0 ... 9)
      )
    case 3:
      WaterfallLayout(
        scrollAxis: axis(),
        columns: bool() ? .count(int(1 ... 9)) : .minimumWidth(number(1 ... 100)),
        columnSpacing: number(0 ... 9),
        itemSpacing: number(0 ... 9),
        sectionInset: insets(),
        headerHeight: number(0 ... 50),
        footerHeight: number(0 ... 50),
        order: pick(WaterfallLayout.Order.self),
        headersPinToVisibleBounds: bool()
      )
    case 4:
      LineLayout(
        scrollDirection: axis(),
        itemSize: size(),
        lineSpacing: number(0 ... 50),
        sectionInset: insets(),
        activeDistance: number(1 ... 300),
        zoomFactor: number(0 ... 1)
      )
    case 5:
      CircleLayout(
        itemSize: size(),
        radiusDivisor: number(1 ... 9),
        startAngle: number(-3 ... 3)
      )
    case 6:
      CarouselLayout(
        style: pick(CarouselLayout.Style.self),
        scrollDirection: axis(),
        itemSize: size(),
        spacing: number(0.1 ... 2),
        cameraDistance: number(100 ... 900),
        visibleItemsPerSide: maybe { $0.int(1 ... 9) }
      )
    case 7:
      StackLayout(
        scrollDirection: axis(),
        itemSize: size(),
        visibleDepth: int(1 ... 9),
        depthOffset: point(),
        depthScale: number(0.1 ... 1)
      )
    case 8:
      SpatialLayout(
        projection: pick(SpatialLayout.Projection.self),
        zoom: number(0 ... 9),
        itemSize: size(),
        anchor: Point(x: number(0 ... 1), y: number(0 ... 1)),
        contentInset: insets(),
        clusters: maybe { random in
          SpatialLayout.Clusters(
            cellSize: random.number(1 ... 300),
            minimumCount: random.int(1 ... 9),
            size: random.size(),
            growth: random.number(0 ... 9),
            fillsCells: random.int(0 ... 1) == 0
          )
        }
      )
    case 9: compositional()
    case 11: gridLanes()
    case 12: table()
    default: sections()
    }
  }

  mutating func table() -> TableLayout {
    var layout = TableLayout(columns: [])
    var count = 0
    for _ in 0 ..< int(1 ... 5) { layout.columns.append(tableColumn(level: 0, &count)) }
    layout.rowHeight = number(0 ... 90)
    layout.isSelfSizing = bool()
    layout.rowSpacing = number(0 ... 9)
    layout.headerHeight = number(0 ... 50)
    layout.headersScrollAway = bool()
    layout.sectionHeaderHeight = number(0 ... 50)
    layout.sectionFooterHeight = number(0 ... 50)
    layout.sectionHeadersPinToVisibleBounds = bool()
    layout.separatorThickness = number(0 ... 3)
    if bool() {
      layout.rowKinds = [TableRowKind(cellKind: word(), isWhole: true)]
    } else if layout.columns[0].columns.isEmpty {
      let span = TableSpan(
        column: layout.columns[0].id,
        count: maybe { $0.int(1 ... 9) },
        rowCount: int(1 ... 9)
      )
      layout.rowKinds = [TableRowKind(cellKind: word(), spans: [span])]
    }
    return layout
  }

  private mutating func tableColumn(level: Int, _ count: inout Int) -> TableColumn {
    count += 1
    var column = TableColumn("column \(count)", isHidden: bool())
    if level == 0 { column.frozen = maybe { $0.bool() ? .leading : .trailing } }
    if level < 2, int(0 ... 3) == 0 {
      for _ in 0 ..< int(1 ... 3) { column.columns.append(tableColumn(level: level + 1, &count)) }
      return column
    }
    column.width = bool() ? .points(number(0 ... 300)) : .share(number(0.1 ... 5))
    column.minimum = number(0 ... 90)
    column.maximum = maybe { $0.number(90 ... 500) }
    return column
  }

  mutating func gridLanes() -> GridLanesLayout {
    var layout = GridLanesLayout(
      scrollAxis: axis(),
      lanes: some(1 ... 4) { random in
        GridLane(
          random.bool() ? .length(random.number(0 ... 90)) : .fraction(random.number(0.1 ... 3)),
          minimum: random.maybe { $0.number(0 ... 50) },
          repetition: .count(random.int(1 ... 9))
        )
      }
    )
    if bool() { layout.lanes.append(GridLane(.length(number(1 ... 90)), repetition: .autoFill)) }
    layout.laneSpacing = number(0 ... 9)
    layout.itemSpacing = number(0 ... 9)
    layout.flowTolerance = number(0 ... 99)
    layout.fillReverse = bool()
    layout.isDense = bool()
    layout.trackReverse = bool()
    layout.placements = some(0 ... 3) { random in
      GridLanePlacement(
        cellKind: random.word(),
        span: random.int(1 ... 4),
        lane: random.maybe { $0.int(1 ... 9) }
      )
    }
    layout.sectionInset = insets()
    layout.headerHeight = number(0 ... 50)
    layout.footerHeight = number(0 ... 50)
    layout.headersPinToVisibleBounds = bool()
    return layout
  }

  mutating func sections() -> SectionsLayout {
    let axis: ScrollAxis = axis()
    return SectionsLayout(
      scrollAxis: axis,
      interSectionSpacing: number(0 ... 20),
      layouts: some(1 ... 4) { random in
        let name = random.word()
        if random.int(0 ... 2) == 0 {
          var section = random.compositionalSection()
          section.name = ""
          return SectionLayout(name: name, .compositional(section))
        }
        // Lists and grids only in sections that scroll vertically.
        switch random.layout([0, 1, 2, 3, 11][random.int(0 ... 4)]) {
        case var layout as FlowLayout:
          layout.scrollDirection = axis
          return SectionLayout(name: name, .flow(layout))
        case let layout as ListLayout where axis == .vertical:
          return SectionLayout(name: name, .list(layout))
        case let layout as GridLayout where axis == .vertical:
          return SectionLayout(name: name, .grid(layout))
        case var layout as WaterfallLayout:
          layout.scrollAxis = axis
          return SectionLayout(name: name, .waterfall(layout))
        case var layout as GridLanesLayout:
          layout.scrollAxis = axis
          return SectionLayout(name: name, .gridLanes(layout))
        default:
          return SectionLayout(name: name, .flow(FlowLayout(scrollDirection: axis)))
        }
      }
    )
  }

  mutating func options() -> LayoutOptions {
    let targets = maybe { $0.scrollTargets() }
    return LayoutOptions(
      sectionBackgrounds: some { $0.background() },
      appearing: maybe { $0.animation() },
      disappearing: maybe { $0.animation() },
      scrollSnap: targets?.unit == nil ? maybe { $0.pick(ScrollSnap.self) } : nil,
      scrollTargets: targets,
      isPixelAligned: bool()
    )
  }

  mutating func scrollTargets() -> ScrollTargets {
    let unit = maybe { $0.pick(ScrollTargets.Unit.self) }
    return ScrollTargets(
      unit: unit,
      anchor: unit == nil ? 0 : number(0 ... 1),
      kindAnchors: unit == .items && bool() ? ["photo": number(0 ... 1)] : [:],
      isLimitedToOne: bool()
    )
  }

  mutating func scrollEffect() -> ScrollEffect {
    ScrollEffect(
      category: pick(ElementCategory.self),
      kinds: some(0 ... 3) { $0.word() },
      axis: maybe { $0.axis() },
      leading: maybe { $0.scrollEffectEdge() },
      trailing: maybe { $0.scrollEffectEdge() },
      identity: bool() ? .init() : scrollEffectValues(),
      isDiscrete: bool()
    )
  }

  private mutating func scrollEffectEdge() -> ScrollEffect.Edge {
    ScrollEffect.Edge(
      scrollEffectValues(),
      identity: scrollThreshold(),
      outer: scrollThreshold()
    )
  }

  private mutating func scrollThreshold() -> ScrollEffect.Threshold {
    ScrollEffect.Threshold(
      visible: number(0 ... 1),
      centered: number(0 ... 1),
      inset: number(-100 ... 100)
    )
  }

  private mutating func scrollEffectValues() -> ScrollEffect.Values {
    ScrollEffect.Values(
      alpha: number(0 ... 1),
      scale: number(0 ... 4),
      translation: Point(x: number(-99 ... 99), y: number(-99 ... 99)),
      rotation: number(-9 ... 9),
      zIndex: int(-9 ... 9),
      isHidden: bool()
    )
  }

  mutating func background() -> SectionBackground {
    SectionBackground(
      kind: uniqueKind(),
      insets: insets(),
      zIndex: int(-9 ... 9),
      sections: maybe { Set($0.some(1 ... 3) { $0.int(0 ... 9) }) },
      custom: maybe { $0.customFields() }
    )
  }

  mutating func animation() -> AppearanceAnimation {
    let center: AppearanceAnimation.Center =
      switch int(0 ... 3) {
      case 0: .unchanged
      case 1: .viewportCenter
      case 2: .offset(point())
      default: .point(point())
      }
    return AppearanceAnimation(alpha: number(0 ... 1), scale: number(0 ... 2), center: center)
  }

  /// A compositional layout may use a kind only once.
  mutating func uniqueKind() -> String { "kind\(next())" }

  // MARK: - Compositional

  mutating func compositional() -> CompositionalLayout {
    let axis = axis()
    return CompositionalLayout(
      scrollAxis: axis,
      interSectionSpacing: number(0 ... 20),
      sections: some(1 ... 3) {
        axis == .vertical && $0.int(0 ... 3) == 0 ? $0.listSection() : $0.compositionalSection()
      },
      boundarySupplementaryItems: some { $0.boundaryItem() },
      contentInsetsReference: pick(InsetsReference.self)
    )
  }

  mutating func listConfiguration() -> ListConfiguration {
    ListConfiguration(
      appearance: pick(ListConfiguration.Appearance.self),
      headerMode: pick(ListConfiguration.HeaderMode.self),
      footerMode: pick(ListConfiguration.FooterMode.self),
      idiom: pick(ListConfiguration.Idiom.self),
      headerTopPadding: maybe { $0.number(0 ... 40) },
      estimatedRowHeight: maybe { $0.number(0 ... 90) },
      contentInsets: maybe { $0.insets() },
      showsSeparators: bool(),
      separatorThickness: maybe { $0.number(0 ... 3) },
      separator: listSeparator(),
      rowSeparators: some {
        ListConfiguration.RowSeparator(
          cellKind: $0.uniqueKind(),
          separator: $0.listSeparator()
        )
      }
    )
  }

  mutating func listSeparator() -> ListSeparator {
    ListSeparator(
      topVisibility: pick(ListSeparator.Visibility.self),
      bottomVisibility: pick(ListSeparator.Visibility.self),
      topInsets: insets(),
      bottomInsets: insets()
    )
  }

  /// A list in place of the group, where the layout can have one.
  mutating func listSection() -> CompositionalSection {
    CompositionalSection(
      name: word(),
      list: listConfiguration(),
      interGroupSpacing: number(0 ... 20),
      boundarySupplementaryItems: some { $0.boundaryItem() },
      backgrounds: some { $0.background() }
    )
  }

  mutating func compositionalSection() -> CompositionalSection {
    CompositionalSection(
      name: word(),
      group: group(),
      contentInsets: insets(),
      contentInsetsReference: pick(InsetsReference.self),
      interGroupSpacing: number(0 ... 20),
      orthogonalScrolling: pick(OrthogonalScrolling.self),
      boundarySupplementaryItems: some { $0.boundaryItem() },
      backgrounds: some { $0.background() },
      supplementariesFollowContentInsets: bool(),
      supplementaryContentInsetsReference: pick(InsetsReference.self),
      visibleItemEffects: some {
        VisibleItemEffect(
          attribute: $0.pick(VisibleItemEffect.Attribute.self),
          activeDistance: $0.number(1 ... 300),
          atCenter: $0.number(0 ... 1),
          atDistance: $0.number(0 ... 1)
        )
      }
    )
  }

  mutating func group(depth: Int = 0) -> LayoutGroup {
    if int(0 ... 3) == 0 {
      return LayoutGroup(
        axis: nil,
        size: layoutSize(),
        contentInsets: insets(),
        edgeSpacing: edgeSpacing(),
        customFrames: some(1 ... 4) { $0.rect() }
      )
    }
    let isCounted = bool()
    return LayoutGroup(
      axis: pick(LayoutGroup.Axis.self),
      size: layoutSize(),
      subitems: some(1 ... (isCounted ? 1 : 3)) { random in
        depth < 2 && random.bool()
          ? .group(random.group(depth: depth + 1))
          : .item(
            LayoutItem(
              size: random.layoutSize(),
              contentInsets: random.insets(),
              edgeSpacing: random.edgeSpacing(),
              supplementaryItems: random.some { $0.anchoredItem() }
            )
          )
      },
      count: isCounted ? int(1 ... 5) : 0,
      interitemSpacing: spacing(),
      contentInsets: insets(),
      edgeSpacing: edgeSpacing(),
      supplementaryItems: some { $0.anchoredItem() }
    )
  }

  mutating func spacing() -> LayoutSpacing {
    bool() ? .fixed(number(0 ... 9)) : .flexible(number(0 ... 9))
  }

  mutating func edgeSpacing() -> EdgeSpacing {
    EdgeSpacing(top: spacing(), leading: spacing(), bottom: spacing(), trailing: spacing())
  }

  mutating func dimension() -> LayoutDimension {
    switch int(0 ... 4) {
    case 0: .fractionalWidth(number(0.1 ... 1))
    case 1: .fractionalHeight(number(0.1 ... 1))
    case 2: .absolute(number(1 ... 99))
    case 3: .estimated(number(1 ... 99))
    default: .uniformAcrossSiblings(number(1 ... 99))
    }
  }

  mutating func layoutSize() -> LayoutSize { LayoutSize(width: dimension(), height: dimension()) }

  mutating func anchoredItem() -> AnchoredSupplementaryItem {
    AnchoredSupplementaryItem(
      kind: uniqueKind(),
      size: LayoutSize(width: .absolute(number(1 ... 9)), height: .absolute(number(1 ... 9))),
      containerAnchor: LayoutAnchor(top: true, trailing: bool(), offset: .absolute(point())),
      itemAnchor: maybe { LayoutAnchor(leading: true, offset: .fractional($0.point())) },
      zIndex: int(-9 ... 9)
    )
  }

  mutating func boundaryItem() -> BoundarySupplementaryItem {
    BoundarySupplementaryItem(
      kind: uniqueKind(),
      size: LayoutSize(width: .fractionalWidth(1), height: .absolute(number(1 ... 99))),
      alignment: pick(RectAlignment.self),
      absoluteOffset: point(),
      extendsBoundary: bool(),
      pinToVisibleBounds: bool(),
      zIndex: maybe { $0.int(-9 ... 9) }
    )
  }
}
