// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension Wire.CompositionalLayout {
  init(_ layout: CompositionalLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollAxis)
    interSectionSpacing = layout.interSectionSpacing
    sections = layout.sections.map { Wire.CompositionalSection($0) }
    boundarySupplementaryItems = layout.boundarySupplementaryItems.map {
      Wire.BoundarySupplementaryItem($0)
    }
    contentInsetsReference = Wire.InsetsReference(layout.contentInsetsReference)
  }
}

extension Wire.CompositionalSection {
  fileprivate init(_ section: CompositionalSection) {
    self.init()
    name = section.name
    group = Wire.LayoutGroup(section.group)
    if section.contentInsets != .zero { contentInsets = Wire.EdgeInsets(section.contentInsets) }
    contentInsetsReference = Wire.InsetsReference(section.contentInsetsReference)
    interGroupSpacing = section.interGroupSpacing
    switch section.orthogonalScrolling {
    case .none: orthogonalScrolling = .none
    case .continuous: orthogonalScrolling = .continuous
    case .continuousGroupLeadingBoundary: orthogonalScrolling = .continuousGroupLeadingBoundary
    case .paging: orthogonalScrolling = .paging
    case .groupPaging: orthogonalScrolling = .groupPaging
    case .groupPagingCentered: orthogonalScrolling = .groupPagingCentered
    }
    boundarySupplementaryItems = section.boundarySupplementaryItems.map {
      Wire.BoundarySupplementaryItem($0)
    }
    backgrounds = section.backgrounds.map { Wire.SectionBackground($0) }
    supplementariesFollowContentInsets = section.supplementariesFollowContentInsets
    supplementaryContentInsetsReference = Wire.InsetsReference(
      section.supplementaryContentInsetsReference
    )
    visibleItemEffects = section.visibleItemEffects.map { Wire.VisibleItemEffect($0) }
  }
}

extension Wire.VisibleItemEffect {
  fileprivate init(_ effect: VisibleItemEffect) {
    self.init()
    switch effect.attribute {
    case .scale: attribute = .scale
    case .alpha: attribute = .alpha
    case .translationX: attribute = .translationX
    case .translationY: attribute = .translationY
    case .rotation: attribute = .rotation
    case nil: attribute = .unspecified
    }
    activeDistance = effect.activeDistance
    atCenter = effect.atCenter
    atDistance = effect.atDistance
  }
}

extension Wire.BoundarySupplementaryItem {
  fileprivate init(_ item: BoundarySupplementaryItem) {
    self.init()
    kind = item.kind
    size = Wire.LayoutSize(item.size)
    // The raw values of `RectAlignment` are the numbers of the enumeration.
    alignment = item.alignment.flatMap { .init(rawValue: Int($0.rawValue)) } ?? .unspecified
    if item.absoluteOffset != .zero { absoluteOffset = Wire.Point(item.absoluteOffset) }
    extendsBoundary = item.extendsBoundary
    pinToVisibleBounds = item.pinToVisibleBounds
    if let index = item.zIndex { zIndex = Int32(clamping: index) }
  }
}

// MARK: - Groups and items

extension Wire.LayoutGroup {
  fileprivate init(_ group: LayoutGroup) {
    self.init()
    switch group.axis {
    case .horizontal: axis = .horizontal
    case .vertical: axis = .vertical
    case nil: axis = .unspecified
    }
    size = Wire.LayoutSize(group.size)
    subitems = group.subitems.map { Wire.LayoutSubitem($0) }
    count = UInt32(clamping: group.count)
    if group.interitemSpacing != .zero {
      interitemSpacing = Wire.LayoutSpacing(group.interitemSpacing)
    }
    if group.contentInsets != .zero { contentInsets = Wire.EdgeInsets(group.contentInsets) }
    if group.edgeSpacing != .zero { edgeSpacing = Wire.EdgeSpacing(group.edgeSpacing) }
    supplementaryItems = group.supplementaryItems.map { Wire.AnchoredSupplementaryItem($0) }
    customFrames = group.customFrames.map { Wire.Rect($0) }
  }
}

extension Wire.LayoutSubitem {
  fileprivate init(_ subitem: LayoutSubitem) {
    self.init()
    switch subitem {
    case .unspecified: break
    case .item(let value): item = Wire.LayoutItem(value)
    case .group(let value): group = Wire.LayoutGroup(value)
    }
  }
}

extension Wire.LayoutItem {
  fileprivate init(_ item: LayoutItem) {
    self.init()
    size = Wire.LayoutSize(item.size)
    if item.contentInsets != .zero { contentInsets = Wire.EdgeInsets(item.contentInsets) }
    if item.edgeSpacing != .zero { edgeSpacing = Wire.EdgeSpacing(item.edgeSpacing) }
    supplementaryItems = item.supplementaryItems.map { Wire.AnchoredSupplementaryItem($0) }
  }
}

extension Wire.AnchoredSupplementaryItem {
  fileprivate init(_ item: AnchoredSupplementaryItem) {
    self.init()
    kind = item.kind
    size = Wire.LayoutSize(item.size)
    containerAnchor = Wire.LayoutAnchor(item.containerAnchor)
    if let anchor = item.itemAnchor { itemAnchor = Wire.LayoutAnchor(anchor) }
    zIndex = Int32(clamping: item.zIndex)
  }
}

extension Wire.LayoutAnchor {
  fileprivate init(_ anchor: LayoutAnchor) {
    self.init()
    top = anchor.top
    leading = anchor.leading
    bottom = anchor.bottom
    trailing = anchor.trailing
    switch anchor.offset {
    case .absolute(.zero): break
    case .absolute(let value): absoluteOffset = Wire.Point(value)
    case .fractional(let value): fractionalOffset = Wire.Point(value)
    }
  }
}

extension Wire.LayoutSize {
  fileprivate init(_ size: LayoutSize) {
    self.init()
    width = Wire.LayoutDimension(size.width)
    height = Wire.LayoutDimension(size.height)
  }
}

extension Wire.LayoutDimension {
  fileprivate init(_ dimension: LayoutDimension) {
    self.init()
    switch dimension {
    case .unspecified: break
    case .fractionalWidth(let value): fractionalWidth = value
    case .fractionalHeight(let value): fractionalHeight = value
    case .absolute(let value): absolute = value
    case .estimated(let value): estimated = value
    case .uniformAcrossSiblings(let value): uniformAcrossSiblings = value
    }
  }
}

extension Wire.LayoutSpacing {
  fileprivate init(_ spacing: LayoutSpacing) {
    self.init()
    switch spacing {
    case .fixed(let value): fixed = value
    case .flexible(let value): flexible = value
    }
  }
}

extension Wire.EdgeSpacing {
  fileprivate init(_ spacing: EdgeSpacing) {
    self.init()
    top = Wire.LayoutSpacing(spacing.top)
    leading = Wire.LayoutSpacing(spacing.leading)
    bottom = Wire.LayoutSpacing(spacing.bottom)
    trailing = Wire.LayoutSpacing(spacing.trailing)
  }
}
