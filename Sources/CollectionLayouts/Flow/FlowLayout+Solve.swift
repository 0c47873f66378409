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
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, in: environment).solve(section.items, work: work)
  }

  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, in: environment)
      .update(solved, to: section.items, by: change, work: work)
  }

  private func lines(
    _ metrics: SectionMetrics,
    in environment: SectionEnvironment
  ) -> LinesSection {
    let surroundings = surroundings(metrics, in: environment)
    return LinesSection(
      surroundings: surroundings,
      rule: rule(metrics, surroundings, in: environment),
      arrangement: arrangement,
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
