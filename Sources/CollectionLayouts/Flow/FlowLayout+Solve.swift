// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension FlowLayout: SectionedLayout {
  public var kindName: String { "flow" }
  public var scrollAxis: ScrollAxis { scrollDirection }
  public var elementKinds: [String] { SectionSurroundings.elementKinds }
  public var pageSpacing: Double { minimumLineSpacing }

  public var scrollDependence: ScrollDependence {
    sectionHeadersPinToVisibleBounds || sectionFootersPinToVisibleBounds ? .pinnedElements : .none
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
      arrangement: arrangement
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
    surroundings.section(
      body,
      itemCount: section.items.count,
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
      headerSize: headerReferenceSize,
      footerSize: footerReferenceSize,
      pinsHeader: sectionHeadersPinToVisibleBounds,
      pinsFooter: sectionFootersPinToVisibleBounds,
      pinnedZIndex: pinnedZIndex,
      in: environment
    )
  }

  private func rule(
    _ metrics: SectionMetrics,
    _ surroundings: SectionSurroundings,
    in environment: SectionEnvironment
  ) -> LineRule {
    LineRule(
      axis: scrollDirection,
      extent: surroundings.crossLength(in: environment),
      itemSpacing: max(0, metrics.interitemSpacing ?? minimumInteritemSpacing),
      lineSpacing: max(0, metrics.lineSpacing ?? minimumLineSpacing),
      defaultSize: estimatedItemSize ?? itemSize,
      isList: false,
      pixelGrid: environment.pixelGrid
    )
  }

  private var arrangement: LineArrangement {
    LineArrangement(
      alignment: alignment,
      crossAlignment: crossAlignment,
      isSelfSizing: estimatedItemSize != nil
    )
  }
}
