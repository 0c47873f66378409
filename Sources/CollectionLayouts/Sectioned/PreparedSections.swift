// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// A stack of solved sections: the prepared layout of every `SectionedLayout`.
public struct PreparedSections<Layout: SectionedLayout>: PreparedLayout {
  /// The layout that solved the sections.
  public let layout: Layout
  /// The contents, container and options that it was prepared for.
  public let context: LayoutContext
  /// What all sections have in common.
  public let environment: SectionEnvironment
  /// What the layout worked out once for all sections.
  public let plan: Layout.Plan
  /// The size of the whole content, in points.
  public let contentSize: Size
  /// The layout's own kinds, followed by those kinds of `LayoutOptions.sectionBackgrounds` that the
  /// layout does not have.
  let ownKinds: [String]
  let backgrounds: SectionBackgrounds
  /// For each kind of `backgrounds` its index in `ownKinds`.
  let backgroundKinds: [Int]
  /// How attributes depend on the viewport's offset, as the layout says.
  public let scrollDependence: ScrollDependence
  let sections: SummaryTree<SectionNode>
  let margins: SolvedSection.Overhang
  let globalElements: [SectionElement]
  let placement: SectionPlacement
  /// The greatest distances by which elements stick out of their sections.
  let overhang: SolvedSection.Overhang

  /// Solves every section by the layout's plan.
  ///
  /// - Complexity: O(sections) calls of `solve`; sections that share a result need one call.
  init(layout: Layout, context: LayoutContext, work: LayoutWork) {
    self.init(layout: layout, context: context, work: work) { environment in
      let general = layout.plan(for: environment)
      return layout.plan(general, measuring: context.contents.measuredElements.layout) ?? general
    }
  }

  /// Solves every section.
  ///
  /// - Complexity: O(sections) calls of `solve`; sections that share a result need one call.
  init(
    layout: Layout,
    context: LayoutContext,
    work: LayoutWork,
    planning: (SectionEnvironment) -> Layout.Plan
  ) {
    let environment = SectionEnvironment(
      axis: layout.scrollAxis,
      container: context.container,
      options: context.options,
      cellKindNames: layout.usesCellKinds ? context.contents.cellKindNames : []
    )
    let plan = planning(environment)
    var solver = SectionSolver(
      layout: layout,
      plan: plan,
      environment: environment,
      work: work
    )
    self.init(
      layout: layout,
      context: context,
      environment: environment,
      plan: plan,
      sections: SummaryTree(
        solver.solveInParts(0 ..< context.contents.sectionCount, of: context.contents)
      ),
      names: Names(layout, context.options)
    )
  }

  /// What follows from the layout and its options alone and is shared by all versions.
  struct Names {
    let ownKinds: [String]
    let backgrounds: SectionBackgrounds
    let backgroundKinds: [Int]
    let scrollDependence: ScrollDependence
  }

  /// The part that other versions share.
  var names: Names {
    Names(
      ownKinds: ownKinds,
      backgrounds: backgrounds,
      backgroundKinds: backgroundKinds,
      scrollDependence: scrollDependence
    )
  }

  /// Puts solved sections together.
  init(
    layout: Layout,
    context: LayoutContext,
    environment: SectionEnvironment,
    plan: Layout.Plan,
    sections: SummaryTree<SectionNode>,
    names: Names
  ) {
    self.layout = layout
    self.context = context
    self.environment = environment
    self.plan = plan
    self.sections = sections
    ownKinds = names.ownKinds
    backgrounds = names.backgrounds
    backgroundKinds = names.backgroundKinds
    scrollDependence = names.scrollDependence
    margins = layout.globalMargins(plan: plan, in: environment)
    let total = sections.summary
    let spacing = layout.interSectionSpacing
    let stack = total.count == 0 ? 0 : total.end(spacing: spacing) - spacing
    let least = layout.leastStackLength(plan: plan, in: environment)
    let length = max(0, margins.start + max(stack, least) + margins.end)
    contentSize = environment.axis.size(
      main: layout.contentLength(length, in: environment),
      cross: max(environment.crossLength, total.crossLength)
    )
    globalElements = layout.globalElements(
      contentLength: length,
      plan: plan,
      in: environment
    )
    placement = SectionPlacement(
      axis: environment.axis,
      pixelGrid: environment.pixelGrid,
      isMirrored: context.container.isRightToLeft,
      contentWidth: contentSize.width
    )
    overhang = total.overhang.union(backgrounds.overhang(along: environment.axis))
  }

  /// The kinds of the contents' cells, followed by the layout's own kinds.
  public var kindNames: [String] { context.contents.cellKindNames + ownKinds }
  /// One of them; nil = there is no such kind.
  public func kindName(_ number: Int) -> String? { kindName(number, own: ownKinds) }
  /// The index of a kind in `ownKinds`; nil = there is no such kind.
  func ownKind(named name: String) -> Int? {
    ownKinds.firstIndex { $0.hasSameBytes(as: name) }
  }
  /// The axis along which sections follow each other; nil if some section is wider than the
  /// container.
  public var scrollAxis: ScrollAxis? {
    environment.axis.cross(contentSize) > environment.crossLength ? nil : environment.axis
  }
  /// Whether the content is mirrored and can scroll horizontally.
  public var startsAtRightEdge: Bool {
    context.container.isRightToLeft && scrollAxis != .vertical
  }
  /// Whether queries give items in order, as the layout says.
  public var appendsInOrder: Bool { layout.appendsInOrder }
  /// The distance in points that `ScrollSnap.page` adds to the viewport's extent, as the layout
  /// says.
  public var pageSpacing: Double { layout.pageSpacing }
  /// The number of sections.
  public var sectionCount: Int { sections.count }

  /// The memory that it takes beyond the contents, in bytes: an estimate.
  public var byteCount: Int {
    let names = ownKinds.reduce(0) { $0 + 16 + $1.utf8.count }
    return MemoryLayout<Self>.stride + names + context.options.byteCount
      + context.container.references.byteCount
      + globalElements.count * MemoryLayout<SectionElement>.stride + layout.byteCount(of: plan)
      + sections.summary.byteCount
  }

  /// The offset at which scrolling ends by the layout's own rule; nil = wherever it would end by
  /// itself.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? {
    layout.restingOffset(
      proposed: proposed,
      velocity: velocity,
      section: section,
      viewport: viewport,
      in: self
    )
  }

  /// A solved section and where it starts along the scroll axis, in points; nil if there is no such
  /// section.
  ///
  /// - Complexity: O(log sections)
  public func section(at index: Int) -> (solved: SolvedSection, start: Double)? {
    guard index >= 0, index < sectionCount else { return nil }
    let position = sections.position(at: index)
    return (position.element.solved, start(after: position.prefix))
  }

  /// The index of the section that covers a place along the scroll axis, or else the nearest one;
  /// nil if there are no sections. The spacing after a section counts as part of it.
  ///
  /// - Complexity: O(log sections)
  public func sectionIndex(nearest main: Double) -> Int? {
    guard sectionCount > 0 else { return nil }
    return min(firstSection(endingAfter: main), sectionCount - 1)
  }

  /// Where the next section starts, along the scroll axis.
  ///
  /// - Parameter before: the summary of all sections before it.
  func start(after before: SectionStackSummary) -> Double {
    margins.start + before.end(spacing: layout.interSectionSpacing)
  }

  /// The first section that ends behind a place, including the spacing after it; the number of
  /// sections if there is none.
  func firstSection(endingAfter main: Double) -> Int {
    let spacing = layout.interSectionSpacing
    return sections.firstPosition { margins.start + $0.end(spacing: spacing) > main }?.index
      ?? sectionCount
  }
}

extension PreparedSections.Names {
  init(_ layout: Layout, _ options: LayoutOptions) {
    var kinds = layout.elementKinds
    backgrounds = SectionBackgrounds(options)
    backgroundKinds = backgrounds.kinds.map { kind in
      if let index = kinds.firstIndex(where: { $0.hasSameBytes(as: kind) }) { return index }
      kinds.append(kind)
      return kinds.count - 1
    }
    ownKinds = kinds
    scrollDependence = layout.scrollDependence
  }
}
