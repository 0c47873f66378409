// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry
internal import Synchronization

/// One entry of a compositional layout's sections, prepared for one container: everything about it
/// that does not depend on the data.
struct SectionTemplate: Sendable {
  let section: CompositionalSection
  /// The rows of a list; nil = the section has groups.
  let rows: ListRows?
  /// Whether the section scrolls across the layout's axis.
  let isOrthogonal: Bool
  let interGroupSpacing: Double
  /// The section's insets along the scroll axis, in points.
  let mainInsets: (start: Double, end: Double)
  /// Where the room for groups starts across the scroll axis, in points. The insets of an
  /// orthogonal section do not narrow that room.
  let crossStart: Double
  /// The length of that room, in points. The reference of the insets narrows it in any section.
  let crossLength: Double
  /// The room before the first group and after the last of an orthogonal section, in points.
  let orthogonalInsets: (start: Double, end: Double)
  /// The size to which the group's fractions refer.
  let container: Size
  /// Along which axes some items have estimated lengths.
  let isEstimated: (width: Bool, height: Bool)
  /// How many levels of lengths the section's groups share.
  let uniformLevels: Int
  let header: BoundarySolver
  /// Whether sections at different indices look different, because backgrounds name the sections
  /// that they are behind or lift.
  let isIndexed: Bool
  /// The kinds of the badges on groups, as indices into `SectionedLayout.elementKinds`.
  let groupBadgeKinds: [Int]
  private let repeatingGroup = RepeatingGroup()

  /// Prepares an entry.
  ///
  /// - Parameter reference: the layout's, for sections that have none of their own.
  init(
    _ section: CompositionalSection,
    reference: InsetsReference,
    kinds: KindIndices,
    environment: SectionEnvironment
  ) {
    let axis = environment.axis
    let list = section.list
    let section = section.resolved
    let insets = DimensionResolver.insets(section.contentInsets)
    let margins = environment.margins(of: section.insetsReference(orElse: reference))
    self.section = section
    isOrthogonal = section.orthogonalScrolling != .none
    interGroupSpacing = DimensionResolver.length(section.interGroupSpacing)
    mainInsets = (axis.mainStart(insets), axis.mainEnd(insets))
    orthogonalInsets = (
      margins.start + axis.crossStart(insets), margins.end + axis.crossEnd(insets)
    )
    let followed: (start: Double, end: Double) =
      switch section.supplementaryContentInsetsReference {
      case .automatic:
        section.supplementariesFollowContentInsets ? orthogonalInsets : (start: 0, end: 0)
      case let reference: environment.margins(of: reference)
      }
    header = BoundarySolver(
      section.boundarySupplementaryItems,
      kinds: kinds,
      crossStart: followed.start,
      crossLength: environment.crossLength - followed.start - followed.end,
      padding: DimensionResolver.length(list?.paddingAboveHeader ?? 0),
      environment: environment
    )
    let narrowed = isOrthogonal ? margins : orthogonalInsets
    crossStart = isOrthogonal ? 0 : narrowed.start
    crossLength = max(0, environment.crossLength - narrowed.start - narrowed.end)
    // The section's insets narrow the container only across the axis in which groups follow each
    // other, as recorded from UIKit.
    let mainNarrowing = isOrthogonal ? mainInsets.start + mainInsets.end : 0
    container = axis.size(
      main: max(0, environment.mainLength - mainNarrowing),
      cross: crossLength
    )
    isEstimated = section.group.estimatedItemAxes()
    uniformLevels = section.group.uniformLevels
    if let list {
      rows = ListRows(
        list,
        crossLength: crossLength,
        spacing: interGroupSpacing,
        kinds: kinds,
        environment: environment
      )
    } else {
      rows = nil
    }
    isIndexed =
      section.backgrounds.prefix(CompositionalLayout.Limit.backgrounds)
      .contains { $0.sections != nil }
      || environment.options.usedSectionBackgrounds.contains { $0.sections != nil }
    var badgeKinds: [Int] = []
    section.group.forEachBadge { badge, isOfGroup in
      guard isOfGroup, let kind = kinds[badge.kind], !badgeKinds.contains(kind) else { return }
      badgeKinds.append(kind)
    }
    groupBadgeKinds = badgeKinds
  }

  /// The group without measured items. It is solved when the first section needs it, since a layout
  /// may have many templates and use few.
  func repeatingGroup(
    kinds: KindIndices,
    environment: SectionEnvironment,
    work: LayoutWork
  ) -> RepeatingGroup.Solved {
    repeatingGroup.value(work) {
      let pattern = solve(
        with: GroupSolver(pixelGrid: environment.pixelGrid, kinds: kinds, work: work),
        environment: environment
      )
      work.keep(bytes: pattern.byteCount)
      return RepeatingGroup.Solved(
        pattern: pattern,
        effectReach: ItemEffects(section.visibleItemEffects).reach(of: pattern),
        shape: GroupShape(self, pattern: pattern, environment: environment)
      )
    }
  }

  /// The memory that it takes beyond the layout's parameters, in bytes: an estimate.
  var byteCount: Int {
    MemoryLayout<SectionTemplate>.stride + header.byteCount
      + groupBadgeKinds.count * MemoryLayout<Int>.stride + repeatingGroup.byteCount
      + (rows?.separators?.byteCount ?? 0)
  }

  /// Whether sections with the same item summary look the same.
  func followsFromSummary(of items: ItemSequence) -> Bool {
    let summary = items.summary
    return !(isEstimated.width && summary.width == .varying)
      && !(isEstimated.height && summary.height == .varying)
  }

  /// Solves one group. If the solver's work is stopped meanwhile, the pattern is incomplete.
  func solve(with solver: GroupSolver, environment: SectionEnvironment) -> GroupPattern {
    var solver = solver
    let axis = environment.axis
    let group = section.group
    let nominal = DimensionResolver.aligned(
      DimensionResolver.size(group.size, in: container),
      of: group.size,
      grid: environment.pixelGrid
    )
    let isUniform = (width: group.size.width.isUniform, height: group.size.height.isUniform)
    let shared = solver.shared[0]
    let size = solver.layOut(
      group,
      extent: .init(
        size: nominal,
        grows: (group.size.width.isEstimated, group.size.height.isEstimated),
        container: container,
        imposed: (
          isUniform.width ? shared.width : nil, isUniform.height ? shared.height : nil
        ),
        isShared: isUniform
      )
    ).size
    solver.report()
    let isDownwards = (axis == .vertical) != isOrthogonal
    let strip: LayoutGroup.Axis = isDownwards ? .vertical : .horizontal
    let along = strip.edges(group.edgeSpacing)
    let across = strip.crossEdges(group.edgeSpacing)
    let breadth = strip.cross(size) + GroupSolver.minimum(across)
    // An orthogonal section is just as long as its group, so no room is left over there.
    let left = isOrthogonal ? 0 : max(0, strip.cross(container) - breadth)
    let sides = (across.start.isFlexible ? 1.0 : 0) + (across.end.isFlexible ? 1.0 : 0)
    let share = sides > 0 && across.start.isFlexible ? left / sides : 0
    let origin = strip.point(
      main: DimensionResolver.length(along.start.minimum),
      cross: DimensionResolver.length(across.start.minimum) + share
    )
    var ordinals: [Int: Int] = [:]
    var badges = solver.badges.map { badge in
      var ordinal: Int?
      if badge.isOfGroup {
        ordinal = ordinals[badge.kind, default: 0]
        ordinals[badge.kind, default: 0] += 1
      }
      return GroupPattern.Badge(
        frame: axis.axisRect(badge.frame.offset(by: origin)),
        kind: badge.kind,
        zIndex: badge.zIndex,
        cell: badge.cell,
        ordinal: ordinal,
        ordinalCount: 0,
        pivot: axis == .vertical
          ? .init(main: badge.pivot.y, cross: badge.pivot.x)
          : .init(main: badge.pivot.x, cross: badge.pivot.y)
      )
    }
    for index in badges.indices where badges[index].ordinal != nil {
      badges[index].ordinalCount = ordinals[badges[index].kind] ?? 1
    }
    return GroupPattern(
      length: strip.main(size) + GroupSolver.minimum(along),
      breadth: breadth,
      cells: solver.cells.map { axis.axisRect($0.offset(by: origin)) },
      badges: badges,
      longest: solver.longest,
      lookahead: max(1, solver.itemsRead - solver.cells.count)
    )
  }
}

/// A template's repeating group once it is solved. All versions of a layout share it.
final class RepeatingGroup: Sendable {
  struct Solved: Sendable {
    /// The group without measured items.
    var pattern: GroupPattern
    /// The greatest distance by which effects let its items reach beyond their frames, in points.
    var effectReach: Double
    /// nil = groups with measured items need patterns of their own.
    var shape: GroupShape?
  }

  private let solved = Mutex<Solved?>(nil)

  /// The group.
  ///
  /// - Parameters:
  ///   - work: the work that needs it. If that is stopped, the group may be incomplete, and is not
  ///     kept for others.
  ///   - solve: called only if the group is not solved yet, and never under a lock: it may pause
  ///     until other computations have had their turn, and these may need the group too. If several
  ///     threads solve it at the same time, all take the result that is there first.
  func value(_ work: LayoutWork, _ solve: () -> Solved) -> Solved {
    if let known = solved.withLock({ $0 }) { return known }
    let value = solve()
    if work.isStopped { return value }
    return solved.withLock { solved in
      let first = solved ?? value
      solved = first
      return first
    }
  }

  var byteCount: Int {
    solved.withLock { $0.map { $0.pattern.byteCount + ($0.shape?.byteCount ?? 0) } ?? 0 }
  }
}

extension LayoutGroup {
  /// Whether some item in the group has an estimated width, and whether one has an estimated
  /// height.
  func estimatedItemAxes(depth: Int = 1) -> (width: Bool, height: Bool) {
    var result = (width: false, height: false)
    guard depth <= CompositionalLayout.Limit.depth else { return result }
    for subitem in subitems {
      switch subitem {
      case .unspecified: break
      case .item(let item):
        result.width = result.width || item.size.width.isEstimated
        result.height = result.height || item.size.height.isEstimated
      case .group(let group):
        let below = group.estimatedItemAxes(depth: depth + 1)
        result = (result.width || below.width, result.height || below.height)
      }
    }
    return result
  }
}
