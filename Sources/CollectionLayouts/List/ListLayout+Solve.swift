// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension ListLayout: SectionedLayout {
  public var kindName: String { "list" }
  public var scrollAxis: ScrollAxis { .vertical }
  public var elementKinds: [String] {
    SectionSurroundings.elementKinds + [StandardKind.separator]
  }
  public var pageSpacing: Double { rowSpacing }

  public var scrollDependence: ScrollDependence {
    headersPinToVisibleBounds || footersPinToVisibleBounds ? .pinnedElements : .none
  }

  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment
  ) -> SolvedSection {
    let surroundings = surroundings(section.metrics, in: environment)
    let body = LinesBody(
      section.items,
      rule: rule(section.metrics, surroundings, in: environment),
      arrangement: arrangement(in: environment)
    )
    return solved(section, surroundings: surroundings, body: body, in: environment)
  }

  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment
  ) -> SolvedSection {
    let surroundings = surroundings(section.metrics, in: environment)
    guard let body = solved.body as? LinesBody,
      body.rule == rule(section.metrics, surroundings, in: environment)
    else { return solve(section, at: index, plan: plan, in: environment) }
    return self.solved(
      section,
      surroundings: surroundings,
      body: body.updated(to: section.items, splices: change.itemSplices),
      in: environment
    )
  }

  private func solved(
    _ section: SectionContents,
    surroundings: SectionSurroundings,
    body: LinesBody,
    in environment: SectionEnvironment
  ) -> SolvedSection {
    // A separator may be thicker than the rows after it are high.
    surroundings.section(
      body,
      itemCount: section.items.count,
      overhang: SolvedSection.Overhang(
        start: 0,
        end: body.arrangement.separator?.thickness ?? 0
      ),
      isShareable: body.isShareable,
      in: environment
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
      defaultSize: Size(width: 0, height: rowHeight),
      isList: true,
      pixelGrid: environment.pixelGrid
    )
  }

  private func arrangement(in environment: SectionEnvironment) -> LineArrangement {
    let thickness = environment.pixelAligned(separatorThickness)
    return LineArrangement(
      alignment: .leading,
      crossAlignment: .start,
      isSelfSizing: false,
      separator: thickness > 0
        ? LineArrangement.Separator(
          kind: SectionSurroundings.elementKinds.count,
          thickness: thickness,
          insets: separatorInsets
        )
        : nil
    )
  }
}
