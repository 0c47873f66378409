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
  let sections: SummaryTree<SectionNode>
  let margins: SolvedSection.Overhang
  let globalElements: [SectionElement]
  let placement: SectionPlacement
  /// How far elements reach beyond the spans of their sections.
  let overhang: SolvedSection.Overhang

  /// Solves every section.
  ///
  /// - Complexity: O(sections) calls of `solve`, less those that share a result.
  init(layout: Layout, context: LayoutContext) {
    let environment = SectionEnvironment(
      axis: layout.scrollAxis,
      container: context.container,
      options: context.options
    )
    let plan = layout.plan(for: environment)
    var solver = SectionSolver(layout: layout, plan: plan, environment: environment)
    self.init(
      layout: layout,
      context: context,
      environment: environment,
      plan: plan,
      sections: SummaryTree(
        solver.solve(0 ..< context.contents.sectionCount, of: context.contents)
      )
    )
  }

  /// Puts solved sections together.
  init(
    layout: Layout,
    context: LayoutContext,
    environment: SectionEnvironment,
    plan: Layout.Plan,
    sections: SummaryTree<SectionNode>
  ) {
    self.layout = layout
    self.context = context
    self.environment = environment
    self.plan = plan
    self.sections = sections
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
    var kinds = layout.elementKinds
    var overhang = total.overhang
    for background in context.options.sectionBackgrounds {
      if !kinds.contains(background.kind) { kinds.append(background.kind) }
      overhang = overhang.union(
        SolvedSection.Overhang(
          start: -environment.axis.mainStart(background.insets),
          end: -environment.axis.mainEnd(background.insets)
        )
      )
    }
    ownKinds = kinds
    self.overhang = overhang
  }

  public var kindNames: [String] { context.contents.cellKindNames + ownKinds }
  public var scrollAxis: ScrollAxis? { environment.axis }
  public var scrollDependence: ScrollDependence { layout.scrollDependence }
  public var pageSpacing: Double { layout.pageSpacing }
  public var sectionCount: Int { sections.count }

  public var byteCount: Int { 256 + sections.summary.byteCount }

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
