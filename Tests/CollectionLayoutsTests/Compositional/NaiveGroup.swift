// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// A group solved the obvious way: a tree of boxes, each made anew for every group of a section.
struct NaiveGroup {
  struct Badge {
    var kind: String
    var frame: Rect
    var zIndex: Int
    var cell: Int
    var isOfGroup: Bool
  }

  /// A box with its own corner at the origin.
  struct Box {
    var size: Size
    var nominal: Size
    var measured = (width: false, height: false)
    var cells: [Rect] = []
    var badges: [Badge] = []
    var edges = EdgeSpacing.zero
    var isReal = true
    var uniform = (width: false, height: false)
    /// An item that waits for its final size.
    var item: LayoutItem?
  }

  var grid: PixelGrid?
  /// What was measured of the section's items; nil where there is no such item.
  var sizeOfItem: (Int) -> (width: Double?, height: Double?)
  var itemCount: Int

  func resolve(_ dimension: LayoutDimension, _ container: Size, whole: Double) -> Double {
    switch dimension {
    case .unspecified: whole
    case .fractionalWidth(let fraction): fraction * container.width
    case .fractionalHeight(let fraction): fraction * container.height
    case .absolute(let value), .estimated(let value), .uniformAcrossSiblings(let value): value
    }
  }

  func resolve(_ size: LayoutSize, _ container: Size) -> Size {
    Size(
      width: resolve(size.width, container, whole: container.width),
      height: resolve(size.height, container, whole: container.height)
    )
  }

  func isUniform(_ dimension: LayoutDimension) -> Bool {
    if case .uniformAcrossSiblings = dimension { true } else { false }
  }

  /// The size of a supplementary element: fractions are rounded down to pixels.
  func supplementarySize(_ size: LayoutSize, _ container: Size) -> Size {
    func isFraction(_ dimension: LayoutDimension) -> Bool {
      switch dimension {
      case .fractionalWidth, .fractionalHeight: true
      default: false
      }
    }
    var result = resolve(size, container)
    guard let grid else { return result }
    func down(_ length: Double) -> Double {
      (length * grid.scale + 1e-6).rounded(.down) / grid.scale
    }
    if isFraction(size.width) { result.width = down(result.width) }
    if isFraction(size.height) { result.height = down(result.height) }
    return result
  }

  /// - Parameter capacity: what decides how many items fit.
  /// - Parameter container: what contains the group.
  func group(
    _ group: LayoutGroup,
    size: Size,
    capacity: Size,
    container: Size,
    grows: (width: Bool, height: Bool),
    firstItem: Int,
    again: Bool = true
  ) -> Box {
    var result = Box(size: size, nominal: size)
    var insets = group.contentInsets
    if grows.width, group.customFrames.isEmpty { (insets.leading, insets.trailing) = (0, 0) }
    if grows.height, group.customFrames.isEmpty { (insets.top, insets.bottom) = (0, 0) }
    func inner(_ size: Size) -> Rect { Rect(origin: .zero, size: size).inset(by: insets) }
    if !group.customFrames.isEmpty {
      result.cells = group.customFrames
    } else {
      let horizontal = group.axis == .horizontal
      func main(_ size: Size) -> Double { horizontal ? size.width : size.height }
      func cross(_ size: Size) -> Double { horizontal ? size.height : size.width }
      func edges(_ box: Box) -> (LayoutSpacing, LayoutSpacing) {
        horizontal
          ? (box.edges.leading, box.edges.trailing) : (box.edges.top, box.edges.bottom)
      }
      func crossEdges(_ box: Box) -> (LayoutSpacing, LayoutSpacing) {
        horizontal
          ? (box.edges.top, box.edges.bottom) : (box.edges.leading, box.edges.trailing)
      }
      let growsAlong = horizontal ? grows.width : grows.height
      let gap = least(group.interitemSpacing)
      var boxes: [Box] = []
      func used(_ boxes: [Box]) -> Double {
        let uniform = boxes.filter {
          !growsAlong && (horizontal ? $0.uniform.width : $0.uniform.height)
        }
        let known = uniform.filter { horizontal ? $0.measured.width : $0.measured.height }
          .map { main($0.size) }.max()
        var total = Double(max(0, boxes.count - 1)) * gap
        for box in boxes {
          let isUniform = !growsAlong && (horizontal ? box.uniform.width : box.uniform.height)
          total += least(edges(box).0) + least(edges(box).1)
          total += isUniform ? (known ?? main(box.size)) : main(growsAlong ? box.nominal : box.size)
        }
        return total
      }
      func cellsSoFar() -> Int { boxes.reduce(0) { $0 + $1.cells.count } }
      if group.count > 0 {
        let available = max(0, main(inner(size).size) - Double(group.count - 1) * gap)
        let whole = inner(size).size
        let container =
          horizontal
          ? Size(width: available, height: whole.height)
          : Size(width: whole.width, height: available)
        for _ in 0 ..< group.count {
          var around = 0.0
          switch group.subitems[0] {
          case .item(let item):
            around =
              horizontal
              ? least(item.edgeSpacing.leading) + least(item.edgeSpacing.trailing)
              : least(item.edgeSpacing.top) + least(item.edgeSpacing.bottom)
          case .group(let inside):
            around =
              horizontal
              ? least(inside.edgeSpacing.leading) + least(inside.edgeSpacing.trailing)
              : least(inside.edgeSpacing.top) + least(inside.edgeSpacing.bottom)
          case .unspecified: break
          }
          let each = max(0, available / Double(group.count) - around)
          if let box = subitem(
            group.subitems[0],
            container,
            firstItem: firstItem + cellsSoFar(),
            imposed: (each, horizontal, growsAlong)
          ) {
            boxes.append(box)
          }
        }
      } else {
        var index = 0
        var before = -1.0
        while true {
          if index % group.subitems.count == 0 {
            if index > 0, used(boxes) <= before { break }
            before = used(boxes)
          }
          let next = group.subitems[index % group.subitems.count]
          index += 1
          guard
            let box = subitem(
              next,
              inner(size).size,
              firstItem: firstItem + cellsSoFar(),
              imposed: nil
            )
          else { continue }
          let length = main(growsAlong ? box.nominal : box.size)
          let tolerance = max(1e-6, min(1, length / 2))
          if !boxes.isEmpty, used(boxes + [box]) >= main(inner(capacity).size) + tolerance { break }
          boxes.append(box)
        }
      }
      for isWidth in [true, false] {
        let known = boxes.filter {
          isWidth ? $0.uniform.width && $0.measured.width : $0.uniform.height && $0.measured.height
        }.map { isWidth ? $0.size.width : $0.size.height }.max()
        guard let known else { continue }
        for index in boxes.indices {
          if isWidth, boxes[index].uniform.width { boxes[index].size.width = known }
          if !isWidth, boxes[index].uniform.height { boxes[index].size.height = known }
        }
      }
      if let grid {
        for index in boxes.indices { boxes[index].size = grid.round(boxes[index].size) }
      }
      let real = boxes.filter(\.isReal)
      let contentMain =
        real.reduce(0.0) { $0 + main($1.size) + least(edges($1).0) + least(edges($1).1) }
        + Double(max(0, real.count - 1)) * gap
      let contentCross =
        real.map { cross($0.size) + least(crossEdges($0).0) + least(crossEdges($0).1) }.max() ?? 0
      result.measured = (
        grows.width && real.contains { $0.measured.width },
        grows.height && real.contains { $0.measured.height }
      )
      if result.measured.width { result.size.width = horizontal ? contentMain : contentCross }
      if result.measured.height { result.size.height = horizontal ? contentCross : contentMain }
      let refers = group.subitems.contains { subitem in
        let size: LayoutSize
        switch subitem {
        case .item(let item): size = item.size
        case .group(let group): size = group.size
        case .unspecified: return false
        }
        return [size.width, size.height].contains {
          switch $0 {
          case .fractionalWidth: result.measured.width
          case .fractionalHeight: result.measured.height
          default: false
          }
        }
      }
      if again, refers, result.size != size {
        return self.group(
          group,
          size: result.size,
          capacity: capacity,
          container: container,
          grows: grows,
          firstItem: firstItem,
          again: false
        )
      }
      let room = inner(result.size)
      let springs =
        (group.interitemSpacing.isElastic ? boxes.count - 1 : 0)
        + boxes.reduce(0) {
          $0 + (edges($1).0.isElastic ? 1 : 0) + (edges($1).1.isElastic ? 1 : 0)
        }
      let taken =
        boxes.reduce(0.0) { $0 + main($1.size) + least(edges($1).0) + least(edges($1).1) }
        + Double(max(0, boxes.count - 1)) * gap
      let share = springs > 0 ? max(0, main(room.size) - taken) / Double(springs) : 0
      var position = 0.0
      for box in boxes {
        let (start, end) = crossEdges(box)
        let left = max(0, cross(room.size) - cross(box.size) - least(start) - least(end))
        let sides = (start.isElastic ? 1.0 : 0) + (end.isElastic ? 1.0 : 0)
        let side = least(start) + (start.isElastic ? left / sides : 0)
        position += least(edges(box).0) + (edges(box).0.isElastic ? share : 0)
        let origin =
          (horizontal ? Point(x: position, y: side) : Point(x: side, y: position)) + room.origin
        position += main(box.size) + least(edges(box).1) + (edges(box).1.isElastic ? share : 0)
        position += gap + (group.interitemSpacing.isElastic ? share : 0)
        let base = result.cells.count
        if let item = box.item {
          var insets = item.contentInsets
          if item.size.width.isEstimated { (insets.leading, insets.trailing) = (0, 0) }
          if item.size.height.isEstimated { (insets.top, insets.bottom) = (0, 0) }
          let frame = Rect(origin: origin, size: box.size).inset(by: insets)
          result.cells.append(frame)
          for badge in item.supplementaryItems {
            result.badges.append(
              self.badge(badge, host: frame, whole: frame.size, cell: base, isOfGroup: false)
            )
          }
        } else {
          result.cells += box.cells.map { $0.offset(by: origin) }
          result.badges += box.badges.map {
            var badge = $0
            badge.frame = badge.frame.offset(by: origin)
            badge.cell += base
            return badge
          }
        }
      }
    }
    if !result.cells.isEmpty {
      for badge in group.supplementaryItems {
        result.badges.append(
          self.badge(badge, host: inner(result.size), whole: container, cell: 0, isOfGroup: true)
        )
      }
    }
    return result
  }

  func subitem(
    _ subitem: LayoutSubitem,
    _ container: Size,
    firstItem: Int,
    imposed: (length: Double, isWidth: Bool, grows: Bool)?
  ) -> Box? {
    let size: LayoutSize
    let edges: EdgeSpacing
    switch subitem {
    case .unspecified: return nil
    case .item(let item): (size, edges) = (item.size, item.edgeSpacing)
    case .group(let group): (size, edges) = (group.size, group.edgeSpacing)
    }
    var nominal = resolve(size, container)
    var estimated = (width: size.width.isEstimated, height: size.height.isEstimated)
    if let imposed {
      if imposed.isWidth {
        nominal.width = imposed.length
        estimated.width = estimated.width && imposed.grows
      } else {
        nominal.height = imposed.length
        estimated.height = estimated.height && imposed.grows
      }
    }
    var box: Box
    switch subitem {
    case .unspecified: return nil
    case .item(let item):
      box = Box(size: nominal, nominal: nominal)
      box.item = item
      box.cells = [.zero]
      let known = sizeOfItem(firstItem)
      if estimated.width, let width = known.width {
        box.size.width = width
        box.measured.width = true
      }
      if estimated.height, let height = known.height {
        box.size.height = height
        box.measured.height = true
      }
    case .group(let group):
      box = self.group(
        group,
        size: nominal,
        capacity: nominal,
        container: container,
        grows: estimated,
        firstItem: firstItem
      )
    }
    box.nominal = nominal
    box.edges = edges
    box.isReal = firstItem < itemCount
    box.uniform = (
      estimated.width && isUniform(size.width), estimated.height && isUniform(size.height)
    )
    return box
  }

  func badge(
    _ badge: AnchoredSupplementaryItem,
    host: Rect,
    whole: Size,
    cell: Int,
    isOfGroup: Bool
  ) -> Badge {
    let size = supplementarySize(badge.size, whole)
    func place(_ start: Bool, _ end: Bool, _ length: Double) -> Double {
      start == end ? length / 2 : start ? 0 : length
    }
    func shift(_ anchor: LayoutAnchor) -> Point {
      switch anchor.offset {
      case .absolute(let point): point
      case .fractional(let point): Point(x: point.x * size.width, y: point.y * size.height)
      }
    }
    let anchor = badge.containerAnchor
    let on = Point(
      x: host.x + place(anchor.leading, anchor.trailing, host.width),
      y: host.y + place(anchor.top, anchor.bottom, host.height)
    )
    // Aligned inside: the same point of the badge as of its host.
    let own =
      badge.itemAnchor
      ?? LayoutAnchor(
        top: anchor.top,
        leading: anchor.leading,
        bottom: anchor.bottom,
        trailing: anchor.trailing
      )
    let of = Point(
      x: place(own.leading, own.trailing, size.width),
      y: place(own.top, own.bottom, size.height)
    )
    return Badge(
      kind: badge.kind,
      frame: Rect(origin: on - of + shift(anchor) + shift(own), size: size),
      zIndex: badge.zIndex,
      cell: cell,
      isOfGroup: isOfGroup
    )
  }
}

func least(_ spacing: LayoutSpacing) -> Double {
  switch spacing {
  case .fixed(let length), .flexible(let length): length
  }
}

extension LayoutSpacing {
  var isElastic: Bool { if case .flexible = self { true } else { false } }
}
