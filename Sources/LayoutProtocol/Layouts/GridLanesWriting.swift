// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension Wire.GridLanesLayout {
  init(_ layout: GridLanesLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollAxis)
    lanes = layout.lanes.map { Wire.GridLane($0) }
    laneSpacing = layout.laneSpacing
    itemSpacing = layout.itemSpacing
    flowTolerance = layout.flowTolerance
    fillReverse = layout.fillReverse
    trackReverse = layout.trackReverse
    dense = layout.isDense
    placements = layout.placements.map { Wire.GridLanePlacement($0) }
    sectionInset = Wire.EdgeInsets(layout.sectionInset)
    headerHeight = layout.headerHeight
    footerHeight = layout.footerHeight
    headersPinToVisibleBounds = layout.headersPinToVisibleBounds
  }
}

extension Wire.GridLanePlacement {
  fileprivate init(_ placement: GridLanePlacement) {
    self.init()
    cellKind = placement.cellKind
    span = UInt32(clamping: placement.span)
    lane = UInt32(clamping: placement.lane ?? 0)
  }
}

extension Wire.GridLane {
  fileprivate init(_ lane: GridLane) {
    self.init()
    switch lane.size {
    case .length(let value): length = value
    case .fraction(let value): fraction = value
    }
    if let least = lane.minimum { minimum = least }
    switch lane.repetition {
    case .count(let value): count = UInt32(clamping: value)
    case .autoFill: autoFill = true
    }
  }
}
