// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Puts a section's items into groups.
///
/// Groups without measured items take the section's repeating pattern, by arithmetic. Groups with
/// measured items are solved one by one. A group depends only on the sizes of its items and of
/// those behind it that were tried and did not fit (`GroupPattern.lookahead`). So once a group
/// behind the last change begins where one began before, all groups behind it are as before.
struct GroupStripBuilder {
  let template: SectionTemplate
  let items: ItemSequence
  let kinds: KindIndices
  let environment: SectionEnvironment
  let work: LayoutWork

  /// The groups of all items.
  func strips() -> UniformStrips { strips(from: nil, splices: []) }

  /// The groups after changes to the items, which share those that stay.
  ///
  /// Where groups share lengths, these are found level by level, the innermost first, each from
  /// groups that share those below it. A group is solved again only if a shared length has changed.
  /// - Parameter old: before the changes; nil = there was nothing.
  /// - Parameter splices: over item indices, sorted and disjoint.
  func strips(from old: UniformStrips?, splices: [Splice]) -> UniformStrips {
    var lengths = UniformLengths()
    var stages: [UniformStrips.Stage] = []
    func stage(_ old: UniformStrips.Stage?, isLast: Bool) -> UniformStrips.Stage {
      guard let old, old.lengths == lengths else {
        return .init(lengths: lengths, strip: strip(lengths, isLast: isLast))
      }
      return .init(
        lengths: lengths,
        strip: strip(from: old.strip, splices: splices, lengths, isLast: isLast)
      )
    }
    for level in (0 ..< template.uniformLevels).reversed() {
      if stages.last?.lengths != lengths {
        stages.append(stage(old?.stage(with: lengths), isLast: false))
      }
      if let longest = stages.last?.strip.longest(level) { lengths.raise(level, to: longest) }
    }
    if lengths.isEmpty, let first = stages.first { return UniformStrips(stages: [], last: first) }
    return UniformStrips(stages: stages, last: stage(old?.last, isLast: true))
  }

  /// The strip of all items.
  ///
  /// - Parameter lengths: those that the groups share.
  /// - Parameter isLast: whether no more of them are looked for.
  private func strip(_ lengths: UniformLengths, isLast: Bool) -> GroupStrip {
    var strip = GroupStrip(
      spacing: template.interGroupSpacing,
      badgeKinds: template.groupBadgeKinds
    )
    fill(&strip, lengths, isLast: isLast) { _, _ in false }
    finish(&strip)
    return strip
  }

  private func strip(
    from old: GroupStrip,
    splices: [Splice],
    _ lengths: UniformLengths,
    isLast: Bool
  ) -> GroupStrip {
    guard let first = splices.first, let last = splices.last else { return old }
    // All runs are copied, whether they change or not.
    work.proceed(old.runs.count)
    var strip = old
    // A group also depends on items that did not fit into it.
    let kept = min(first.new.lowerBound, first.old.lowerBound) - old.lookahead
    strip.truncate(
      toItem: groupStart(in: old, notAfter: kept),
      alongMain: !template.isOrthogonal
    )
    let settled = last.new.upperBound
    let shift = last.old.upperBound - last.new.upperBound
    fill(&strip, lengths, isLast: isLast) { strip, item in
      guard item >= settled, let run = old.run(ofItem: item + shift),
        (item + shift - run.firstItem) % run.pattern.cells.count == 0
      else { return false }
      var position = item + shift
      for run in old.runs[old.firstRun(where: { $0.endItem > position })...] {
        append(run.pattern, count: run.endItem - position, to: &strip)
        position = run.endItem
      }
      return true
    }
    finish(&strip)
    return strip
  }

  /// Shortens the last group if it is not full, as recorded from UIKit. Custom groups keep their
  /// length.
  private func finish(_ strip: inout GroupStrip) {
    guard template.section.group.customFrames.isEmpty else { return }
    strip.shortenLastGroup(alongMain: !template.isOrthogonal)
  }

  /// The last place at or before an item at which a group may begin; 0 if there is none.
  private func groupStart(in strip: GroupStrip, notAfter item: Int) -> Int {
    guard item > 0, let run = strip.run(ofItem: min(item, strip.itemCount) - 1) else { return 0 }
    let size = run.pattern.cells.count
    return run.firstItem + (min(item, strip.itemCount) - run.firstItem) / size * size
  }

  /// Adds groups until all items have a place.
  ///
  /// - Parameter settle: called before each group with its first item. Returns true if it has added
  ///   all groups from there on.
  private func fill(
    _ strip: inout GroupStrip,
    _ lengths: UniformLengths,
    isLast: Bool,
    settle: (inout GroupStrip, Int) -> Bool
  ) {
    var solver = GroupSolver(pixelGrid: environment.pixelGrid, kinds: kinds, work: work)
    solver.shared = lengths
    solver.findsLongest = !isLast
    let repeating =
      lengths.isEmpty
      ? template.repeatingGroup(kinds: kinds, environment: environment, work: work).pattern
      : template.solve(with: solver, environment: environment)
    let perGroup = repeating.cells.count
    guard perGroup > 0 else { return }
    var item = strip.itemCount
    solver.measured = MeasuredSizeReader(items)
    var measured = item ..< item
    while item < items.count {
      if settle(&strip, item) { return }
      if measured.upperBound <= item {
        measured =
          MeasuredSizeReader.nextRange(
            in: items,
            from: item,
            widths: template.isEstimated.width,
            heights: template.isEstimated.height
          ) ?? items.count ..< Int.max
      }
      let next = max(measured.lowerBound, item)
      // A group is regular only if the items that did not fit are unmeasured as well.
      let regular =
        next >= items.count
        ? items.count - item : max(0, next - item - repeating.lookahead) / perGroup * perGroup
      if regular > 0 {
        append(repeating, count: regular, to: &strip)
        item += regular
        continue
      }
      solver.firstItem = item
      let pattern = template.solve(with: solver, environment: environment)
      let count = min(pattern.cells.count, items.count - item)
      guard count > 0, !work.isStopped else { return }
      let runs = strip.runs.count
      append(pattern, count: count, to: &strip)
      if strip.runs.count > runs { work.keep(bytes: pattern.byteCount + strip.bytesPerRun) }
      item += count
    }
  }

  private func append(_ pattern: GroupPattern, count: Int, to strip: inout GroupStrip) {
    strip.append(pattern, itemCount: count, alongMain: !template.isOrthogonal)
  }
}
