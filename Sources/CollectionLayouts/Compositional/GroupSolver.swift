// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Solves one group: sizes its items, fills the group along its axis, shares out what is left over.
///
/// Works in x and y from left to right, relative to the group's own corner. Sizes are rounded to
/// pixels as they are found, while positions accumulate exactly and are rounded when elements are
/// handed out, as measured from UIKit. Whether an item still fits goes by lengths before rounding.
struct GroupSolver {
  typealias Limit = CompositionalLayout.Limit

  let pixelGrid: PixelGrid?
  /// Element kinds by name.
  let kinds: [String: Int]
  /// nil = nothing was measured.
  var measured: MeasuredItems?
  /// The section's item that is the group's first.
  var firstItem = 0
  /// How many items the section has. Those beyond take room in the group, but do not stretch it.
  var itemCount = Int.max

  private(set) var cells: [Rect] = []
  private(set) var badges: [Badge] = []
  /// What stays to be tried, so that groups with no end of items that take no room end.
  private var steps = 4 * Limit.itemsPerGroup

  init(pixelGrid: PixelGrid?, kinds: [String: Int], measured: MeasuredItems? = nil) {
    self.pixelGrid = pixelGrid
    self.kinds = kinds
    self.measured = measured
  }

  struct Badge {
    var frame: Rect
    var kind: Int
    var zIndex: Int32
    var cell: Int
    var isOfGroup: Bool
  }

  /// What one subitem has become, before it has its place.
  struct Subitem {
    var item: LayoutItem?
    var edges: EdgeSpacing
    var size: Size
    /// The size by estimates alone.
    var nominal: Size
    var isMeasured: (width: Bool, height: Bool)
    var isUniform: (width: Bool, height: Bool)
    /// Whether any of the section's items is in it.
    var isReal: Bool
    var cells: Range<Int>
    var badges: Range<Int>
  }

  /// A group's size and what it follows from.
  struct Extent {
    var size: Size
    /// Whether it grows to its content along an axis once some of that is measured.
    var grows: (width: Bool, height: Bool)
    /// The size that decides how many items fit.
    var capacity: Size
  }

  /// Lays out a group and its subitems; the cells and badges are appended in its own coordinates.
  ///
  /// - Returns: its size and whether that was measured.
  mutating func layOut(
    _ group: LayoutGroup,
    extent: Extent,
    depth: Int = 1,
    isRepeated: Bool = false
  ) -> (size: Size, isMeasured: (width: Bool, height: Bool)) {
    let start = (cells: cells.count, badges: badges.count)
    if !group.customFrames.isEmpty {
      layOutCustom(group)
      let inner = innerRect(of: group, size: extent.size, grows: (false, false))
      addBadges(group.supplementaryItems, host: inner, cell: start.cells, isOfGroup: true)
      return (extent.size, (false, false))
    }
    let axis = group.axis ?? .horizontal
    let inner = innerRect(of: group, size: extent.size, grows: extent.grows)
    let capacity = innerRect(of: group, size: extent.capacity, grows: extent.grows)
    var subitems = fill(
      group,
      axis: axis,
      inner: inner.size,
      capacity: capacity.size,
      grows: extent.grows,
      depth: depth
    )
    equalise(&subitems)
    if let pixelGrid {
      for index in subitems.indices { subitems[index].size = pixelGrid.round(subitems[index].size) }
    }
    let content = contentSize(of: subitems, axis: axis, spacing: group.interitemSpacing)
    let isMeasured = (
      width: extent.grows.width && subitems.contains { $0.isReal && $0.isMeasured.width },
      height: extent.grows.height && subitems.contains { $0.isReal && $0.isMeasured.height }
    )
    var size = extent.size
    if isMeasured.width { size.width = content.width }
    if isMeasured.height { size.height = content.height }
    if !isRepeated, size != extent.size, hasFractions(group, grown: isMeasured) {
      // Fractions of what has grown are of what it has grown to.
      truncate(to: start)
      return layOut(
        group,
        extent: Extent(size: size, grows: extent.grows, capacity: extent.capacity),
        depth: depth,
        isRepeated: true
      )
    }
    let final = innerRect(of: group, size: size, grows: extent.grows)
    place(subitems, of: group, axis: axis, in: final)
    addBadges(group.supplementaryItems, host: final, cell: start.cells, isOfGroup: true)
    return (size, isMeasured)
  }

  // MARK: - Filling

  private mutating func fill(
    _ group: LayoutGroup,
    axis: LayoutGroup.Axis,
    inner: Size,
    capacity: Size,
    grows: (width: Bool, height: Bool),
    depth: Int
  ) -> [Subitem] {
    guard !group.subitems.isEmpty else { return [] }
    let spacing = DimensionResolver.length(group.interitemSpacing.minimum)
    let growsAlong = axis == .horizontal ? grows.width : grows.height
    if group.count > 0 {
      return divide(
        group,
        axis: axis,
        inner: inner,
        spacing: spacing,
        grows: growsAlong,
        depth: depth
      )
    }
    var line = Line(limit: axis.main(capacity), spacing: spacing)
    var subitems: [Subitem] = []
    var index = 0
    var cycleStart = (length: -1.0, count: 0)
    while steps > 0, cells.count < Limit.itemsPerGroup {
      let position = index % group.subitems.count
      if position == 0 {
        // A round that took no room would be followed by others without end.
        if index > 0, line.length <= cycleStart.length || subitems.count == cycleStart.count {
          break
        }
        cycleStart = (line.length, subitems.count)
      }
      steps -= 1
      index += 1
      let mark = (cells: cells.count, badges: badges.count)
      guard let subitem = size(group.subitems[position], in: inner, depth: depth) else { continue }
      let size = growsAlong ? subitem.nominal : subitem.size
      let isUniform = !growsAlong && axis.of(subitem.isUniform)
      guard
        line.add(
          axis.main(size),
          edges: axis.edges(subitem.edges),
          isUniform: isUniform,
          isMeasured: axis.of(subitem.isMeasured)
        )
      else {
        truncate(to: mark)
        break
      }
      subitems.append(subitem)
    }
    return subitems
  }

  /// A group with a count: equal lengths, after the spacing is taken off.
  private mutating func divide(
    _ group: LayoutGroup,
    axis: LayoutGroup.Axis,
    inner: Size,
    spacing: Double,
    grows: Bool,
    depth: Int
  ) -> [Subitem] {
    let count = min(group.count, Limit.itemsPerGroup)
    let available = max(0, axis.main(inner) - Double(count - 1) * spacing)
    let container = axis.size(main: available, cross: axis.cross(inner))
    let edges = axis.edges(Self.edges(of: group.subitems[0]))
    let each = max(0, available / Double(count) - edges.start.minimum - edges.end.minimum)
    var subitems: [Subitem] = []
    while subitems.count < count, steps > 0, cells.count < Limit.itemsPerGroup {
      steps -= 1
      guard
        let subitem = size(
          group.subitems[0],
          in: container,
          length: each,
          along: axis,
          grows: grows,
          depth: depth
        )
      else { break }
      subitems.append(subitem)
    }
    return subitems
  }

  /// - Parameter length: imposed along an axis, whatever the subitem's own dimension is, unless that
  ///   is estimated and the group `grows`.
  private mutating func size(
    _ subitem: LayoutSubitem,
    in container: Size,
    length: Double? = nil,
    along axis: LayoutGroup.Axis = .horizontal,
    grows: Bool = false,
    depth: Int
  ) -> Subitem? {
    let layoutSize: LayoutSize
    switch subitem {
    case .unspecified: return nil
    case .item(let item): layoutSize = item.size
    case .group(let group):
      guard depth < Limit.depth else { return nil }
      layoutSize = group.size
    }
    var nominal = DimensionResolver.size(layoutSize, in: container)
    var isEstimated = (width: layoutSize.width.isEstimated, height: layoutSize.height.isEstimated)
    if let length {
      switch axis {
      case .horizontal:
        nominal.width = length
        isEstimated.width = isEstimated.width && grows
      case .vertical:
        nominal.height = length
        isEstimated.height = isEstimated.height && grows
      }
    }
    var result = Subitem(
      item: nil,
      edges: Self.edges(of: subitem),
      size: nominal,
      nominal: nominal,
      isMeasured: (false, false),
      isUniform: (
        isEstimated.width && layoutSize.width.isUniform,
        isEstimated.height && layoutSize.height.isUniform
      ),
      isReal: firstItem + cells.count < itemCount,
      cells: 0 ..< 0,
      badges: 0 ..< 0
    )
    let start = (cells: cells.count, badges: badges.count)
    switch subitem {
    case .unspecified: return nil
    case .item(let item):
      result.item = item
      let known: (width: Double?, height: Double?) =
        measured?.size(at: firstItem + cells.count) ?? (nil, nil)
      if isEstimated.width, let width = known.width {
        result.size.width = DimensionResolver.length(width)
        result.isMeasured.width = true
      }
      if isEstimated.height, let height = known.height {
        result.size.height = DimensionResolver.length(height)
        result.isMeasured.height = true
      }
      cells.append(.zero)
    case .group(let group):
      (result.size, result.isMeasured) = layOut(
        group,
        extent: Extent(size: nominal, grows: isEstimated, capacity: nominal),
        depth: depth + 1
      )
    }
    result.cells = start.cells ..< cells.count
    result.badges = start.badges ..< badges.count
    return result
  }

  static func edges(of subitem: LayoutSubitem) -> EdgeSpacing {
    switch subitem {
    case .unspecified: .zero
    case .item(let item): item.edgeSpacing
    case .group(let group): group.edgeSpacing
    }
  }

  /// Gives siblings that are to be alike the longest of their measured lengths.
  private func equalise(_ subitems: inout [Subitem]) {
    func longest(_ length: (Subitem) -> Double?) -> Double? {
      subitems.compactMap(length).max()
    }
    let width = longest { $0.isUniform.width && $0.isMeasured.width ? $0.size.width : nil }
    let height = longest { $0.isUniform.height && $0.isMeasured.height ? $0.size.height : nil }
    for index in subitems.indices {
      if let width, subitems[index].isUniform.width { subitems[index].size.width = width }
      if let height, subitems[index].isUniform.height { subitems[index].size.height = height }
    }
  }

  // MARK: - Placing

  private mutating func place(
    _ subitems: [Subitem],
    of group: LayoutGroup,
    axis: LayoutGroup.Axis,
    in inner: Rect
  ) {
    let gaps = max(0, subitems.count - 1)
    let spacing = DimensionResolver.length(group.interitemSpacing.minimum)
    var used = Double(gaps) * spacing
    var flexible = group.interitemSpacing.isFlexible ? gaps : 0
    for subitem in subitems {
      let edges = axis.edges(subitem.edges)
      used += axis.main(subitem.size) + Self.minimum(edges)
      flexible += (edges.start.isFlexible ? 1 : 0) + (edges.end.isFlexible ? 1 : 0)
    }
    let share = flexible > 0 ? max(0, axis.main(inner.size) - used) / Double(flexible) : 0
    func length(_ spacing: LayoutSpacing, share: Double) -> Double {
      DimensionResolver.length(spacing.minimum) + (spacing.isFlexible ? share : 0)
    }
    var main = 0.0
    for subitem in subitems {
      let along = axis.edges(subitem.edges)
      let across = axis.crossEdges(subitem.edges)
      let left = axis.cross(inner.size) - axis.cross(subitem.size) - Self.minimum(across)
      let sides = (across.start.isFlexible ? 1.0 : 0) + (across.end.isFlexible ? 1.0 : 0)
      let cross = length(across.start, share: sides > 0 ? max(0, left) / sides : 0)
      main += length(along.start, share: share)
      put(subitem, at: axis.point(main: main, cross: cross) + inner.origin)
      main += axis.main(subitem.size) + length(along.end, share: share)
      main += length(group.interitemSpacing, share: share)
    }
  }

  private mutating func put(_ subitem: Subitem, at origin: Point) {
    guard let item = subitem.item else {
      for index in subitem.cells { cells[index] = cells[index].offset(by: origin) }
      for index in subitem.badges { badges[index].frame = badges[index].frame.offset(by: origin) }
      return
    }
    var insets = DimensionResolver.insets(item.contentInsets)
    if item.size.width.isEstimated { (insets.leading, insets.trailing) = (0, 0) }
    if item.size.height.isEstimated { (insets.top, insets.bottom) = (0, 0) }
    let frame = Rect(origin: origin, size: subitem.size).inset(by: insets)
    cells[subitem.cells.lowerBound] = frame
    addBadges(
      item.supplementaryItems,
      host: frame,
      cell: subitem.cells.lowerBound,
      isOfGroup: false
    )
  }

  private mutating func addBadges(
    _ items: [AnchoredSupplementaryItem],
    host: Rect,
    cell: Int,
    isOfGroup: Bool
  ) {
    guard cell < cells.count else { return }
    for item in items {
      guard let kind = kinds[item.kind] else { continue }
      badges.append(
        Badge(
          frame: DimensionResolver.frame(of: item, on: host, grid: pixelGrid),
          kind: kind,
          zIndex: Int32(clamping: item.zIndex),
          cell: cell,
          isOfGroup: isOfGroup
        )
      )
    }
  }

  private mutating func layOutCustom(_ group: LayoutGroup) {
    for frame in group.customFrames.prefix(max(0, Limit.itemsPerGroup - cells.count)) {
      cells.append(
        Rect(
          x: DimensionResolver.distance(frame.x),
          y: DimensionResolver.distance(frame.y),
          width: DimensionResolver.length(frame.width),
          height: DimensionResolver.length(frame.height)
        )
      )
    }
  }

  // MARK: - Sizes

  /// What the section's own items take, along the axis and across it.
  private func contentSize(
    of subitems: [Subitem],
    axis: LayoutGroup.Axis,
    spacing: LayoutSpacing
  ) -> Size {
    var main = 0.0
    var cross = 0.0
    var count = 0
    for subitem in subitems where subitem.isReal {
      main += axis.main(subitem.size) + Self.minimum(axis.edges(subitem.edges))
      cross = max(
        cross,
        axis.cross(subitem.size) + Self.minimum(axis.crossEdges(subitem.edges))
      )
      count += 1
    }
    main += Double(max(0, count - 1)) * DimensionResolver.length(spacing.minimum)
    return axis.size(main: main, cross: cross)
  }

  /// A group less its insets, which do not count along an axis that grows with its content.
  private func innerRect(
    of group: LayoutGroup,
    size: Size,
    grows: (width: Bool, height: Bool)
  ) -> Rect {
    var insets = DimensionResolver.insets(group.contentInsets)
    if grows.width { (insets.leading, insets.trailing) = (0, 0) }
    if grows.height { (insets.top, insets.bottom) = (0, 0) }
    return Rect(origin: .zero, size: size).inset(by: insets)
  }

  private func hasFractions(_ group: LayoutGroup, grown: (width: Bool, height: Bool)) -> Bool {
    func isOfGrown(_ dimension: LayoutDimension) -> Bool {
      switch dimension {
      case .fractionalWidth: grown.width
      case .fractionalHeight: grown.height
      default: false
      }
    }
    return group.subitems.contains { subitem in
      switch subitem {
      case .unspecified: false
      case .item(let item): isOfGrown(item.size.width) || isOfGrown(item.size.height)
      case .group(let group): isOfGrown(group.size.width) || isOfGrown(group.size.height)
      }
    }
  }

  static func minimum(_ edges: (start: LayoutSpacing, end: LayoutSpacing)) -> Double {
    DimensionResolver.length(edges.start.minimum) + DimensionResolver.length(edges.end.minimum)
  }

  private mutating func truncate(to mark: (cells: Int, badges: Int)) {
    cells.removeSubrange(mark.cells...)
    badges.removeSubrange(mark.badges...)
  }
}

extension GroupSolver {
  /// What a group holds along its axis so far.
  private struct Line {
    let limit: Double
    let spacing: Double
    /// Without the lengths of siblings that are to be alike, where those are known.
    private var fixed = 0.0
    private var count = 0
    private var uniformCount = 0
    private var uniformSum = 0.0
    private var uniformLongest: Double?

    init(limit: Double, spacing: Double) {
      self.limit = limit
      self.spacing = spacing
    }

    var length: Double {
      fixed + (uniformLongest.map { $0 * Double(uniformCount) } ?? uniformSum)
    }

    /// Adds a length if it fits; the first one always does. Less than a point too much is let pass,
    /// since fractions seldom add up to exactly one; of short lengths less than half of their own.
    mutating func add(
      _ length: Double,
      edges: (start: LayoutSpacing, end: LayoutSpacing),
      isUniform: Bool,
      isMeasured: Bool
    ) -> Bool {
      var next = self
      next.fixed += GroupSolver.minimum(edges) + (count > 0 ? spacing : 0)
      if isUniform {
        next.uniformCount += 1
        next.uniformSum += length
        if isMeasured { next.uniformLongest = max(length, uniformLongest ?? 0) }
      } else {
        next.fixed += length
      }
      next.count += 1
      let tolerance = max(1e-6, min(1, length / 2))
      guard count == 0 || next.length < limit + tolerance else { return false }
      self = next
      return true
    }
  }
}

// Along the axis is main, across it cross, whichever way the layout scrolls.
extension LayoutGroup.Axis {
  func main(_ size: Size) -> Double { self == .horizontal ? size.width : size.height }

  func cross(_ size: Size) -> Double { self == .horizontal ? size.height : size.width }

  func size(main: Double, cross: Double) -> Size {
    self == .horizontal
      ? Size(width: main, height: cross) : Size(width: cross, height: main)
  }

  func point(main: Double, cross: Double) -> Point {
    self == .horizontal ? Point(x: main, y: cross) : Point(x: cross, y: main)
  }

  func of(_ flags: (width: Bool, height: Bool)) -> Bool {
    self == .horizontal ? flags.width : flags.height
  }

  func edges(_ spacing: EdgeSpacing) -> (start: LayoutSpacing, end: LayoutSpacing) {
    self == .horizontal
      ? (spacing.leading, spacing.trailing) : (spacing.top, spacing.bottom)
  }

  func crossEdges(_ spacing: EdgeSpacing) -> (start: LayoutSpacing, end: LayoutSpacing) {
    self == .horizontal
      ? (spacing.top, spacing.bottom) : (spacing.leading, spacing.trailing)
  }
}
