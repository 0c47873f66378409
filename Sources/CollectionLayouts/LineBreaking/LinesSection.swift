// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Builds one section of a flow or list: its items in lines, and what is around them.
struct LinesSection {
  let surroundings: SectionSurroundings
  let rule: LineRule
  let arrangement: LineArrangement
  let environment: SectionEnvironment

  func solve(_ items: ItemSequence, work: LayoutWork) -> SolvedSection {
    section(around: LinesBody(items, rule: rule, arrangement: arrangement, work: work))
  }

  /// The section after a change, sharing the lines that stay.
  ///
  /// - Parameter solved: the section before the change.
  func update(
    _ solved: SolvedSection,
    to items: ItemSequence,
    by change: SectionUpdate,
    work: LayoutWork
  ) -> SolvedSection {
    guard let body = solved.body as? LinesBody, body.rule.assuming(rule.defaultSize) == rule else {
      return solve(items, work: work)
    }
    return section(
      around: body.updated(
        to: items,
        rule: rule,
        splices: change.itemSplices,
        work: work
      )
    )
  }

  private func section(around body: LinesBody) -> SolvedSection {
    // A separator may be thicker than the rows around it are high.
    surroundings.section(
      body,
      itemCount: body.items.count,
      overhang: body.arrangement.separators?.overhang ?? .none,
      isShareable: body.isShareable,
      in: environment
    )
  }
}
