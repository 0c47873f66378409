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

  /// The references that section insets are measured from.
  public func significantReferences(of container: LayoutContainer) -> ReferenceInsets {
    container.references([sectionInsetReference], across: scrollAxis, isClamped: false)
  }

  /// Cuts a part of a pixel off, as UIKit does. Lengths of items are whole pixels, but a mean of
  /// measured sizes need not be.
  public func contentLength(_ length: Double, in environment: SectionEnvironment) -> Double {
    environment.pixelGrid?.floor(length) ?? length
  }

  /// Breaks the items of a section into lines.
  ///
  /// - Parameter plan: the mean of the measured sizes; nil = there are none, or they do not count.
  /// - Complexity: O(items), or O(1) if all items have one size.
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: Size?,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, assuming: plan, in: environment).solve(section.items, work: work)
  }

  /// Breaks lines again from each edited line on, until a line starts where an old one did. If the
  /// mean of the measured sizes changed, it also breaks the lines whose items lack sizes; runs of
  /// such items are in closed form.
  ///
  /// - Complexity: O(items of the new lines + log items) if sizes differ, else O(1).
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Size?,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    lines(section.metrics, assuming: plan, in: environment)
      .update(solved, to: section.items, by: change, work: work)
  }

  private func lines(
    _ metrics: SectionMetrics,
    assuming estimate: Size?,
    in environment: SectionEnvironment
  ) -> LinesSection {
    let surroundings = surroundings(metrics, in: environment)
    return LinesSection(
      surroundings: surroundings,
      rule: rule(metrics, surroundings, assuming: estimate, in: environment),
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
      reference: sectionInsetReference,
      headerSize: headerReferenceSize,
      footerSize: footerReferenceSize,
      pinsHeader: sectionHeadersPinToVisibleBounds,
      pinsFooter: sectionFootersPinToVisibleBounds,
      pinnedZIndex: pinnedZIndex,
      in: environment
    )
  }

  /// The size of items for which the data gives none.
  ///
  /// - Parameter estimate: the mean of the measured sizes, which is not rounded; nil = there are
  ///   none.
  func defaultSize(_ estimate: Size?, in environment: SectionEnvironment) -> Size {
    let size = estimatedItemSize ?? itemSize
    return estimate
      ?? Size(
        width: environment.pixelAligned(size.width),
        height: environment.pixelAligned(size.height)
      )
  }

  private func rule(
    _ metrics: SectionMetrics,
    _ surroundings: SectionSurroundings,
    assuming estimate: Size?,
    in environment: SectionEnvironment
  ) -> LineRule {
    LineRule(
      axis: scrollDirection,
      extent: surroundings.crossLength(in: environment),
      itemSpacing: max(0, metrics.interitemSpacing ?? minimumInteritemSpacing),
      lineSpacing: max(0, metrics.lineSpacing ?? minimumLineSpacing),
      defaultSize: defaultSize(estimate, in: environment),
      isSelfSizing: estimatedItemSize != nil,
      isList: false,
      pixelGrid: environment.pixelGrid
    )
  }

  private var arrangement: LineArrangement {
    LineArrangement(
      alignment: alignment,
      crossAlignment: crossAlignment
    )
  }
}
