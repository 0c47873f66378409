// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// A stack of solved sections: the prepared layout of every `SectionedLayout`.
public struct PreparedSections<Layout: SectionedLayout>: PreparedLayout {
  public let layout: Layout
  public let context: LayoutContext
  public let environment: SectionEnvironment
  public let plan: Layout.Plan
  public let contentSize: Size
  /// The layout's own kinds, then those of `LayoutOptions.sectionBackgrounds`.
  let ownKinds: [String]
  let backgrounds: SectionBackgrounds
  /// Indices into `ownKinds` of the backgrounds' kinds.
  let backgroundKinds: [Int]
  public let scrollDependence: ScrollDependence
  let sections: SummaryTree<SectionNode>
  let margins: SolvedSection.Overhang
  let globalElements: [SectionElement]
  let placement: SectionPlacement
  /// How far elements reach beyond the spans of their sections.
  let overhang: SolvedSection.Overhang

  /// Solves every section.
  ///
  /// - Complexity: O(sections) calls of `solve`, less those that share a result.
  init(layout: Layout, context: LayoutContext, work: LayoutWork) {
    let environment = SectionEnvironment(
      axis: layout.scrollAxis,
      container: context.container,
      options: context.options
    )
    let plan = layout.plan(for: environment)
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
        solver.solve(0 ..< context.contents.sectionCount, of: context.contents)
      ),
      names: Names(layout, context.options)
    )
  }

  /// What follows from the layout alone, for all versions.
  struct Names {
    let ownKinds: [String]
    let backgrounds: SectionBackgrounds
    let backgroundKinds: [Int]
    let scrollDependence: ScrollDependence
  }

  /// What it shares with other versions.
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
    let length = max(0, margins.start + stack + margins.end)
    contentSize = environment.axis.size(main: length, cross: environment.crossLength)
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
    overhang = total.overhang.union(
      SolvedSection.Overhang(
        start: backgrounds.reach(environment.axis.mainStart),
        end: backgrounds.reach(environment.axis.mainEnd)
      )
    )
  }

  public var kindNames: [String] { context.contents.cellKindNames + ownKinds }
  public var scrollAxis: ScrollAxis? { environment.axis }
  public var pageSpacing: Double { layout.pageSpacing }
  public var sectionCount: Int { sections.count }

  public var byteCount: Int {
    let names = ownKinds.reduce(0) { $0 + 16 + $1.utf8.count }
    return MemoryLayout<Self>.stride + names + context.options.byteCount
      + globalElements.count * MemoryLayout<SectionElement>.stride + layout.byteCount(of: plan)
      + sections.summary.byteCount
  }

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

  /// A section as it was solved, and where it starts along the scroll axis; nil outside.
  ///
  /// - Complexity: O(log sections)
  public func section(at index: Int) -> (solved: SolvedSection, start: Double)? {
    guard index >= 0, index < sectionCount else { return nil }
    let position = sections.position(at: index)
    return (position.element.solved, start(after: position.prefix))
  }

  /// The section that reaches over a place along the scroll axis, or the one nearest to it.
  ///
  /// - Complexity: O(log sections)
  public func sectionIndex(nearest main: Double) -> Int? {
    guard sectionCount > 0 else { return nil }
    return min(firstSection(endingAfter: main), sectionCount - 1)
  }

  /// Where the section after those summarised starts.
  func start(after before: SectionStackSummary) -> Double {
    margins.start + before.end(spacing: layout.interSectionSpacing)
  }

  /// The first section whose end and the spacing after it lie beyond a place; the count if none.
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
      if let index = kinds.firstIndex(of: kind) { return index }
      kinds.append(kind)
      return kinds.count - 1
    }
    ownKinds = kinds
    scrollDependence = layout.scrollDependence
  }
}
