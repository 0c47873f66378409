// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Solves sections one after the other. Neighbours that are alike share one result.
struct SectionSolver<Layout: SectionedLayout> {
  let layout: Layout
  let plan: Layout.Plan
  let environment: SectionEnvironment
  let work: LayoutWork
  private var last: (key: Key, node: SectionNode)?

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
    var measured: SectionMeasurements
    var layoutName: ExactText
    var count: Int
    var width: UniformColumn
    var height: UniformColumn
    /// nil for layouts that do not depend on it.
    var cellKind: UniformKind?
    /// The index modulo the period with which the result depends on it.
    var phase: Int
  }

  /// A section's solution: that of the last section if both must be equal, else a new one.
  private mutating func solve(_ section: SectionContents, at index: Int) -> SectionNode {
    let items = section.items.summary
    let period = layout.indexPeriod(of: section, at: index, plan: plan, in: environment)
    let key = Key(
      metrics: section.metrics,
      measured: section.measured,
      layoutName: ExactText(section.layoutName),
      count: items.count,
      width: items.width,
      height: items.height,
      cellKind: environment.cellKindNames.isEmpty ? nil : items.cellKind,
      phase: period > 0 ? index % period : index
    )
    if let last, last.key == key { return last.node }
    let node = SectionNode(
      solved: layout.solve(section, at: index, plan: plan, in: environment, work: work),
      indexPeriod: period
    )
    last = node.solved.isShareable ? (key, node) : nil
    return node
  }

  /// The nodes of the sections in a range; only the first of them if the work has to stop.
  ///
  /// - Parameter kept: the node of a section whose solution is known already; nil = it is solved.
  mutating func solve(
    _ range: Range<Int>,
    of contents: CollectionContents,
    keeping kept: (Int) -> SectionNode? = { _ in nil }
  ) -> [SectionNode] {
    var nodes: [SectionNode] = []
    nodes.reserveCapacity(range.count)
    contents.forEachSection(in: range) { index, section in
      let before = work.keptBytes
      let known = kept(index)
      let node = known ?? solve(section, at: index)
      let isShared = node.solved === nodes.last?.solved
      nodes.append(
        SectionNode(solved: node.solved, indexPeriod: node.indexPeriod, isShared: isShared)
      )
      // Solvers of large sections have reported a part of the memory while they worked.
      let counted = work.keptBytes - before
      let isNew = known == nil && !isShared
      return work.keep(bytes: isNew ? node.solved.byteCount - counted : 0)
        && work.proceed(isNew ? node.solved.steps : 1)
    }
    return nodes
  }
}
