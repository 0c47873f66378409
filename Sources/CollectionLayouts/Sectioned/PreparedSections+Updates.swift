// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension PreparedSections {
  /// The layout of the contents after a change. It shares the sections that did not change.
  ///
  /// - Parameter work: told of every section. Once it has stopped, the result must not be used.
  /// - Complexity: O(c · log sections) for c changed sections, plus the cost of solving them.
  func updated(by change: ContentsChange, work: LayoutWork) -> PreparedSections {
    var context = context
    context.contents = change.new
    var sections = sections
    var solver = SectionSolver(
      layout: layout,
      plan: plan,
      environment: environment,
      work: work
    )
    // From the last splice to the first, so that the old indices of those to come stay valid.
    for splice in change.sectionSplices.reversed() {
      sections.replaceSubrange(splice.old, with: solver.solve(splice.new, of: change.new))
      if work.isStopped { return self }
    }
    for changed in change.changedSections {
      let index = changed.newIndex
      let section = change.new.section(at: index)
      let keptBytes = work.keptBytes
      let solved = layout.update(
        sections[index].solved,
        to: section,
        by: SectionUpdate(
          itemSplices: changed.itemSplices,
          metricsChanged: changed.metricsChanged
        ),
        at: index,
        plan: plan,
        in: environment,
        work: work
      )
      sections[index] = SectionNode(solved: solved)
      let counted = work.keptBytes - keptBytes
      guard work.keep(bytes: solved.byteCount - counted), work.proceed(1) else { return self }
    }
    if let first = firstOutOfPhase(change) {
      let rest = first ..< change.new.sectionCount
      sections.replaceSubrange(rest, with: solver.solve(rest, of: change.new))
    }
    return PreparedSections(
      layout: layout,
      context: context,
      environment: environment,
      plan: plan,
      sections: sections,
      names: names
    )
  }

  /// The first section behind a change of the section count that is not a multiple of the period:
  /// from there on sections need other solutions. nil if there is none.
  private func firstOutOfPhase(_ change: ContentsChange) -> Int? {
    let period = layout.sectionIndexPeriod
    guard period > 1 else { return nil }
    for splice in change.sectionSplices {
      let shift = splice.new.upperBound - splice.old.upperBound
      if shift % period != 0 { return splice.new.upperBound }
    }
    return nil
  }
}
