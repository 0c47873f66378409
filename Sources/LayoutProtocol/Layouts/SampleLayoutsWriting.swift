// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension Wire.LineLayout {
  init(_ layout: LineLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollDirection)
    itemSize = Wire.Size(layout.itemSize)
    lineSpacing = layout.lineSpacing
    sectionInset = Wire.EdgeInsets(layout.sectionInset)
    activeDistance = layout.activeDistance
    zoomFactor = layout.zoomFactor
  }
}

extension Wire.CircleLayout {
  init(_ layout: CircleLayout) {
    self.init()
    itemSize = Wire.Size(layout.itemSize)
    radiusDivisor = layout.radiusDivisor
    startAngle = layout.startAngle
  }
}

extension Wire.CarouselLayout {
  init(_ layout: CarouselLayout) {
    self.init()
    switch layout.style {
    case .linear: style = .linear
    case .coverFlow: style = .coverFlow
    case .rotary: style = .rotary
    case .invertedRotary: style = .invertedRotary
    case .cylinder: style = .cylinder
    case .wheel: style = .wheel
    case .timeMachine: style = .timeMachine
    }
    scrollDirection = Wire.ScrollDirection(layout.scrollDirection)
    itemSize = Wire.Size(layout.itemSize)
    spacing = layout.spacing
    cameraDistance = layout.cameraDistance
    if let count = layout.visibleItemsPerSide { visibleItemsPerSide = UInt32(clamping: count) }
  }
}

extension Wire.StackLayout {
  init(_ layout: StackLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollDirection)
    itemSize = Wire.Size(layout.itemSize)
    visibleDepth = UInt32(clamping: layout.visibleDepth)
    depthOffset = Wire.Point(layout.depthOffset)
    depthScale = layout.depthScale
  }
}

extension Wire.SpatialLayout {
  init(_ layout: SpatialLayout) {
    self.init()
    switch layout.projection {
    case .points: projection = .points
    case .webMercator: projection = .webMercator
    case .equirectangular: projection = .equirectangular
    }
    zoom = layout.zoom
    itemSize = Wire.Size(layout.itemSize)
    anchor = Wire.Point(layout.anchor)
    contentInset = Wire.EdgeInsets(layout.contentInset)
    if let clusters = layout.clusters { self.clusters = Wire.SpatialClusters(clusters) }
  }
}

extension Wire.SpatialClusters {
  init(_ clusters: SpatialLayout.Clusters) {
    self.init()
    cellSize = clusters.cellSize
    minimumCount = UInt32(clamping: clusters.minimumCount)
    size = Wire.Size(clusters.size)
    growth = clusters.growth
    fillsCells = clusters.fillsCells
  }
}
