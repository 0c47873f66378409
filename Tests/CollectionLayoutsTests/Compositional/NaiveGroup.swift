// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// A group solved the obvious way, from the rules that UIKit's recorded answers follow: a tree of
/// boxes, each made anew for every group of a section.
struct NaiveGroup {
  struct Badge {
    var item: AnchoredSupplementaryItem
    var host: Rect
    /// The size of which fractions are taken.
    var whole: Size
    var cell: Int
    var isOfGroup: Bool
  }

  /// An item or a group with its own corner at the origin.
  struct Box {
    var size: Size
    /// Before rounding.
    var exact: Size
    var measured = (width: false, height: false)
    var uniform = (width: false, height: false)
    var edges = EdgeSpacing.zero
    var cells: [Rect] = []
    var badges: [Badge] = []
    /// An item that waits for its place.
    var item: LayoutItem?
    /// The measured lengths of subitems of groups that share lengths up to the outermost one.
    var found: [(level: Int, lengths: Lengths)] = []
  }

  typealias Lengths = (width: Double?, height: Double?)

  var grid: PixelGrid?
  /// What was measured of the section's items; nil where there is no such item.
  var sizeOfItem: (Int) -> (width: Double?, height: Double?)
  /// The longest lengths of all groups of a section, by level, as far as they are known.
  var shared: [Int: Lengths] = [:]

  init(grid: PixelGrid?, sizeOfItem: @escaping (Int) -> (width: Double?, height: Double?)) {
    self.grid = grid
    self.sizeOfItem = sizeOfItem
  }

  /// Lays out a group.
  ///
  /// - Parameter container: the size of what contains it.
  /// - Parameter grows: which of its lengths are estimates.
  func group(
    _ group: LayoutGroup,
    size: Size,
    container: Size,
    grows: (width: Bool, height: Bool),
    firstItem: Int,
    place: Place = Place(),
    again: Bool = true
  ) -> Box {
    var size = size
    if group.axis == .vertical || !group.customFrames.isEmpty {
      size.width = place.imposed.width ?? size.width
    }
    if group.axis == .horizontal || !group.customFrames.isEmpty {
      size.height = place.imposed.height ?? size.height
    }
    var result = Box(size: size, exact: size)
    guard group.customFrames.isEmpty else {
      result.cells = group.customFrames
      let room = rect(size, less: group.contentInsets)
      addGroupBadges(group, room: room, container: container, to: &result)
      return result
    }
    let view = View(isWide: group.axis == .horizontal)
    var insets = group.contentInsets
    if grows.width { (insets.leading, insets.trailing) = (0, 0) }
    if grows.height { (insets.top, insets.bottom) = (0, 0) }
    func filled(_ lengths: Lengths) -> (boxes: [Box], longest: Lengths) {
      let boxes = self.boxes(
        of: group,
        in: rect(size, less: insets).size,
        grows: view.main(grows),
        firstItem: firstItem,
        place: Place(level: place.level + 1, shares: place.shares, imposed: lengths)
      )
      return (boxes, self.longest(of: boxes))
    }
    let known = among(place.shares, shared[place.level + 1] ?? (nil, nil))
    var (boxes, longest) = filled(known)
    let lengths = longer(longest, known)
    let isChanged = boxes.contains { box in
      box.item == nil
        && (box.uniform.width && lengths.width != nil && lengths.width != box.size.width
          || box.uniform.height && lengths.height != nil && lengths.height != box.size.height)
    }
    if isChanged { (boxes, longest) = filled(lengths) }
    result.found = boxes.flatMap(\.found) + [(place.level + 1, among(place.shares, longest))]
    equalise(&boxes, longer(longest, known))
    let gap = least(group.interitemSpacing)
    let taken =
      boxes.reduce(0) { $0 + view.main($1.size) + least(view.edges($1)) }
      + Double(max(0, boxes.count - 1)) * gap
    result.measured = (
      grows.width && boxes.contains { $0.measured.width },
      grows.height && boxes.contains { $0.measured.height }
    )
    var cross = view.cross(size)
    if view.cross(result.measured) {
      cross = boxes.map { view.cross($0.size) + least(view.crossEdges($0)) }.max() ?? 0
    }
    if view.cross(place.imposed) != nil { cross = view.cross(size) }
    if again, cross != view.cross(size), hasFractions(group, ofWidth: !view.isWide) {
      return self.group(
        group,
        size: view.size(view.main(size), cross),
        container: container,
        grows: grows,
        firstItem: firstItem,
        place: place,
        again: false
      )
    }
    result.size = view.size(view.main(grows) ? taken : view.main(size), cross)
    result.size.width = place.imposed.width ?? result.size.width
    result.size.height = place.imposed.height ?? result.size.height
    if place.level == 0 {
      result.found.append(
        (
          0,
          among(
            place.shares,
            (
              result.measured.width ? result.size.width : nil,
              result.measured.height ? result.size.height : nil
            )
          )
        )
      )
    }
    let room = rect(result.size, less: insets)
    put(boxes, of: group, view: view, taken: taken, in: room, to: &result)
    addGroupBadges(group, room: room, container: container, to: &result)
    return result
  }

  // MARK: - Filling

  private func boxes(
    of group: LayoutGroup,
    in inner: Size,
    grows: Bool,
    firstItem: Int,
    place: Place
  ) -> [Box] {
    let view = View(isWide: group.axis == .horizontal)
    let gap = least(group.interitemSpacing)
    let whole = view.main(inner)
    func fractionsWhole(_ spaced: Int) -> Size {
      view.size(max(0, whole - Double(max(0, spaced - 1)) * gap), view.cross(inner))
    }
    func next(_ boxes: [Box], in container: Size, share: Double? = nil) -> Box? {
      subitem(
        group.subitems[boxes.count % group.subitems.count],
        in: container,
        firstItem: firstItem + boxes.reduce(0) { $0 + $1.cells.count },
        share: share.map { ($0, view.isWide, grows) },
        place: place
      )
    }
    var boxes: [Box] = []
    if group.count > 0 {
      let container = fractionsWhole(group.count)
      let share = view.main(container) / Double(group.count)
      while boxes.count < group.count, let box = next(boxes, in: container, share: share) {
        boxes.append(box)
      }
      return boxes
    }
    if grows {
      let container = fractionsWhole(group.subitems.count)
      while boxes.count < group.subitems.count, let box = next(boxes, in: container) {
        boxes.append(box)
      }
      return boxes
    }
    // First without spacing, to see how many there may be; nothing is measured then.
    var lengths: [Double] = []
    var used = 0.0
    while lengths.count % group.subitems.count != 0 || lengths.isEmpty || used > 0 {
      let subitem = group.subitems[lengths.count % group.subitems.count]
      guard let parts = parts(of: subitem) else { break }
      let length = view.main(resolve(parts.size, inner))
      let with = used + length + least(view.edges(parts.edges))
      if !lengths.isEmpty, !fits(with, length, in: whole) { break }
      lengths.append(length)
      used = with
    }
    let container = fractionsWhole(lengths.count)
    while let box = next(boxes, in: container) {
      let all = boxes + [box]
      if !boxes.isEmpty, !fits(taken(all, gap, view), view.main(box.exact), in: whole) { break }
      boxes = all
      // A round that takes no room would be followed by others without end.
      let before = boxes.dropLast(group.subitems.count)
      if boxes.count % group.subitems.count == 0,
        taken(boxes, gap, view) == taken(Array(before), gap, view)
      {
        break
      }
    }
    return boxes
  }

  /// A point too much still fits, or half of what is shorter.
  private func fits(_ total: Double, _ last: Double, in whole: Double) -> Bool {
    total < whole + max(1e-6, min(1, last / 2))
  }

  private func taken(_ boxes: [Box], _ gap: Double, _ view: View) -> Double {
    let longest = boxes.filter { view.main($0.measured) }.map { view.main($0.exact) }.max()
    return boxes.reduce(Double(max(0, boxes.count - 1)) * gap) { sum, box in
      let length = view.main(box.uniform) ? longest ?? view.main(box.exact) : view.main(box.exact)
      return sum + length + least(view.edges(box))
    }
  }

  private func subitem(
    _ subitem: LayoutSubitem,
    in container: Size,
    firstItem: Int,
    share: (length: Double, isWidth: Bool, grows: Bool)?,
    place: Place
  ) -> Box? {
    guard let (size, edges) = parts(of: subitem) else { return nil }
    var exact = resolve(size, container)
    var rounded = rounded(exact, size)
    var estimated = (width: size.width.isEstimated, height: size.height.isEstimated)
    if let share, share.isWidth {
      exact.width = share.length
      rounded.width = grid?.floor(share.length) ?? share.length
      estimated.width = estimated.width && share.grows
    } else if let share {
      exact.height = share.length
      rounded.height = grid?.floor(share.length) ?? share.length
      estimated.height = estimated.height && share.grows
    }
    let uniform = (
      width: estimated.width && isUniform(size.width),
      height: estimated.height && isUniform(size.height)
    )
    var box = Box(size: rounded, exact: exact)
    switch subitem {
    case .unspecified: return nil
    case .item(let item):
      box.item = item
      box.cells = [.zero]
      let known = sizeOfItem(firstItem)
      if estimated.width, let width = known.width {
        (box.exact.width, box.measured.width) = (width, true)
        box.size.width = grid?.round(width) ?? width
      }
      if estimated.height, let height = known.height {
        (box.exact.height, box.measured.height) = (height, true)
        box.size.height = grid?.round(height) ?? height
      }
    case .group(let group):
      box = self.group(
        group,
        size: rounded,
        container: container,
        grows: estimated,
        firstItem: firstItem,
        place: Place(
          level: place.level,
          shares: (place.shares.width && uniform.width, place.shares.height && uniform.height),
          imposed: among(uniform, place.imposed)
        )
      )
      box.exact.width = estimated.width ? box.size.width : exact.width
      box.exact.height = estimated.height ? box.size.height : exact.height
    }
    box.edges = edges
    box.uniform = uniform
    return box
  }

  /// Where a group is.
  struct Place {
    /// 0 for a group of the section, 1 for one in it.
    var level = 0
    /// Along which axes it and all that it is in have a uniform length.
    var shares = (width: false, height: false)
    /// The lengths of its siblings.
    var imposed: Lengths = (nil, nil)
  }

  private func longest(of boxes: [Box]) -> Lengths {
    (
      boxes.filter(\.measured.width).map(\.size.width).max(),
      boxes.filter(\.measured.height).map(\.size.height).max()
    )
  }

  private func longer(_ a: Lengths, _ b: Lengths) -> Lengths {
    ([a.width, b.width].compactMap(\.self).max(), [a.height, b.height].compactMap(\.self).max())
  }

  private func among(_ axes: (width: Bool, height: Bool), _ lengths: Lengths) -> Lengths {
    (axes.width ? lengths.width : nil, axes.height ? lengths.height : nil)
  }

  /// Siblings of uniform length take the longest that was measured.
  private func equalise(_ boxes: inout [Box], _ lengths: Lengths) {
    for index in boxes.indices {
      if let width = lengths.width, boxes[index].uniform.width {
        (boxes[index].size.width, boxes[index].measured.width) = (width, true)
      }
      if let height = lengths.height, boxes[index].uniform.height {
        (boxes[index].size.height, boxes[index].measured.height) = (height, true)
      }
    }
  }

  /// The groups of a section, the longest lengths of which are found level by level, from within.
  ///
  /// - Parameter solve: lays all groups out, one after the other.
  static func sharing(
    _ group: LayoutGroup,
    _ solver: NaiveGroup,
    _ solve: (NaiveGroup) -> [Box]
  ) -> [Box] {
    guard solver.isUniform(group.size.width) || solver.isUniform(group.size.height) else {
      return solve(solver)
    }
    var solver = solver
    for level in (0 ... 5).reversed() {
      for found in solve(solver).flatMap(\.found) where found.level == level {
        solver.shared[level] = solver.longer(solver.shared[level] ?? (nil, nil), found.lengths)
      }
    }
    return solve(solver)
  }

  /// Where a group of a section is.
  func place(of group: LayoutGroup) -> Place {
    let shares = (width: isUniform(group.size.width), height: isUniform(group.size.height))
    return Place(shares: shares, imposed: among(shares, shared[0] ?? (nil, nil)))
  }

  // MARK: - Placing

  private func put(
    _ boxes: [Box],
    of group: LayoutGroup,
    view: View,
    taken: Double,
    in room: Rect,
    to result: inout Box
  ) {
    let between = group.interitemSpacing
    let springs =
      (between.isElastic ? boxes.count - 1 : 0)
      + boxes.reduce(0) {
        $0 + (view.edges($1).0.isElastic ? 1 : 0) + (view.edges($1).1.isElastic ? 1 : 0)
      }
    let share = springs > 0 ? max(0, view.main(room.size) - taken) / Double(springs) : 0
    func width(_ spacing: LayoutSpacing, _ share: Double) -> Double {
      least(spacing) + (spacing.isElastic ? share : 0)
    }
    var position = 0.0
    for box in boxes {
      let (start, end) = view.crossEdges(box)
      let left = max(0, view.cross(room.size) - view.cross(box.size) - least((start, end)))
      let sides = (start.isElastic ? 1.0 : 0) + (end.isElastic ? 1.0 : 0)
      position += width(view.edges(box).0, share)
      let corner = view.size(position, width(start, sides > 0 ? left / sides : 0))
      put(box, at: Point(x: corner.width, y: corner.height) + room.origin, to: &result)
      position += view.main(box.size) + width(view.edges(box).1, share) + width(between, share)
    }
  }

  private func put(_ box: Box, at origin: Point, to result: inout Box) {
    let base = result.cells.count
    guard let item = box.item else {
      result.cells += box.cells.map { $0.offset(by: origin) }
      result.badges += box.badges.map {
        var badge = $0
        badge.host = badge.host.offset(by: origin)
        badge.cell += base
        return badge
      }
      return
    }
    var insets = item.contentInsets
    if item.size.width.isEstimated { (insets.leading, insets.trailing) = (0, 0) }
    if item.size.height.isEstimated { (insets.top, insets.bottom) = (0, 0) }
    let frame = Rect(origin: origin, size: box.size).inset(by: insets)
    result.cells.append(frame)
    for badge in item.supplementaryItems {
      result.badges.append(
        Badge(item: badge, host: frame, whole: frame.size, cell: base, isOfGroup: false)
      )
    }
  }

  private func addGroupBadges(
    _ group: LayoutGroup,
    room: Rect,
    container: Size,
    to result: inout Box
  ) {
    guard !result.cells.isEmpty else { return }
    for badge in group.supplementaryItems {
      result.badges.append(
        Badge(item: badge, host: room, whole: container, cell: 0, isOfGroup: true)
      )
    }
  }

  // MARK: - Lengths

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

  /// Fractions down to whole pixels, other lengths to the nearest.
  func rounded(_ size: Size, _ dimensions: LayoutSize) -> Size {
    func rounded(_ length: Double, _ dimension: LayoutDimension) -> Double {
      guard let grid else { return length }
      switch dimension {
      case .fractionalWidth, .fractionalHeight: return grid.floor(length)
      default: return grid.round(length)
      }
    }
    return Size(
      width: rounded(size.width, dimensions.width),
      height: rounded(size.height, dimensions.height)
    )
  }

  private func rect(_ size: Size, less insets: EdgeInsets) -> Rect {
    Rect(origin: .zero, size: size).inset(by: insets)
  }

  func isUniform(_ dimension: LayoutDimension) -> Bool {
    if case .uniformAcrossSiblings = dimension { true } else { false }
  }

  private func hasFractions(_ group: LayoutGroup, ofWidth isWidth: Bool) -> Bool {
    group.subitems.contains { subitem in
      guard let (size, _) = parts(of: subitem) else { return false }
      return [size.width, size.height].contains {
        switch $0 {
        case .fractionalWidth: isWidth
        case .fractionalHeight: !isWidth
        default: false
        }
      }
    }
  }

  private func parts(of subitem: LayoutSubitem) -> (size: LayoutSize, edges: EdgeSpacing)? {
    switch subitem {
    case .unspecified: nil
    case .item(let item): (item.size, item.edgeSpacing)
    case .group(let group): (group.size, group.edgeSpacing)
    }
  }

  /// The frame of a badge.
  ///
  /// - Parameter measured: its measured size; nil = it was not measured.
  func frame(of placed: Badge, measured: Size?) -> Rect {
    let (badge, host) = (placed.item, placed.host)
    var size = rounded(resolve(badge.size, placed.whole), badge.size)
    if let measured {
      if badge.size.width.isEstimated { size.width = grid?.round(measured.width) ?? measured.width }
      if badge.size.height.isEstimated {
        size.height = grid?.round(measured.height) ?? measured.height
      }
    }
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
    return Rect(origin: on - of + shift(anchor) + shift(own), size: size)
  }
}

/// Lengths along a group's axis and across it.
private struct View {
  let isWide: Bool

  func main(_ size: Size) -> Double { isWide ? size.width : size.height }
  func cross(_ size: Size) -> Double { isWide ? size.height : size.width }
  func cross(_ lengths: NaiveGroup.Lengths) -> Double? { isWide ? lengths.height : lengths.width }

  func main(_ flags: (width: Bool, height: Bool)) -> Bool { isWide ? flags.width : flags.height }
  func cross(_ flags: (width: Bool, height: Bool)) -> Bool { isWide ? flags.height : flags.width }

  func size(_ main: Double, _ cross: Double) -> Size {
    isWide ? Size(width: main, height: cross) : Size(width: cross, height: main)
  }

  func edges(_ edges: EdgeSpacing) -> (LayoutSpacing, LayoutSpacing) {
    isWide ? (edges.leading, edges.trailing) : (edges.top, edges.bottom)
  }

  func edges(_ box: NaiveGroup.Box) -> (LayoutSpacing, LayoutSpacing) { edges(box.edges) }

  func crossEdges(_ box: NaiveGroup.Box) -> (LayoutSpacing, LayoutSpacing) {
    View(isWide: !isWide).edges(box)
  }
}

func least(_ edges: (LayoutSpacing, LayoutSpacing)) -> Double { least(edges.0) + least(edges.1) }

func least(_ spacing: LayoutSpacing) -> Double {
  switch spacing {
  case .fixed(let length), .flexible(let length): length
  }
}

extension LayoutSpacing {
  var isElastic: Bool { if case .flexible = self { true } else { false } }
}
