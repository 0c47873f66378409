// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

// Fields that are not set keep the defaults of the layouts' initialisers, which are the documented
// ones.

extension FieldReader {
  mutating func line(_ message: Wire.LineLayout) -> LineLayout {
    var layout = LineLayout()
    if let axis = scrollAxis(message.scrollDirection, "scroll_direction") {
      layout.scrollDirection = axis
    }
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    if message.hasLineSpacing { layout.lineSpacing = number(message.lineSpacing, "line_spacing") }
    if message.hasSectionInset {
      layout.sectionInset = insets(message.sectionInset, "section_inset")
    }
    if message.hasActiveDistance {
      layout.activeDistance = number(message.activeDistance, "active_distance")
    }
    if message.hasZoomFactor { layout.zoomFactor = number(message.zoomFactor, "zoom_factor") }
    return layout
  }

  mutating func circle(_ message: Wire.CircleLayout) -> CircleLayout {
    var layout = CircleLayout()
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    if message.hasRadiusDivisor {
      layout.radiusDivisor = number(message.radiusDivisor, "radius_divisor")
    }
    if message.hasStartAngle { layout.startAngle = number(message.startAngle, "start_angle") }
    return layout
  }

  mutating func carousel(_ message: Wire.CarouselLayout) -> CarouselLayout {
    var layout = CarouselLayout()
    layout.style =
      choice(message.style, "style") { style -> CarouselLayout.Style? in
        switch style {
        case .unspecified, .coverFlow: .coverFlow
        case .linear: .linear
        case .rotary: .rotary
        case .invertedRotary: .invertedRotary
        case .cylinder: .cylinder
        case .wheel: .wheel
        case .timeMachine: .timeMachine
        case .UNRECOGNIZED: nil
        }
      } ?? .coverFlow
    if let axis = scrollAxis(message.scrollDirection, "scroll_direction") {
      layout.scrollDirection = axis
    }
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    if message.hasSpacing { layout.spacing = number(message.spacing, "spacing") }
    if message.hasCameraDistance {
      layout.cameraDistance = number(message.cameraDistance, "camera_distance")
    }
    if message.hasVisibleItemsPerSide {
      layout.visibleItemsPerSide = Int(message.visibleItemsPerSide)
    }
    return layout
  }

  mutating func stack(_ message: Wire.StackLayout) -> StackLayout {
    var layout = StackLayout()
    if let axis = scrollAxis(message.scrollDirection, "scroll_direction") {
      layout.scrollDirection = axis
    }
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    if message.hasVisibleDepth { layout.visibleDepth = Int(message.visibleDepth) }
    if message.hasDepthOffset { layout.depthOffset = point(message.depthOffset, "depth_offset") }
    if message.hasDepthScale { layout.depthScale = number(message.depthScale, "depth_scale") }
    return layout
  }

  mutating func spatial(_ message: Wire.SpatialLayout) -> SpatialLayout {
    var layout = SpatialLayout()
    layout.projection =
      choice(message.projection, "projection") { projection -> SpatialLayout.Projection? in
        switch projection {
        case .unspecified, .points: .points
        case .webMercator: .webMercator
        case .equirectangular: .equirectangular
        case .UNRECOGNIZED: nil
        }
      } ?? .points
    layout.zoom = number(message.zoom, "zoom")
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    if message.hasAnchor { layout.anchor = point(message.anchor, "anchor") }
    if message.hasContentInset {
      layout.contentInset = insets(message.contentInset, "content_inset")
    }
    if message.hasClusters {
      layout.clusters = within("clusters") { $0.clusters(message.clusters) }
    }
    return layout
  }

  private mutating func clusters(_ message: Wire.SpatialClusters) -> SpatialLayout.Clusters {
    var clusters = SpatialLayout.Clusters(fillsCells: message.fillsCells)
    if message.hasCellSize { clusters.cellSize = number(message.cellSize, "cell_size") }
    if message.hasMinimumCount { clusters.minimumCount = Int(message.minimumCount) }
    if message.hasSize { clusters.size = size(message.size, "size") }
    if message.hasGrowth { clusters.growth = number(message.growth, "growth") }
    return clusters
  }
}
