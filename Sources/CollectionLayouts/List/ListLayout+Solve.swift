// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension ListLayout: SectionedLayout {
  /// "list".
  public var kindName: String { "list" }
  /// Lists always scroll vertically.
  public var scrollAxis: ScrollAxis { .vertical }
  /// Lines are visited in order, and items in a line as well.
  public var appendsInOrder: Bool { true }
  /// Headers, footers and separators.
  public var elementKinds: [String] {
    SectionSurroundings.elementKinds + [StandardKind.separator]
  }
  /// The distance between rows, in points.
  public var pageSpacing: Double { rowSpacing }

  /// Pinned elements, if headers or footers pin; otherwise nothing.
  public var scrollDependence: ScrollDependence {
    headersPinToVisibleBounds || footersPinToVisibleBounds ? .pinnedElements : .none
  }

  /// Makes the separators, which all sections share.
  public func plan(for environment: SectionEnvironment) -> ListPlan {
    ListPlan(
      separators: RowSeparators(
        kind: SectionSurroundings.elementKinds.count,
        thickness: environment.pixelAligned(separatorThickness),
        standard: ListSeparator(bottomInsets: separatorInsets),
        axis: scrollAxis
      )
    )
  }

  /// The memory that a plan takes, in bytes: an estimate.
  public func byteCount(of plan: ListPlan) -> Int { plan.separators?.byteCount ?? 0 }

  /// Puts the items of a section into rows.
  ///
  /// - Complexity: O(items), or O(chunks) if all rows have one height.
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: ListPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, plan, in: environment).solve(section.items, work: work)
  }

  /// Solves the edited rows and shares the others.
  ///
  /// - Complexity: O(edited items + log items) if heights differ, else O(chunks).
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: ListPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, plan, in: environment)
      .update(solved, to: section.items, by: change, work: work)
  }

  private func lines(
    _ metrics: SectionMetrics,
    _ plan: ListPlan,
    in environment: SectionEnvironment
  ) -> LinesSection {
    let surroundings = surroundings(metrics, in: environment)
    return LinesSection(
      surroundings: surroundings,
      rule: rule(metrics, surroundings, in: environment),
      arrangement: .rows(plan.separators),
      environment: environment
    )
  }

  private func surroundings(
    _ metrics: SectionMetrics,
    in environment: SectionEnvironment
  ) -> SectionSurroundings {
    SectionSurroundings(
      metrics,
      inset: sectionInset,
      headerSize: Size(width: 0, height: headerHeight),
      footerSize: Size(width: 0, height: footerHeight),
      pinsHeader: headersPinToVisibleBounds,
      pinsFooter: footersPinToVisibleBounds,
      in: environment
    )
  }

  private func rule(
    _ metrics: SectionMetrics,
    _ surroundings: SectionSurroundings,
    in environment: SectionEnvironment
  ) -> LineRule {
    LineRule(
      axis: .vertical,
      extent: surroundings.crossLength(in: environment),
      itemSpacing: 0,
      lineSpacing: max(0, metrics.lineSpacing ?? rowSpacing),
      defaultSize: Size(width: 0, height: environment.pixelAligned(rowHeight)),
      isList: true,
      pixelGrid: environment.pixelGrid
    )
  }
}

/// What all sections of a list have in common for one container.
public struct ListPlan: Sendable {
  /// nil = rows have none.
  let separators: RowSeparators?
}
