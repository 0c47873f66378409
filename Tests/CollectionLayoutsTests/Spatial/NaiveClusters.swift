// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// The attributes of all items of a spatial layout with clusters, computed one by one from the rule
/// in the contract.
struct NaiveClusters {
  private struct Cell: Hashable {
    var column: Double
    var row: Double
  }

  private struct Item {
    var path: IndexPath
    var frame: Rect
    var key: UInt64
  }

  private(set) var attributes: [IndexPath: LayoutAttributes] = [:]
  private let layout: SpatialLayout
  private let clusters: SpatialLayout.Clusters
  private let worldWidth: Double
  private let cellWidth: Double
  /// The least and the greatest number of a cell on an axis.
  private let cells: ClosedRange<Double>

  init(_ context: LayoutContext, _ layout: SpatialLayout) {
    self.layout = layout
    clusters = layout.clusters ?? .init()
    worldWidth = 256 * Double.power(2, layout.zoom)
    if layout.projection == .points {
      let widths = (0 ... 16).map { Double(1 << $0) }
      cellWidth = widths.first { $0 >= layout.clusters?.cellSize ?? 64 } ?? 65_536
      cells = -8_388_608 ... 8_388_607
    } else {
      var count = 1.0
      while count < 4_294_967_296, worldWidth / (2 * count) >= clusters.cellSize { count *= 2 }
      cellWidth = worldWidth / count
      cells = 0 ... count - 1
    }
    var plain = layout
    plain.clusters = nil
    let items = plain.prepare(context)
    let viewport = Viewport(offset: .zero, size: .zero)
    var members: [Cell: [Item]] = [:]
    context.contents.forEachSection(in: 0 ..< context.contents.sectionCount) { section, value in
      for item in 0 ..< value.items.count {
        let path = IndexPath(section: section, item: item)
        let data = value.items.item(at: item)
        guard let x = data.x, let y = data.y,
          let frame = items.attributes(of: .cell(section, item), viewport: viewport)?.frame
        else { continue }
        let place = place(x, y)
        members[cell(at: place), default: []].append(
          Item(path: path, frame: frame, key: key(of: place))
        )
      }
      return true
    }
    for (cell, items) in members { add(items, in: cell) }
  }

  private func place(_ x: Double, _ y: Double) -> Point {
    switch layout.projection {
    case .points: return Point(x: x, y: y)
    case .equirectangular:
      return Point(x: (x + 180) / 360 * worldWidth, y: (90 - y) / 360 * worldWidth)
    case .webMercator:
      let latitude = min(max(y, -85.05112877980659), 85.05112877980659) * .pi / 180
      let north = (latitude.tangent + 1 / latitude.cosine).naturalLogarithm
      return Point(x: (x + 180) / 360 * worldWidth, y: (1 - north / .pi) / 2 * worldWidth)
    }
  }

  private func cell(at place: Point) -> Cell {
    func number(_ value: Double) -> Double {
      min(max((value / cellWidth).rounded(.down), cells.lowerBound), cells.upperBound)
    }
    return Cell(column: number(place.x), row: number(place.y))
  }

  /// How far along a Hilbert curve through the whole grid a position is, with 2^32 steps on each
  /// axis.
  private func key(of place: Point) -> UInt64 {
    let stepCount = 4_294_967_296.0
    let step = cellWidth * (cells.upperBound - cells.lowerBound + 1) / stepCount
    func number(_ value: Double) -> UInt64 {
      UInt64(min(max(value / step - cells.lowerBound * cellWidth / step, 0), stepCount - 1))
    }
    var (x, y, key) = (number(place.x), number(place.y), UInt64(0))
    var side = UInt64(1) << 31
    while side > 0 {
      let right: UInt64 = x & side > 0 ? 1 : 0
      let below: UInt64 = y & side > 0 ? 1 : 0
      key += side * side * ((3 * right) ^ below)
      if below == 0 {
        if right == 1 { (x, y) = (UInt64(1 << 32) - 1 - x, UInt64(1 << 32) - 1 - y) }
        (x, y) = (y, x)
      }
      side /= 2
    }
    return key
  }

  private mutating func add(_ items: [Item], in cell: Cell) {
    guard items.count >= clusters.minimumCount else {
      for item in items { attributes[item.path] = LayoutAttributes(frame: item.frame) }
      return
    }
    var frame = bounds(of: items)
    let bounds = frame
    if clusters.fillsCells {
      frame = Rect(
        x: cell.column * cellWidth,
        y: cell.row * cellWidth,
        width: cellWidth,
        height: cellWidth
      )
    } else {
      let growth = clusters.growth * Double(items.count).naturalLogarithm / 10.0.naturalLogarithm
      let size = Size(width: clusters.size.width + growth, height: clusters.size.height + growth)
      frame = Rect(center: frame.center, size: size)
    }
    let first = items.min { ($0.key, $0.path) < ($1.key, $1.path) }
    for item in items {
      attributes[item.path] =
        item.path == first?.path
        ? LayoutAttributes(
          frame: frame,
          zIndex: 1,
          custom: [
            "cluster_count": .number(Double(items.count)),
            "cluster_bounds": .object([
              "x": .number(bounds.x), "y": .number(bounds.y), "width": .number(bounds.width),
              "height": .number(bounds.height),
            ]),
          ]
        )
        : LayoutAttributes(
          frame: Rect(center: frame.center, size: item.frame.size),
          alpha: 0,
          isHidden: true
        )
    }
  }

  private func bounds(of items: [Item]) -> Rect {
    let frames = items.map(\.frame)
    let left = frames.map(\.minX).min() ?? 0
    let top = frames.map(\.minY).min() ?? 0
    return Rect(
      x: left,
      y: top,
      width: (frames.map(\.maxX).max() ?? 0) - left,
      height: (frames.map(\.maxY).max() ?? 0) - top
    )
  }
}
