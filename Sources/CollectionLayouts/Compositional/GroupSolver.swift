// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Solves one group: sizes its items, fills the group along its axis, and shares out the room left
/// over.
///
/// It works in x and y from left to right, relative to the group's own corner. Sizes are rounded to
/// pixels as they are found, while positions add up exactly and are rounded when elements are
/// handed out, as recorded from UIKit. Whether an item still fits is decided by lengths before
/// rounding.
struct GroupSolver {
  typealias Limit = CompositionalLayout.Limit

  let pixelGrid: PixelGrid?
  /// Indices of the layout's element kinds by name.
  let kinds: KindIndices
  /// The measured sizes of the section's items; nil = nothing was measured.
  var measured: MeasuredSizeReader?
  /// The section's item that is the first of the group.
  var firstItem = 0
  /// The lengths that siblings in all groups of the section share, as far as they are known.
  var shared = UniformLengths()
  /// Whether to look for the longest lengths at each level of `shared`.
  var findsLongest = false
  /// The longest lengths found at each level of `shared`.
  private(set) var longest = UniformLengths()

  /// The frames of the items laid out so far.
  var cells: [Rect] = []
  /// The badges placed so far.
  var badges: [Badge] = []
  /// The number of badges on the subitems laid out so far, whether they are placed or not.
  var badgeCount = 0
  /// How many items from the group's first one on it depends on: those whose measured sizes were
  /// asked for, also of subitems that did not fit.
  var itemsRead = 0
  /// What is left of a budget of which each subitem that is tried takes one. It ends groups whose
  /// items take no room.
  private(set) var steps = Limit.stepsPerGroup
  /// Is told of the steps while the group is laid out, which may end that early.
  private let work: LayoutWork
  /// The part of `workSteps` that `work` was told of.
  private var reportedSteps = 0
  private var isStopped = false

  init(pixelGrid: PixelGrid?, kinds: KindIndices, work: LayoutWork) {
    self.pixelGrid = pixelGrid
    self.kinds = kinds
    self.work = work
  }

  /// A supplementary element on an item or a group.
  struct Badge {
    var frame: Rect
    /// Index into `SectionedLayout.elementKinds`.
    var kind: Int
    var zIndex: Int32
    /// The item that it is on, or the first item of the group that it is on.
    var cell: Int
    var isOfGroup: Bool
    /// See `DimensionResolver.pivot(of:)`; nil along an axis where its length is not an estimate.
    var pivot: (x: Double?, y: Double?)
  }

  /// A sized subitem that has no place yet. A group may have thousands of them.
  struct Subitem {
    /// The index of its description in `LayoutGroup.subitems`.
    var position: Int
    var size: Size
    /// The size before it was rounded to pixels.
    var exact: Size
    var isMeasured: (width: Bool, height: Bool)
    var isUniform: (width: Bool, height: Bool)
    var cells: Range<Int>
    var badges: Range<Int>

    /// Whether the lengths of its siblings are others than its own.
    func isStretched(by lengths: UniformLengths.Pair) -> Bool {
      (isUniform.width && lengths.width.map { $0 != size.width } ?? false)
        || (isUniform.height && lengths.height.map { $0 != size.height } ?? false)
    }

    /// Takes the lengths of its siblings along the axes in which it is uniform.
    mutating func stretch(to lengths: UniformLengths.Pair) {
      if isUniform.width, let width = lengths.width {
        size.width = width
        isMeasured.width = true
      }
      if isUniform.height, let height = lengths.height {
        size.height = height
        isMeasured.height = true
      }
    }
  }

  /// A group's size and whether it may change.
  struct Extent {
    var size: Size
    /// Along which axes the group's length is an estimate.
    var grows: (width: Bool, height: Bool)
    /// The size of what contains the group, of which fractions of the group's badges are taken.
    var container: Size
    /// The lengths that the group's siblings impose on it; nil = none.
    var imposed: UniformLengths.Pair = (nil, nil)
    /// Along which axes the group and all that it is in have a uniform length, so that its subitems
    /// are siblings of those of the section's other groups.
    var isShared = (width: false, height: false)
  }

  /// What the subitems of a group have in common.
  struct Siblings {
    /// The group's level; that of its subitems in `UniformLengths`.
    var depth: Int
    /// Along which axes the group's length is an estimate.
    var grows: (width: Bool, height: Bool)
    /// As that of the group's extent.
    var isShared: (width: Bool, height: Bool)
    /// The lengths of uniform subitems; nil = they are not known yet.
    var lengths: UniformLengths.Pair
  }

  /// Lays out a group and its subitems. Appends their cells and badges in the group's own
  /// coordinates.
  ///
  /// - Parameter isRepeated: whether this is the second pass of a group that has grown.
  /// - Returns: the group's size and whether it was measured.
  mutating func layOut(
    _ group: LayoutGroup,
    extent: Extent,
    depth: Int = 1,
    isRepeated: Bool = false
  ) -> (size: Size, isMeasured: (width: Bool, height: Bool)) {
    let start = mark
    badgeCount += group.supplementaryItems.count
    if !group.customFrames.isEmpty {
      layOutCustom(group)
      let size = extent.size.imposing(extent.imposed)
      let inner = innerRect(of: group, size: size, grows: (false, false))
      addBadges(of: group, host: inner, in: extent.container, cell: start.cells)
      return (size, (false, false))
    }
    let axis = group.axis ?? .horizontal
    let nominal = axis.size(
      main: axis.main(extent.size),
      cross: axis.cross(extent.size.imposing(extent.imposed))
    )
    let inner = innerRect(of: group, size: nominal, grows: extent.grows).size
    let subitems = sizedSubitems(of: group, axis: axis, inner: inner, extent: extent, depth: depth)
    let content = contentSize(of: subitems, in: group, axis: axis)
    let isMeasured = (
      width: extent.grows.width && subitems.contains { $0.isMeasured.width },
      height: extent.grows.height && subitems.contains { $0.isMeasured.height }
    )
    // Along its own axis an estimated group is as long as what it holds, measured or not.
    let size = axis.size(
      main: axis.main(axis.of(extent.grows) ? content : nominal),
      cross: axis.cross(axis.across(isMeasured) ? content : nominal)
    ).imposing(extent.imposed)
    if !isRepeated, axis.cross(size) != axis.cross(nominal), hasFractions(group, across: axis) {
      // Fractions of a length that has grown refer to the length that it has now.
      truncate(to: start)
      var grown = extent
      grown.size = axis.size(main: axis.main(nominal), cross: axis.cross(size))
      return layOut(group, extent: grown, depth: depth, isRepeated: true)
    }
    if depth == 1 { raiseLongest(0, to: size, isMeasured, isShared: extent.isShared) }
    let final = innerRect(of: group, size: size, grows: extent.grows)
    place(subitems, of: group, axis: axis, in: final)
    addBadges(of: group, host: final, in: extent.container, cell: start.cells)
    return (size, isMeasured)
  }

  /// Fills a group and gives uniform subitems the longest length among their siblings.
  ///
  /// - Parameter inner: the group's size less its insets.
  private mutating func sizedSubitems(
    of group: LayoutGroup,
    axis: LayoutGroup.Axis,
    inner: Size,
    extent: Extent,
    depth: Int
  ) -> [Subitem] {
    let start = mark
    let shared = shared[depth]
    var siblings = Siblings(
      depth: depth,
      grows: extent.grows,
      isShared: extent.isShared,
      lengths: (
        extent.isShared.width ? shared.width : nil, extent.isShared.height ? shared.height : nil
      )
    )
    var subitems = fill(group, axis: axis, inner: inner, siblings: siblings)
    siblings.lengths = longest(of: subitems, siblings)
    let hasStretchedGroup = subitems.contains { subitem in
      group.subitems[subitem.position].isGroup && subitem.isStretched(by: siblings.lengths)
    }
    if hasStretchedGroup {
      // What is in a group depends on its length, so a group that grows is laid out again.
      truncate(to: start)
      subitems = fill(group, axis: axis, inner: inner, siblings: siblings)
      siblings.lengths = longest(of: subitems, siblings)
    }
    for index in subitems.indices { subitems[index].stretch(to: siblings.lengths) }
    return subitems
  }

  /// Notes a length at a level of the lengths that the section's groups share.
  mutating func raiseLongest(
    _ level: Int,
    to size: Size,
    _ isMeasured: (width: Bool, height: Bool),
    isShared: (width: Bool, height: Bool)
  ) {
    guard findsLongest, isShared.width || isShared.height else { return }
    longest.raise(
      level,
      to: (
        isShared.width && isMeasured.width ? size.width : nil,
        isShared.height && isMeasured.height ? size.height : nil
      )
    )
  }

  // MARK: - Sizes

  /// The size that subitems take together, those included for which the section has no items.
  private func contentSize(
    of subitems: [Subitem],
    in group: LayoutGroup,
    axis: LayoutGroup.Axis
  ) -> Size {
    let spacing = DimensionResolver.length(group.interitemSpacing.minimum)
    var main = Double(max(0, subitems.count - 1)) * spacing
    var cross = 0.0
    for subitem in subitems {
      let edges = group.subitems[subitem.position].edgeSpacing
      main += axis.main(subitem.size) + Self.minimum(axis.edges(edges))
      cross = max(cross, axis.cross(subitem.size) + Self.minimum(axis.crossEdges(edges)))
    }
    return axis.size(main: main, cross: cross)
  }

  /// A group less its insets. Insets are ignored along an axis in which the group grows with its
  /// content.
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

  /// Whether a subitem has a dimension that is a fraction of the group's length across its axis.
  private func hasFractions(_ group: LayoutGroup, across axis: LayoutGroup.Axis) -> Bool {
    func isAcross(_ dimension: LayoutDimension) -> Bool {
      switch dimension {
      case .fractionalWidth: axis == .vertical
      case .fractionalHeight: axis == .horizontal
      default: false
      }
    }
    return group.subitems.contains { subitem in
      subitem.size.map { isAcross($0.width) || isAcross($0.height) } ?? false
    }
  }

  /// The least room that two edges take together, in points.
  static func minimum(_ edges: (start: LayoutSpacing, end: LayoutSpacing)) -> Double {
    DimensionResolver.length(edges.start.minimum) + DimensionResolver.length(edges.end.minimum)
  }

  /// A state of the solver to return to.
  struct Mark {
    var cells: Int
    var badges: Int
    var badgeCount: Int
    var longest: UniformLengths
  }

  /// The current state.
  var mark: Mark {
    Mark(
      cells: cells.count,
      badges: badges.count,
      badgeCount: badgeCount,
      longest: longest
    )
  }

  /// Drops what was laid out since a mark.
  mutating func truncate(to mark: Mark) {
    cells.removeSubrange(mark.cells...)
    badges.removeSubrange(mark.badges...)
    badgeCount = mark.badgeCount
    longest = mark.longest
  }

  /// What it took to lay a group out so far, in steps of `LayoutWork`. A subitem that is tried
  /// takes several, in every pass, and a group by itself as many as a subitem, since a pattern is
  /// made of it.
  private var workSteps: Int { 16 + 16 * (Limit.stepsPerGroup - steps) + badges.count }

  /// Counts subitems that were tried. The group is full once the work has been stopped.
  mutating func spend(_ count: Int = 1) {
    steps -= count
    if workSteps - reportedSteps >= Self.stepsBetweenReports { report() }
  }

  private static let stepsBetweenReports = 1024

  /// Tells the work of the steps that it does not know of yet.
  mutating func report() {
    let taken = workSteps
    if !work.proceed(taken - reportedSteps) { isStopped = true }
    reportedSteps = taken
  }

  /// Whether the group takes no more items.
  var isFull: Bool {
    steps <= 0 || isStopped || cells.count >= Limit.itemsPerGroup
      || badgeCount >= Limit.badgesPerGroup
  }
}

extension Size {
  /// The size with other lengths where there are any.
  fileprivate func imposing(_ lengths: UniformLengths.Pair) -> Size {
    Size(width: lengths.width ?? width, height: lengths.height ?? height)
  }
}
