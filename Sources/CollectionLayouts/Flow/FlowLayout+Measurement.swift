// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension FlowLayout {
  /// Whether the element is a cell and the layout has an estimated item size.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    estimatedItemSize != nil && key.category == .cell
  }

  /// Whether the layout has an estimated item size.
  public var averagesMeasurements: Bool { estimatedItemSize != nil }

  /// Nothing has been measured yet.
  public func plan(for environment: SectionEnvironment) -> Size? { nil }

  /// Breaks the changed lines again and shares the others.
  ///
  /// - Parameter work: told of the items by the thousand. Once it has stopped, the result must not
  ///   be used.
  public func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    if let sections = prepared as? PreparedSections<FlowLayout> {
      return sections.updated(by: change, assuming: estimate(from: change.new), work: work)
    }
    var context = prepared.context
    context.contents = change.new
    return placed(context, within: work)
  }

  /// Breaks the items of all sections into lines.
  ///
  /// - Parameter work: as for `derived(from:by:within:)`.
  public func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout {
    let estimate = estimate(from: context.contents)
    return PreparedSections(layout: self, context: context, work: work) { _ in estimate }
  }

  /// The size that items without one are assumed to have, from what was measured.
  private func estimate(from contents: CollectionContents) -> Size? {
    averagesMeasurements ? contents.measuredItemSize : nil
  }
}

extension PreparedSections<FlowLayout> {
  /// The layout after a change of the contents. The change may also have moved the mean of the
  /// measured sizes.
  ///
  /// - Parameter estimate: the mean after the change.
  /// - Parameter work: told of every section. Once it has stopped, the result must not be used.
  /// - Complexity: that of the change; also O(sections + r log items) for r runs of items that lack
  ///   sizes, if the mean changed.
  fileprivate func updated(
    by change: ContentsChange,
    assuming estimate: Size?,
    work: LayoutWork
  ) -> PreparedSections {
    guard estimate != plan else { return updated(by: change, work: work) }
    // Sections that the change touches are solved with the new mean, all others afterwards.
    let updated = with(sections, assuming: estimate).updated(by: change, work: work)
    guard !work.isStopped else { return self }
    return updated.reestimated(work: work)
  }

  /// Solves the sections again that have items without sizes and were solved with another mean.
  private func reestimated(work: LayoutWork) -> PreparedSections {
    let size = layout.defaultSize(plan, in: environment)
    return reassembled(metricsChanged: false, work: work) { solved, section in
      guard let body = solved.body as? LinesBody else { return false }
      return section.items.summary.lackingCount > 0 && body.rule.defaultSize != size
    }
  }

  /// The same layout of other sections.
  private func with(
    _ sections: SummaryTree<SectionNode>,
    assuming estimate: Size?
  ) -> PreparedSections {
    PreparedSections(
      layout: layout,
      context: context,
      environment: environment,
      plan: estimate,
      sections: sections,
      names: names
    )
  }
}
