// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

/// Kinds of layouts for which random ones can be made.
enum RandomLayoutKind: String, CaseIterable, Sendable {
  case flow, list, grid, waterfall, gridLanes, table, compositional, line, circle, stack

  func layout(_ random: inout SplitMix64) -> any CollectionLayout & Scalable {
    switch self {
    case .flow: random.flow()
    case .list: random.list()
    case .grid:
      GridLayout(
        itemSize: random.size(1 ... 90),
        interitemSpacing: random.length(0 ... 20),
        lineSpacing: random.length(0 ... 20)
      )
    case .waterfall: random.waterfall()
    case .gridLanes: random.gridLanes()
    case .table: random.table()
    case .compositional: random.compositional()
    case .line:
      LineLayout(
        scrollDirection: random.chance(50) ? .horizontal : .vertical,
        itemSize: random.size(20 ... 200),
        lineSpacing: random.length(0 ... 60),
        sectionInset: random.insets(0 ... 60),
        activeDistance: random.length(50 ... 300),
        zoomFactor: random.double(0 ... 1)
      )
    case .circle:
      CircleLayout(
        itemSize: random.size(1 ... 90),
        radiusDivisor: random.double(1 ... 5),
        startAngle: random.double(-3 ... 3)
      )
    case .stack:
      StackLayout(
        scrollDirection: random.chance(50) ? .horizontal : .vertical,
        itemSize: random.size(20 ... 200),
        visibleDepth: random.int(1 ... 5),
        depthOffset: Point(x: 0, y: random.length(0 ... 20)),
        depthScale: random.double(0.8 ... 1)
      )
    }
  }

  func contents(_ random: inout SplitMix64) -> CollectionContents {
    self == .compositional
      ? random.measuredContents(isMeasured: random.chance(50)) : random.sizedContents(items: 12)
  }

  func context(_ random: inout SplitMix64) -> LayoutContext {
    LayoutContext(
      contents: contents(&random),
      container: random.container(),
      options: random.options()
    )
  }
}
