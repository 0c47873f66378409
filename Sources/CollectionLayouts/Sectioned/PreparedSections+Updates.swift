// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension PreparedSections {
  /// The layout after a change of the contents. It shares the sections that did not change.
  ///
  /// - Parameter isDraft: whether a draft is enough. Otherwise the result is finished, even if this
  ///   is a draft.
  /// - Parameter work: told of every section. Once it has stopped, the result must not be used.
  /// - Complexity: O(c · log sections) for c changed sections, plus the cost of solving them.
  func updated(
    by change: ContentsChange,
    isDraft: Bool = false,
    work: LayoutWork
  ) -> PreparedSections {
    let names = change.new.cellKindNames
    guard layout.usesCellKinds, names != environment.cellKindNames else {
      return updatedWithSameKinds(by: change, isDraft: isDraft, work: work)
    }
    guard names.starts(with: environment.cellKindNames) else {
      // Items may have other kinds by number, though nothing else of them changed.
      var context = context
      context.contents = change.new
      return PreparedSections(layout: layout, context: context, work: work)
    }
    return knowing(cellKindNames: names)
      .updatedWithSameKinds(by: change, isDraft: isDraft, work: work)
  }

  /// The same layout, in an environment with more kinds of cells.
  private func knowing(cellKindNames: [String]) -> PreparedSections {
    let environment = SectionEnvironment(
      axis: environment.axis,
      container: environment.container,
      options: environment.options,
      cellKindNames: cellKindNames
    )
    let general = layout.plan(for: environment, after: plan)
    let measured = context.contents.measuredElements.layout
    return PreparedSections(
      layout: layout,
      context: context,
      environment: environment,
      plan: layout.plan(general, measuring: measured) ?? general,
      sections: sections,
      names: names
    )
  }

  private func updatedWithSameKinds(
    by change: ContentsChange,
    isDraft: Bool,
    work: LayoutWork
  ) -> PreparedSections {
    let measured = change.new.measuredElements.layout
    guard let plan = layout.plan(self.plan, measuring: measured) else {
      return updated(by: change, plan: self.plan, isDraft: isDraft, work: work)
    }
    let updated = updated(by: change, plan: plan, isDraft: isDraft, work: work)
    guard !work.isStopped, !layout.sectionsHold(under: plan, insteadOf: self.plan) else {
      return updated
    }
    return updated.reassembled(work: work)
  }

  /// The same layout, with sections rebuilt from their items, which have not changed.
  ///
  /// - Parameter isOutdated: whether a section has to be rebuilt; the others stay as they are.
  /// - Parameter work: told of every section. Once it has stopped, the result must not be used.
  /// - Complexity: O(sections) calls of `update` without changes to the items
  func reassembled(
    metricsChanged: Bool = true,
    work: LayoutWork,
    where isOutdated: (SolvedSection, SectionContents) -> Bool = { _, _ in true }
  ) -> PreparedSections {
    var nodes: [SectionNode] = []
    nodes.reserveCapacity(sections.count)
    var old = sections.makeIterator()
    var last: (old: SolvedSection, new: SolvedSection)?
    context.contents.forEachSection(in: 0 ..< sections.count) { index, section in
      guard let node = old.next() else { return false }
      guard isOutdated(node.solved, section) else {
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
        by: SectionUpdate(itemSplices: [], metricsChanged: metricsChanged),
        at: index,
        plan: plan,
        in: environment,
        work: work
      )
      last = (node.solved, solved)
      nodes.append(SectionNode(solved: solved, indexPeriod: node.indexPeriod))
      return work.keep(bytes: solved.byteCount) && work.proceed(solved.steps)
    }
    return PreparedSections(
      layout: layout,
      context: context,
      environment: environment,
      plan: plan,
      sections: SummaryTree(nodes),
      names: names
    )
  }

  private func updated(
    by change: ContentsChange,
    plan: Layout.Plan,
    isDraft: Bool,
    work: LayoutWork
  ) -> PreparedSections {
    var context = context
    context.contents = change.new
    var sections = sections
    var solver = SectionSolver(
      layout: layout,
      plan: plan,
      environment: environment,
      work: work
    )
    // From the last splice to the first, so that the old indices of the remaining ones stay valid.
    for splice in change.sectionSplices.reversed() {
      sections.replaceSubrange(splice.old, with: solver.solve(splice.new, of: change.new))
      if work.isStopped { return self }
    }
    solveMoved(change, in: &sections, by: &solver)
    if work.isStopped { return self }
    for changed in change.changedSections {
      update(changed, of: change, plan: plan, isDraft: isDraft, in: &sections, by: &solver)
      if work.isStopped { return self }
    }
    if !isDraft { complete(&sections, of: change.new, plan: plan, work: work) }
    return PreparedSections(
      layout: layout,
      context: context,
      environment: environment,
      plan: plan,
      sections: sections,
      names: names
    )
  }

  /// Solves the sections again whose solutions do not hold at the indices to which splices before
  /// them have moved them.
  ///
  /// - Complexity: O(log sections) for each splice if no solution depends on the index, else
  ///   O(sections) and the cost of solving them.
  private func solveMoved(
    _ change: ContentsChange,
    in sections: inout SummaryTree<SectionNode>,
    by solver: inout SectionSolver<Layout>
  ) {
    let splices = change.sectionSplices
    for (number, splice) in splices.enumerated() {
      let distance = splice.new.upperBound - splice.old.upperBound
      let end =
        number + 1 < splices.count
        ? splices[number + 1].new.lowerBound : change.new.sectionCount
      let before = sections.summary(ofFirst: splice.new.upperBound).indexedCount
      guard distance != 0,
        let first = sections.place(of: before, in: { $0.indexedCount })?.index, first < end
      else { continue }
      let moved = sections
      let nodes = solver.solve(first ..< end, of: change.new) { index in
        let node = moved[index]
        return node.holds(movedBy: distance) ? node : nil
      }
      if solver.work.isStopped { return }
      sections.replaceSubrange(first ..< end, with: nodes)
    }
  }

  /// Solves a section that changed, sharing what the change left alone.
  private func update(
    _ changed: ContentsChange.SectionChange,
    of change: ContentsChange,
    plan: Layout.Plan,
    isDraft: Bool,
    in sections: inout SummaryTree<SectionNode>,
    by solver: inout SectionSolver<Layout>
  ) {
    let index = changed.newIndex
    let node = self.sections[changed.oldIndex]
    // `solveMoved` has solved the others, with their new contents.
    guard node.holds(movedBy: index - changed.oldIndex) else { return }
    let section = change.new.section(at: index)
    let oldName = change.old.section(at: changed.oldIndex).layoutName
    guard section.layoutName.hasSameBytes(as: oldName) else {
      // Another name may stand for another rule, with which the old solution has nothing in common.
      let nodes = solver.solve(index ..< index + 1, of: change.new)
      sections.replaceSubrange(index ..< index + 1, with: nodes)
      return
    }
    let work = solver.work
    let keptBytes = work.keptBytes
    let solved = layout.update(
      node.solved,
      to: section,
      by: SectionUpdate(
        itemSplices: changed.itemSplices,
        metricsChanged: changed.metricsChanged,
        isDraft: isDraft
      ),
      at: index,
      plan: plan,
      in: environment,
      work: work
    )
    sections[index] = SectionNode(solved: solved, indexPeriod: node.indexPeriod)
    let counted = work.keptBytes - keptBytes
    if work.keep(bytes: solved.byteCount - counted) { work.proceed(solved.steps) }
  }
}
