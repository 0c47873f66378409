// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension PreparedSections {
  /// Whether some section is a draft.
  public var isDraft: Bool { sections.summary.draftCount > 0 }

  /// The layout with all items in their final places, equal to what `prepare` would make.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  /// - Complexity: that of solving the sections that are drafts
  public func completed(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
    guard isDraft else { return self }
    var sections = sections
    complete(&sections, of: context.contents, plan: plan, work: work)
    try work.throwIfStopped()
    return with(sections)
  }

  /// Whether no section has a seam of a draft in a rect.
  ///
  /// - Complexity: O(log sections + sections in the rect · log runs)
  public func isSettled(in rect: Rect) -> Bool {
    guard isDraft else { return true }
    var isSettled = true
    forEachDraft(in: rect) { _, solved, span in
      isSettled = solved.body?.isSettled(in: span) ?? true
      return isSettled
    }
    return isSettled
  }

  /// The draft without seams in a rect. That may move what is behind the rect.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func settled(in rect: Rect, work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout
  {
    var settled: [(index: Int, node: SectionNode)] = []
    forEachDraft(in: rect) { index, solved, span in
      guard solved.body?.isSettled(in: span) == false else { return true }
      let update = SectionUpdate(
        itemSplices: [],
        metricsChanged: false,
        isDraft: true,
        settledSpan: span
      )
      let solved = layout.update(
        solved,
        to: context.contents.section(at: index),
        by: update,
        at: index,
        plan: plan,
        in: environment,
        work: work
      )
      settled.append((index, SectionNode(solved: solved, indexPeriod: sections[index].indexPeriod)))
      return !work.isStopped
    }
    try work.throwIfStopped()
    var updated = sections
    for (index, node) in settled { updated[index] = node }
    return with(updated)
  }

  /// Solves the sections that are drafts as a whole.
  func complete(
    _ sections: inout SummaryTree<SectionNode>,
    of contents: CollectionContents,
    plan: Layout.Plan,
    work: LayoutWork
  ) {
    for _ in 0 ..< sections.summary.draftCount {
      guard !work.isStopped, let place = sections.place(of: 0, in: { $0.draftCount }) else {
        return
      }
      let solved = layout.update(
        place.element.solved,
        to: contents.section(at: place.index),
        by: SectionUpdate(itemSplices: [], metricsChanged: false),
        at: place.index,
        plan: plan,
        in: environment,
        work: work
      )
      sections[place.index] = SectionNode(solved: solved, indexPeriod: place.element.indexPeriod)
      _ = work.keep(bytes: solved.byteCount)
    }
  }

  private func forEachDraft(in rect: Rect, _ body: (Int, SolvedSection, AxisRect) -> Bool) {
    let span = placement.searchSpan(rect)
    let first = firstSection(endingAfter: span.main - overhang.end)
    let end = span.mainEnd + overhang.start
    sections.forEach(in: first ..< sectionCount) { node, index, before in
      let start = start(after: before)
      guard start < end else { return false }
      guard node.solved.isDraft else { return true }
      var inBody = span
      inBody.main -= start + node.solved.bodyMain
      inBody.cross -= node.solved.bodyCross
      return body(index, node.solved, inBody)
    }
  }

  private func with(_ sections: SummaryTree<SectionNode>) -> PreparedSections {
    PreparedSections(
      layout: layout,
      context: context,
      environment: environment,
      plan: plan,
      sections: sections,
      names: names
    )
  }
}
