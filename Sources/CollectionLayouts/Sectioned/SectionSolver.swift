// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Solves sections one after the other. Neighbours that are alike share one result.
struct SectionSolver<Layout: SectionedLayout> {
  let layout: Layout
  let plan: Layout.Plan
  let environment: SectionEnvironment
  let work: LayoutWork
  private var last: (key: Key, solved: SolvedSection)?

  init(
    layout: Layout,
    plan: Layout.Plan,
    environment: SectionEnvironment,
    work: LayoutWork
  ) {
    self.layout = layout
    self.plan = plan
    self.environment = environment
    self.work = work
  }

  /// Everything that a shareable result depends on.
  private struct Key: Equatable {
    var metrics: SectionMetrics
    var layoutName: String
    var count: Int
    var width: UniformColumn
    var height: UniformColumn
    var phase: Int
  }

  /// A section's solution: that of the last section if both must be equal, else a new one.
  mutating func solve(_ section: SectionContents, at index: Int) -> SolvedSection {
    let items = section.items.summary
    let key = Key(
      metrics: section.metrics,
      layoutName: section.layoutName,
      count: items.count,
      width: items.width,
      height: items.height,
      phase: index % max(1, layout.sectionIndexPeriod)
    )
    if let last, last.key == key { return last.solved }
    let solved = layout.solve(section, at: index, plan: plan, in: environment, work: work)
    last = solved.isShareable ? (key, solved) : nil
    return solved
  }

  /// The nodes of the sections in a range; only the first of them if the work has to stop.
  mutating func solve(_ range: Range<Int>, of contents: CollectionContents) -> [SectionNode] {
    var nodes: [SectionNode] = []
    nodes.reserveCapacity(range.count)
    contents.forEachSection(in: range) { index, section in
      let before = work.keptBytes
      let solved = solve(section, at: index)
      let isShared = solved === nodes.last?.solved
      nodes.append(SectionNode(solved: solved, isShared: isShared))
      // Solvers of large sections have reported a part of the memory while they worked.
      let counted = work.keptBytes - before
      return work.keep(bytes: isShared ? 0 : solved.byteCount - counted) && work.proceed(1)
    }
    return nodes
  }
}
