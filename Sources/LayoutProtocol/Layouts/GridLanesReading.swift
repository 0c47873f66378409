// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension FieldReader {
  mutating func gridLanes(_ message: Wire.GridLanesLayout) -> GridLanesLayout {
    var layout = GridLanesLayout(
      lanes: each(message.lanes, "lanes") { lane, reader in reader.gridLane(lane) }
    )
    if let axis = scrollAxis(message.scrollDirection, "scroll_direction") {
      layout.scrollAxis = axis
    }
    layout.laneSpacing = number(message.laneSpacing, "lane_spacing")
    layout.itemSpacing = number(message.itemSpacing, "item_spacing")
    if message.hasFlowTolerance {
      layout.flowTolerance = number(message.flowTolerance, "flow_tolerance")
    }
    layout.fillReverse = message.fillReverse
    layout.trackReverse = message.trackReverse
    layout.isDense = message.dense
    layout.placements = each(message.placements, "placements") { placement, reader in
      GridLanePlacement(
        cellKind: reader.text(placement.cellKind, "cell_kind", maxBytes: FieldReader.maxNameBytes),
        span: placement.span == 0 ? 1 : Int(placement.span),
        lane: placement.lane == 0 ? nil : Int(placement.lane)
      )
    }
    if message.hasSectionInset {
      layout.sectionInset = insets(message.sectionInset, "section_inset")
    }
    layout.headerHeight = length(message.headerHeight, "header_height")
    layout.footerHeight = length(message.footerHeight, "footer_height")
    layout.headersPinToVisibleBounds = message.headersPinToVisibleBounds
    return layout
  }

  private mutating func gridLane(_ message: Wire.GridLane) -> GridLane {
    let size: GridLane.Size =
      switch message.size {
      case .length(let length): .length(number(length, "length"))
      case .fraction(let fraction): .fraction(number(fraction, "fraction"))
      // A lane has no default. The layout's validation refuses a fraction of 0.
      case nil: .fraction(0)
      }
    let repetition: GridLane.Repetition =
      switch message.repetition {
      case .count(let count): .count(Int(count))
      case .autoFill(let fills): fills ? .autoFill : .count(1)
      case nil: .count(1)
      }
    return GridLane(
      size,
      minimum: message.hasMinimum ? number(message.minimum, "minimum") : nil,
      repetition: repetition
    )
  }
}
