// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension GroupSolver {
  /// Fills a group with its subitems, repeated in their order until the group is full. A group with
  /// an estimated length along its axis gets each of them once, a group with a `count` that many of
  /// the first.
  ///
  /// - Parameter inner: the group's size less its insets.
  mutating func fill(
    _ group: LayoutGroup,
    axis: LayoutGroup.Axis,
    inner: Size,
    siblings: Siblings
  ) -> [Subitem] {
    guard !group.subitems.isEmpty else { return [] }
    let growsAlong = axis.of(siblings.grows)
    let available = lengthWithoutSpacing(of: group, axis: axis, inner: inner, grows: growsAlong)
    let container = axis.size(main: available, cross: axis.cross(inner))
    if group.count > 0 {
      return divide(group, axis: axis, container: container, siblings: siblings)
    }
    if growsAlong {
      var subitems: [Subitem] = []
      for position in group.subitems.indices where !isFull {
        spend()
        if let subitem = size(position, of: group, in: container, siblings: siblings) {
          subitems.append(subitem)
        }
      }
      return subitems
    }
    var line = Line(
      limit: axis.main(inner),
      spacing: DimensionResolver.length(group.interitemSpacing.minimum)
    )
    var subitems: [Subitem] = []
    var index = 0
    var cycleStart = (length: -1.0, count: 0)
    while !isFull {
      let position = index % group.subitems.count
      if position == 0 {
        // If one round of all subitems took no room, rounds would go on without end. A round may
        // leave the line shorter once, when it has the first measured sibling of uniform ones.
        if index > 0, line.length == cycleStart.length || subitems.count == cycleStart.count {
          break
        }
        cycleStart = (line.length, subitems.count)
      }
      spend()
      index += 1
      let mark = mark
      guard let subitem = size(position, of: group, in: container, siblings: siblings) else {
        continue
      }
      guard
        line.add(
          axis.main(subitem.exact),
          edges: axis.edges(group.subitems[position].edgeSpacing),
          isUniform: axis.of(subitem.isUniform),
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

  /// The length of which the subitems' fractions along the axis are taken: the group's own, less
  /// the spacing between as many subitems as would fit if there were no spacing.
  ///
  /// What was measured does not matter for this, so that it is the same in all groups of a section.
  private mutating func lengthWithoutSpacing(
    of group: LayoutGroup,
    axis: LayoutGroup.Axis,
    inner: Size,
    grows: Bool
  ) -> Double {
    let spacing = DimensionResolver.length(group.interitemSpacing.minimum)
    guard spacing > 0 else { return axis.main(inner) }
    let count: Int
    if group.count > 0 {
      count = min(group.count, Limit.itemsPerGroup)
    } else if grows {
      count = group.subitems.count { $0.size != nil }
    } else {
      count = fittingCount(of: group, axis: axis, inner: inner)
    }
    return max(0, axis.main(inner) - Double(max(0, count - 1)) * spacing)
  }

  /// How many subitems fit into a group without spacing. Eight of them take one step, because to
  /// count is much less work than to size.
  private mutating func fittingCount(
    of group: LayoutGroup,
    axis: LayoutGroup.Axis,
    inner: Size
  ) -> Int {
    var line = Line(limit: axis.main(inner), spacing: 0)
    var tries = 0
    defer { spend(tries / 8) }
    var roundStart = -1.0
    while line.length > roundStart {
      roundStart = line.length
      for subitem in group.subitems {
        tries += 1
        guard let size = subitem.size else { continue }
        let isAdded = line.add(
          axis.main(DimensionResolver.size(size, in: inner)),
          edges: axis.edges(subitem.edgeSpacing),
          isUniform: false,
          isMeasured: false
        )
        guard isAdded, line.count < Limit.itemsPerGroup else { return line.count }
      }
    }
    return line.count
  }

  /// Fills a group that has a `count`: all subitems get the same length.
  ///
  /// - Parameter container: the group's size less its insets and, along the axis, the spacing.
  private mutating func divide(
    _ group: LayoutGroup,
    axis: LayoutGroup.Axis,
    container: Size,
    siblings: Siblings
  ) -> [Subitem] {
    let count = min(group.count, Limit.itemsPerGroup)
    let share = (length: axis.main(container) / Double(count), axis: axis)
    var subitems: [Subitem] = []
    while subitems.count < count, !isFull {
      spend()
      let subitem = size(0, of: group, in: container, share: share, siblings: siblings)
      guard let subitem else { break }
      subitems.append(subitem)
    }
    return subitems
  }

  /// Sizes the subitem at a position and appends its cells; nil if there is no subitem or it is
  /// nested too deeply.
  ///
  /// - Parameter share: the length along an axis, instead of the subitem's own dimension. It does
  ///   not replace a measured length where that dimension is estimated and the group grows.
  private mutating func size(
    _ position: Int,
    of parent: LayoutGroup,
    in container: Size,
    share: (length: Double, axis: LayoutGroup.Axis)? = nil,
    siblings: Siblings
  ) -> Subitem? {
    let subitem = parent.subitems[position]
    guard let dimensions = subitem.size else { return nil }
    if subitem.isGroup, siblings.depth >= Limit.depth { return nil }
    var exact = DimensionResolver.size(dimensions, in: container)
    var size = DimensionResolver.aligned(exact, of: dimensions, grid: pixelGrid)
    var isEstimated = (width: dimensions.width.isEstimated, height: dimensions.height.isEstimated)
    if let share {
      let length = pixelGrid?.floor(share.length) ?? share.length
      switch share.axis {
      case .horizontal:
        (exact.width, size.width) = (share.length, length)
        isEstimated.width = isEstimated.width && siblings.grows.width
      case .vertical:
        (exact.height, size.height) = (share.length, length)
        isEstimated.height = isEstimated.height && siblings.grows.height
      }
    }
    var result = Subitem(
      position: position,
      size: size,
      exact: exact,
      isMeasured: (false, false),
      isUniform: (
        isEstimated.width && dimensions.width.isUniform,
        isEstimated.height && dimensions.height.isUniform
      ),
      cells: 0 ..< 0,
      badges: 0 ..< 0
    )
    let start = mark
    switch subitem {
    case .unspecified: return nil
    case .item(let item):
      badgeCount += item.supplementaryItems.count
      measure(&result, isEstimated: isEstimated)
      cells.append(.zero)
    case .group(let group):
      let isUniform = result.isUniform
      (result.size, result.isMeasured) = layOut(
        group,
        extent: Extent(
          size: size,
          grows: isEstimated,
          container: container,
          imposed: (
            isUniform.width ? siblings.lengths.width : nil,
            isUniform.height ? siblings.lengths.height : nil
          ),
          isShared: (
            siblings.isShared.width && isUniform.width,
            siblings.isShared.height && isUniform.height
          )
        ),
        depth: siblings.depth + 1
      )
      if isEstimated.width { result.exact.width = result.size.width }
      if isEstimated.height { result.exact.height = result.size.height }
    }
    result.cells = start.cells ..< cells.count
    result.badges = start.badges ..< badges.count
    return result
  }

  /// Gives the next item the lengths that were measured of it.
  private mutating func measure(
    _ subitem: inout Subitem,
    isEstimated: (width: Bool, height: Bool)
  ) {
    guard isEstimated.width || isEstimated.height else { return }
    itemsRead = max(itemsRead, cells.count + 1)
    guard let known = measured?.size(at: firstItem + cells.count) else { return }
    if isEstimated.width, let width = known.width {
      subitem.exact.width = DimensionResolver.length(width)
      subitem.size.width = pixelGrid?.round(subitem.exact.width) ?? subitem.exact.width
      subitem.isMeasured.width = true
    }
    if isEstimated.height, let height = known.height {
      subitem.exact.height = DimensionResolver.length(height)
      subitem.size.height = pixelGrid?.round(subitem.exact.height) ?? subitem.exact.height
      subitem.isMeasured.height = true
    }
  }

  /// The longest measured lengths of siblings, which uniform ones take: of all whose lengths are
  /// estimated, and of those in the section's other groups where these share lengths.
  mutating func longest(of subitems: [Subitem], _ siblings: Siblings) -> UniformLengths.Pair {
    var result: UniformLengths.Pair = (nil, nil)
    for subitem in subitems {
      if subitem.isMeasured.width { result.width = max(result.width ?? 0, subitem.size.width) }
      if subitem.isMeasured.height { result.height = max(result.height ?? 0, subitem.size.height) }
    }
    let isShared = siblings.isShared
    guard isShared.width || isShared.height else { return result }
    raiseLongest(
      siblings.depth,
      to: Size(width: result.width ?? 0, height: result.height ?? 0),
      (result.width != nil, result.height != nil),
      isShared: isShared
    )
    let shared = shared[siblings.depth]
    if isShared.width, let width = shared.width { result.width = max(result.width ?? 0, width) }
    if isShared.height, let height = shared.height {
      result.height = max(result.height ?? 0, height)
    }
    return result
  }
}

extension GroupSolver {
  /// What a group has taken along its axis so far.
  private struct Line {
    let limit: Double
    let spacing: Double
    /// Spacing, and the lengths of the subitems that are not uniform.
    private var fixed = 0.0
    private(set) var count = 0
    private var uniformCount = 0
    private var uniformSum = 0.0
    /// The longest measured length of all subitems whose lengths are estimated.
    private var longest: Double?

    init(limit: Double, spacing: Double) {
      self.limit = limit
      self.spacing = spacing
    }

    /// The length taken so far. Uniform subitems take the longest measured length each, if there is
    /// one.
    var length: Double {
      fixed + (longest.map { $0 * Double(uniformCount) } ?? uniformSum)
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
      } else {
        next.fixed += length
      }
      if isMeasured { next.longest = max(length, longest ?? 0) }
      next.count += 1
      let tolerance = max(1e-6, min(1, length / 2))
      guard count == 0 || next.length < limit + tolerance else { return false }
      self = next
      return true
    }
  }
}
