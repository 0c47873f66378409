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
    let environment = SectionEnvironment(
      axis: scrollAxis,
      container: context.container,
      options: context.options
    )
    let estimate = estimate(from: context.contents)
    var solver = SectionSolver(
      layout: self,
      plan: estimate,
      environment: environment,
      work: work
    )
    let all = 0 ..< context.contents.sectionCount
    return PreparedSections(
      layout: self,
      context: context,
      environment: environment,
      plan: estimate,
      sections: SummaryTree(solver.solveInParts(all, of: context.contents)),
      names: PreparedSections.Names(self, context.options)
    )
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
    var nodes: [SectionNode] = []
    nodes.reserveCapacity(sections.count)
    var old = sections.makeIterator()
    var last: (old: SolvedSection, new: SolvedSection)?
    context.contents.forEachSection(in: 0 ..< sections.count) { index, section in
      guard let node = old.next() else { return false }
      let body = node.solved.body as? LinesBody
      guard let body, section.items.summary.lackingCount > 0, body.rule.defaultSize != size else {
        nodes.append(node)
        return work.proceed(1)
      }
      if let last, last.old === node.solved {
        nodes.append(
          SectionNode(solved: last.new, indexPeriod: node.indexPeriod, isShared: true)
        )
        return work.proceed(1)
      }
      let solved = layout.update(
        node.solved,
        to: section,
        by: SectionUpdate(itemSplices: [], metricsChanged: false),
        at: index,
        plan: plan,
        in: environment,
        work: work
      )
      last = (node.solved, solved)
      nodes.append(SectionNode(solved: solved, indexPeriod: node.indexPeriod))
      return work.keep(bytes: solved.byteCount) && work.proceed(1)
    }
    return with(SummaryTree(nodes), assuming: plan)
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
