// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension Wire.FlowLayout {
  init(_ layout: FlowLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollDirection)
    itemSize = Wire.Size(layout.itemSize)
    if let size = layout.estimatedItemSize { estimatedItemSize = Wire.Size(size) }
    minimumLineSpacing = layout.minimumLineSpacing
    minimumInteritemSpacing = layout.minimumInteritemSpacing
    sectionInset = Wire.EdgeInsets(layout.sectionInset)
    headerReferenceSize = Wire.Size(layout.headerReferenceSize)
    footerReferenceSize = Wire.Size(layout.footerReferenceSize)
    sectionHeadersPinToVisibleBounds = layout.sectionHeadersPinToVisibleBounds
    sectionFootersPinToVisibleBounds = layout.sectionFootersPinToVisibleBounds
    switch layout.alignment {
    case .justified: alignment = .justified
    case .leading: alignment = .leading
    case .center: alignment = .center
    case .trailing: alignment = .trailing
    }
    switch layout.crossAlignment {
    case .center: crossAlignment = .center
    case .start: crossAlignment = .start
    case .end: crossAlignment = .end
    }
    pinnedZIndex = Int32(clamping: layout.pinnedZIndex)
    sectionInsetReference = Wire.InsetsReference(layout.sectionInsetReference)
  }
}

extension Wire.ListLayout {
  init(_ layout: ListLayout) {
    self.init()
    rowHeight = layout.rowHeight
    selfSizing = layout.isSelfSizing
    rowSpacing = layout.rowSpacing
    sectionInset = Wire.EdgeInsets(layout.sectionInset)
    headerHeight = layout.headerHeight
    footerHeight = layout.footerHeight
    headersPinToVisibleBounds = layout.headersPinToVisibleBounds
    footersPinToVisibleBounds = layout.footersPinToVisibleBounds
    separatorThickness = layout.separatorThickness
    separatorInsets = Wire.EdgeInsets(layout.separatorInsets)
  }
}

extension Wire.GridLayout {
  init(_ layout: GridLayout) {
    self.init()
    itemSize = Wire.Size(layout.itemSize)
    interitemSpacing = layout.interitemSpacing
    lineSpacing = layout.lineSpacing
  }
}

extension Wire.WaterfallLayout {
  init(_ layout: WaterfallLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollAxis)
    switch layout.columns {
    case .count(let count): columnCount = UInt32(clamping: count)
    case .minimumWidth(let width): minimumColumnWidth = width
    }
    columnSpacing = layout.columnSpacing
    itemSpacing = layout.itemSpacing
    sectionInset = Wire.EdgeInsets(layout.sectionInset)
    headerHeight = layout.headerHeight
    footerHeight = layout.footerHeight
    switch layout.order {
    case .shortestFirst: order = .shortestFirst
    case .leadingToTrailing: order = .leadingToTrailing
    case .trailingToLeading: order = .trailingToLeading
    }
    headersPinToVisibleBounds = layout.headersPinToVisibleBounds
  }
}
