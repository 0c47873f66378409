// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension FlowLayout: SectionedLayout {
  /// "flow".
  public var kindName: String { "flow" }
  /// The same as `scrollDirection`.
  public var scrollAxis: ScrollAxis { scrollDirection }
  /// Lines are visited in order, and items in a line as well.
  public var appendsInOrder: Bool { true }
  /// Headers and footers.
  public var elementKinds: [String] { SectionSurroundings.elementKinds }
  /// The distance between lines, in points.
  public var pageSpacing: Double { minimumLineSpacing }

  /// Pinned elements, if headers or footers pin; otherwise nothing.
  public var scrollDependence: ScrollDependence {
    sectionHeadersPinToVisibleBounds || sectionFootersPinToVisibleBounds ? .pinnedElements : .none
  }

  /// Breaks the items of a section into lines.
  ///
  /// - Complexity: O(items), or O(chunks) if all items have one size.
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, in: environment).solve(section.items, work: work)
  }

  /// Breaks lines again from each edited line on, until one starts where an old line did.
  ///
  /// - Complexity: O(items of the new lines + log items) if sizes differ, else O(chunks).
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
