// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Values whose lengths can all be multiplied by a factor.
protocol Scalable {
  func scaled(by factor: Double) -> Self
}

extension Double {
  func scaled(by factor: Double) -> Double { self * factor }
}

extension Array where Element: Scalable {
  func scaled(by factor: Double) -> Self { map { $0.scaled(by: factor) } }
}

extension Array where Element == Double {
  func scaled(by factor: Double) -> Self { map { $0 * factor } }
}

extension Point: Scalable {
  func scaled(by factor: Double) -> Point { Point(x: x * factor, y: y * factor) }
}

extension Size: Scalable {
  func scaled(by factor: Double) -> Size { Size(width: width * factor, height: height * factor) }
}

extension Rect: Scalable {
  func scaled(by factor: Double) -> Rect {
    Rect(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
  }
}

extension EdgeInsets: Scalable {
  func scaled(by factor: Double) -> EdgeInsets {
    EdgeInsets(
      top: top * factor,
      leading: leading * factor,
      bottom: bottom * factor,
      trailing: trailing * factor
    )
  }
}

// MARK: - Contexts

extension LayoutContext: Scalable {
  func scaled(by factor: Double) -> LayoutContext {
    var scaled = self
    scaled.container.size = container.size.scaled(by: factor)
    scaled.container.insets = container.insets.scaled(by: factor)
    // A pixel grows like everything else.
    scaled.container.displayScale = container.displayScale / factor
    for index in options.sectionBackgrounds.indices {
      scaled.options.sectionBackgrounds[index].insets =
        options.sectionBackgrounds[index].insets.scaled(by: factor)
    }
    scaled.contents = contents.scaled(by: factor)
    return scaled
  }
}

extension CollectionContents: Scalable {
  func scaled(by factor: Double) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< sectionCount).map { index in
        let section = section(at: index)
        var blocks: [ItemBlock] = []
        for item in 0 ..< section.items.count {
          let values = section.items.item(at: item)
          blocks.append(
            ItemBlock(
              count: 1,
              widths: values.width.map { [$0 * factor] } ?? [],
              heights: values.height.map { [$0 * factor] } ?? [],
              cellKinds: [values.cellKind]
            )
          )
        }
        return SectionContents(
          key: section.key,
          metrics: section.metrics.scaled(by: factor),
          layoutName: section.layoutName,
          blocks: blocks
        )
      },
      cellKindNames: cellKindNames
    )
  }
}

extension SectionMetrics: Scalable {
  func scaled(by factor: Double) -> SectionMetrics {
    SectionMetrics(
      inset: inset?.scaled(by: factor),
      lineSpacing: lineSpacing?.scaled(by: factor),
      interitemSpacing: interitemSpacing?.scaled(by: factor),
      headerSize: headerSize?.scaled(by: factor),
      footerSize: footerSize?.scaled(by: factor)
    )
  }
}

// MARK: - Layouts

extension FlowLayout: Scalable {
  func scaled(by factor: Double) -> FlowLayout {
    var scaled = self
    scaled.itemSize = itemSize.scaled(by: factor)
    scaled.estimatedItemSize = estimatedItemSize?.scaled(by: factor)
    scaled.minimumLineSpacing *= factor
    scaled.minimumInteritemSpacing *= factor
    scaled.sectionInset = sectionInset.scaled(by: factor)
    scaled.headerReferenceSize = headerReferenceSize.scaled(by: factor)
    scaled.footerReferenceSize = footerReferenceSize.scaled(by: factor)
    return scaled
  }
}

extension ListLayout: Scalable {
  func scaled(by factor: Double) -> ListLayout {
    var scaled = self
    scaled.rowHeight *= factor
    scaled.rowSpacing *= factor
    scaled.sectionInset = sectionInset.scaled(by: factor)
    scaled.headerHeight *= factor
    scaled.footerHeight *= factor
    scaled.separatorThickness *= factor
    scaled.separatorInsets = separatorInsets.scaled(by: factor)
    return scaled
  }
}

extension GridLayout: Scalable {
  func scaled(by factor: Double) -> GridLayout {
    GridLayout(
      itemSize: itemSize.scaled(by: factor),
      interitemSpacing: interitemSpacing * factor,
      lineSpacing: lineSpacing * factor
    )
  }
}

extension WaterfallLayout: Scalable {
  func scaled(by factor: Double) -> WaterfallLayout {
    var scaled = self
    if case .minimumWidth(let width) = columns { scaled.columns = .minimumWidth(width * factor) }
    scaled.columnSpacing *= factor
    scaled.itemSpacing *= factor
    scaled.sectionInset = sectionInset.scaled(by: factor)
    scaled.headerHeight *= factor
    scaled.footerHeight *= factor
    return scaled
  }
}

extension GridLanesLayout: Scalable {
  func scaled(by factor: Double) -> GridLanesLayout {
    var scaled = self
    scaled.lanes = lanes.map { lane in
      var lane = lane
      if case .length(let length) = lane.size { lane.size = .length(length * factor) }
      lane.minimum = lane.minimum.map { $0 * factor }
      return lane
    }
    scaled.laneSpacing *= factor
    scaled.itemSpacing *= factor
    scaled.flowTolerance *= factor
    scaled.sectionInset = sectionInset.scaled(by: factor)
    scaled.headerHeight *= factor
    scaled.footerHeight *= factor
    return scaled
  }
}

extension TableLayout: Scalable {
  func scaled(by factor: Double) -> TableLayout {
    var scaled = self
    scaled.columns = columns.map { $0.scaled(by: factor) }
    scaled.rowHeight *= factor
    scaled.rowSpacing *= factor
    scaled.headerHeight *= factor
    scaled.sectionHeaderHeight *= factor
    scaled.sectionFooterHeight *= factor
    scaled.separatorThickness *= factor
    return scaled
  }
}

extension TableColumn {
  fileprivate func scaled(by factor: Double) -> TableColumn {
    var scaled = self
    if case .points(let points) = width { scaled.width = .points(points * factor) }
    scaled.minimum *= factor
    scaled.maximum = maximum.map { $0 * factor }
    scaled.columns = columns.map { $0.scaled(by: factor) }
    return scaled
  }
}

extension LineLayout: Scalable {
  func scaled(by factor: Double) -> LineLayout {
    var scaled = self
    scaled.itemSize = itemSize.scaled(by: factor)
    scaled.lineSpacing *= factor
    scaled.sectionInset = sectionInset.scaled(by: factor)
    scaled.activeDistance *= factor
    return scaled
  }
}

extension CircleLayout: Scalable {
  func scaled(by factor: Double) -> CircleLayout {
    var scaled = self
    scaled.itemSize = itemSize.scaled(by: factor)
    return scaled
  }
}

extension StackLayout: Scalable {
  func scaled(by factor: Double) -> StackLayout {
    var scaled = self
    scaled.itemSize = itemSize.scaled(by: factor)
    scaled.depthOffset = depthOffset.scaled(by: factor)
    return scaled
  }
}

// MARK: - Compositional layouts

extension CompositionalLayout: Scalable {
  func scaled(by factor: Double) -> CompositionalLayout {
    var scaled = self
    scaled.interSectionSpacing *= factor
    scaled.sections = sections.scaled(by: factor)
    scaled.boundarySupplementaryItems = boundarySupplementaryItems.scaled(by: factor)
    return scaled
  }
}

extension CompositionalSection: Scalable {
  func scaled(by factor: Double) -> CompositionalSection {
    var scaled = self
    scaled.group = group.scaled(by: factor)
    scaled.contentInsets = contentInsets.scaled(by: factor)
    scaled.interGroupSpacing *= factor
    scaled.boundarySupplementaryItems = boundarySupplementaryItems.scaled(by: factor)
    for index in backgrounds.indices {
      scaled.backgrounds[index].insets = backgrounds[index].insets.scaled(by: factor)
    }
    return scaled
  }
}

extension LayoutGroup: Scalable {
  func scaled(by factor: Double) -> LayoutGroup {
    var scaled = self
    scaled.size = size.scaled(by: factor)
    scaled.subitems = subitems.map {
      switch $0 {
      case .unspecified: .unspecified
      case .item(let item): .item(item.scaled(by: factor))
      case .group(let group): .group(group.scaled(by: factor))
      }
    }
    scaled.interitemSpacing = interitemSpacing.scaled(by: factor)
    scaled.contentInsets = contentInsets.scaled(by: factor)
    scaled.edgeSpacing = edgeSpacing.scaled(by: factor)
    scaled.supplementaryItems = supplementaryItems.scaled(by: factor)
    scaled.customFrames = customFrames.scaled(by: factor)
    return scaled
  }
}

extension LayoutItem: Scalable {
  func scaled(by factor: Double) -> LayoutItem {
    LayoutItem(
      size: size.scaled(by: factor),
      contentInsets: contentInsets.scaled(by: factor),
      edgeSpacing: edgeSpacing.scaled(by: factor),
      supplementaryItems: supplementaryItems.scaled(by: factor)
    )
  }
}

extension LayoutSize: Scalable {
  func scaled(by factor: Double) -> LayoutSize {
    LayoutSize(width: width.scaled(by: factor), height: height.scaled(by: factor))
  }
}

extension LayoutDimension: Scalable {
  func scaled(by factor: Double) -> LayoutDimension {
    switch self {
    case .unspecified, .fractionalWidth, .fractionalHeight: self
    case .absolute(let length): .absolute(length * factor)
    case .estimated(let length): .estimated(length * factor)
    case .uniformAcrossSiblings(let length): .uniformAcrossSiblings(length * factor)
    }
  }
}

extension LayoutSpacing: Scalable {
  func scaled(by factor: Double) -> LayoutSpacing {
    switch self {
    case .fixed(let length): .fixed(length * factor)
    case .flexible(let length): .flexible(length * factor)
    }
  }
}

extension EdgeSpacing: Scalable {
  func scaled(by factor: Double) -> EdgeSpacing {
    EdgeSpacing(
      top: top.scaled(by: factor),
      leading: leading.scaled(by: factor),
      bottom: bottom.scaled(by: factor),
      trailing: trailing.scaled(by: factor)
    )
  }
}

extension LayoutAnchor: Scalable {
  func scaled(by factor: Double) -> LayoutAnchor {
    var scaled = self
    if case .absolute(let point) = offset { scaled.offset = .absolute(point.scaled(by: factor)) }
    return scaled
  }
}

extension AnchoredSupplementaryItem: Scalable {
  func scaled(by factor: Double) -> AnchoredSupplementaryItem {
    var scaled = self
    scaled.size = size.scaled(by: factor)
    scaled.containerAnchor = containerAnchor.scaled(by: factor)
    scaled.itemAnchor = itemAnchor?.scaled(by: factor)
    return scaled
  }
}

extension BoundarySupplementaryItem: Scalable {
  func scaled(by factor: Double) -> BoundarySupplementaryItem {
    var scaled = self
    scaled.size = size.scaled(by: factor)
    scaled.absoluteOffset = absoluteOffset.scaled(by: factor)
    return scaled
  }
}
