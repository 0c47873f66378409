// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension GroupSolver {
  /// Fills a group with its subitems, repeated in their order until the group is full.
  ///
  /// - Parameter inner: the size of which the subitems' fractions are taken.
  /// - Parameter capacity: the size that decides how many subitems fit.
  mutating func fill(
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
    while !isFull {
      let position = index % group.subitems.count
      if position == 0 {
        // If one round of all subitems took no room, rounds would go on without end.
        if index > 0, line.length <= cycleStart.length || subitems.count == cycleStart.count {
          break
        }
        cycleStart = (line.length, subitems.count)
      }
      steps -= 1
      index += 1
      let mark = mark
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

  /// Fills a group that has a `count`: all subitems get the same length, once the spacing is taken
  /// off.
  mutating func divide(
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
    while subitems.count < count, !isFull {
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

  /// Sizes one subitem and appends its cells; nil if there is no subitem or it is nested too
  /// deeply.
  ///
  /// - Parameter length: the length along `axis`, instead of the subitem's own dimension. It does
  ///   not replace a measured length where that dimension is estimated and the group `grows`.
  mutating func size(
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
      badgeCount += item.supplementaryItems.count
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
        extent: Extent(
          size: nominal,
          grows: isEstimated,
          capacity: nominal,
          container: container
        ),
        depth: depth + 1
      )
    }
    result.cells = start.cells ..< cells.count
    result.badges = start.badges ..< badges.count
    return result
  }

  /// The room around a subitem.
  static func edges(of subitem: LayoutSubitem) -> EdgeSpacing {
    switch subitem {
    case .unspecified: .zero
    case .item(let item): item.edgeSpacing
    case .group(let group): group.edgeSpacing
    }
  }

  /// Gives siblings with uniform dimensions the longest of their measured lengths.
  func equalise(_ subitems: inout [Subitem]) {
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
}

extension GroupSolver {
  /// What a group has taken along its axis so far.
  private struct Line {
    let limit: Double
    let spacing: Double
    /// Spacing, and the lengths of the subitems without a uniform dimension.
    private var fixed = 0.0
    private var count = 0
    private var uniformCount = 0
    private var uniformSum = 0.0
    private var uniformLongest: Double?

    init(limit: Double, spacing: Double) {
      self.limit = limit
      self.spacing = spacing
    }

    /// The length taken so far. Siblings with uniform dimensions take the longest measured length each,
    /// if there is one.
    var length: Double {
      fixed + (uniformLongest.map { $0 * Double(uniformCount) } ?? uniformSum)
    }

    /// Adds a length if it fits; the first one always does.
    ///
    /// Fractions seldom add up to exactly 1, so an excess of less than a point still fits, or for
    /// short lengths less than half of their own.
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
