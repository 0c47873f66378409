// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The groups of one section, which follow each other along the scroll axis, or across it in an
/// orthogonal section.
struct CompositionalBody: SectionBody {
  let strips: UniformStrips
  /// The measured sizes of badges; nil = there are none.
  private let measuredBadges: MeasuredBadges?
  let isOrthogonal: Bool
  /// Where the first group of an orthogonal section starts at offset 0, in points.
  private let leadingInset: Double
  /// The length of an orthogonal section that its insets leave, in points.
  let visibleLength: Double
  /// Whether an orthogonal section shows its groups in the middle when it rests.
  let centersGroups: Bool
  /// The z-index of cells. It is added to those of badges.
  let zIndex: Int32
  let effects: ItemEffects
  /// The greatest distance by which effects let items reach beyond their frames, and badges beyond
  /// the frames that they were estimated to have, in points.
  let reach: Double
  let byteCount: Int

  /// Makes the body of a section.
  ///
  /// - Parameter repeating: the template's repeating group.
  init(
    strips: UniformStrips,
    template: SectionTemplate,
    repeating: RepeatingGroup.Solved,
    measuredBadges: MeasuredBadges?,
    environment: SectionEnvironment,
    zIndex: Int32
  ) {
    self.strips = strips
    self.measuredBadges = measuredBadges
    byteCount = strips.byteCount(sharing: repeating.pattern)
    isOrthogonal = template.isOrthogonal
    let insets = template.orthogonalInsets
    leadingInset = insets.start
    visibleLength = max(0, environment.crossLength - insets.start - insets.end)
    centersGroups = template.section.orthogonalScrolling == .groupPagingCentered
    self.zIndex = zIndex
    let effects = ItemEffects(template.section.visibleItemEffects)
    self.effects = effects
    let effectReach =
      effects.isEmpty
      ? 0
      : strips.strip.runs.reduce(repeating.effectReach) { reach, run in
        run.pattern === repeating.pattern ? reach : max(reach, effects.reach(of: run.pattern))
      }
    reach = max(effectReach, measuredBadges?.reach ?? 0)
  }

  var strip: GroupStrip { strips.strip }

  var length: Double { isOrthogonal ? strip.breadth : strip.length }

  /// How far elements reach before the body's start and beyond its end along the scroll axis.
  var overhang: SolvedSection.Overhang {
    guard isOrthogonal else {
      return SolvedSection.Overhang(
        start: strip.reachBefore + reach,
        end: strip.reachAfterEnd + reach
      )
    }
    var result = SolvedSection.Overhang.none
    for run in strip.runs {
      let bounds = run.pattern.bounds
      result = result.union(
        SolvedSection.Overhang(start: max(0, -bounds.main), end: max(0, bounds.mainEnd - length))
      )
    }
    return SolvedSection.Overhang(start: result.start + reach, end: result.end + reach)
  }

  // MARK: - Orthogonal scrolling

  /// The least offset that the section may have, in points: the one at which it starts.
  var minimumOffset: Double { centersGroups ? centeringOffset(ofGroup: 0) : 0 }

  /// The greatest offset that the section may have, in points.
  var maximumOffset: Double {
    centersGroups
      ? centeringOffset(ofGroup: strip.groupCount - 1) : max(0, strip.length - visibleLength)
  }

  /// The offset at which a group lies in the middle, in points; 0 if there is no such group.
  func centeringOffset(ofGroup group: Int) -> Double {
    guard let span = strip.span(ofGroup: group) else { return 0 }
    return span.start + (span.length - visibleLength) / 2
  }

  /// The nearest offset that the section may have. nil, and an offset that is not finite, stand for
  /// the one at which it starts.
  func clamped(_ offset: Double?) -> Double {
    guard let offset, offset.isFinite else { return minimumOffset }
    return min(max(offset, minimumOffset), maximumOffset)
  }

  /// The offset at which an item of an orthogonal section is seen; nil if there is no such item.
  ///
  /// - Parameter current: where the section is.
  func offset(showing item: Int, position: ScrollPosition, current: Double) -> Double? {
    guard let (run, shift, cell) = place(ofItem: item, origin: 0) else { return nil }
    let frame = moved(run.pattern.cells[cell], by: shift)
    let atStart = frame.cross
    let atEnd = frame.crossEnd - visibleLength
    switch position {
    case .start: return clamped(atStart)
    case .end: return clamped(atEnd)
    case .center: return clamped((atStart + atEnd) / 2)
    case .nearest: return clamped(min(max(current, min(atStart, atEnd)), max(atStart, atEnd)))
    }
  }

  /// Where the strip of groups starts, along the axis in which groups follow each other.
  private func origin(for sink: ElementSink) -> Double {
    isOrthogonal ? leadingInset - clamped(sink.sectionOffset) : 0
  }

  // MARK: - Queries

  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let span = reach > 0 ? span.widened(by: reach) : span
    let origin = origin(for: sink)
    let start = (isOrthogonal ? span.cross : span.main) - origin
    let end = (isOrthogonal ? span.crossEnd : span.mainEnd) - origin
    let center = effects.isEmpty ? 0 : viewportCenter(of: sink)
    strip.forEachRun(from: start, to: end) { run, groups in
      let pattern = run.pattern
      let perGroup = pattern.cells.count
      for group in groups {
        let shift = origin + self.shift(ofGroup: group, in: run)
        let inGroup = moved(span, by: -shift)
        guard pattern.bounds.mayMeet(inGroup) else {
          guard sink.visit(1) else { return false }
          continue
        }
        guard sink.visit(1 + perGroup / 16 + pattern.badges.count), !sink.isFull else {
          return false
        }
        let first = group * perGroup
        let count = min(perGroup, run.itemCount - first)
        pattern.forEachCell(near: inGroup, count: count) { cell in
          append(
            cell: run.firstItem + first + cell,
            frame: moved(pattern.cells[cell], by: shift),
            center: center,
            to: &sink
          )
        }
        for badge in pattern.badges where badge.cell < count && badge.frame.mayMeet(inGroup) {
          let item =
            ordinal(of: badge, group: group, in: run)
            ?? run.firstItem + first + badge.cell
          append(badge, item: item, shift: shift, to: &sink)
        }
      }
      return true
    }
  }

  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    switch category {
    case .cell:
      guard let (run, shift, cell) = place(ofItem: item, origin: origin(for: sink)) else { return }
      append(
        cell: item,
        frame: moved(run.pattern.cells[cell], by: shift),
        center: effects.isEmpty ? 0 : viewportCenter(of: sink),
        to: &sink
      )
    case .supplementary:
      let origin = origin(for: sink)
      if let (run, shift, cell) = place(ofItem: item, origin: origin),
        let badge = run.pattern.badges.first(where: {
          $0.kind == kind && $0.ordinal == nil && $0.cell == cell
        })
      {
        append(badge, item: item, shift: shift, to: &sink)
      } else {
        appendGroupBadge(kind: kind, item: item, origin: origin, to: &sink)
      }
    case .decoration: break
    }
  }

  /// The number of a group's badge among all of its kind in the section; nil for a badge on an
  /// item.
  private func ordinal(of badge: GroupPattern.Badge, group: Int, in run: GroupRun) -> Int? {
    guard let ordinal = badge.ordinal, let kind = strip.badgeKinds.firstIndex(of: badge.kind)
    else { return nil }
    return run.badgeStarts[kind] + group * badge.ordinalCount + ordinal
  }

  private func appendGroupBadge(
    kind: Int,
    item: Int,
    origin: Double,
    to sink: inout ElementSink
  ) {
    guard let (run, group, ordinal) = strip.groupBadge(kind: kind, ordinal: item) else { return }
    let count = min(run.pattern.cells.count, run.itemCount - group * run.pattern.cells.count)
    guard
      let badge = run.pattern.badges.first(where: {
        $0.kind == kind && $0.ordinal == ordinal && $0.cell < count
      })
    else { return }
    append(badge, item: item, shift: origin + shift(ofGroup: group, in: run), to: &sink)
  }

  /// The run that an item is in, where its group begins, and the index of its cell in the group.
  private func place(
    ofItem item: Int,
    origin: Double
  ) -> (run: GroupRun, shift: Double, cell: Int)? {
    guard let run = strip.run(ofItem: item) else { return nil }
    let (group, cell) = (item - run.firstItem).quotientAndRemainder(
      dividingBy: run.pattern.cells.count
    )
    return (run, origin + shift(ofGroup: group, in: run), cell)
  }

  private func shift(ofGroup group: Int, in run: GroupRun) -> Double {
    run.start + Double(group) * (run.pattern.length + strip.spacing)
  }

  private func moved(_ frame: AxisRect, by shift: Double) -> AxisRect {
    var frame = frame
    if isOrthogonal { frame.cross += shift } else { frame.main += shift }
    return frame
  }

  private func append(
    _ badge: GroupPattern.Badge,
    item: Int,
    shift: Double,
    to sink: inout ElementSink
  ) {
    sink.append(
      .supplementary,
      kind: badge.kind,
      item: item,
      frame: moved(measuredBadges?.frame(of: badge, item: item) ?? badge.frame, by: shift),
      zIndex: Int32(clamping: Int(badge.zIndex) + Int(zIndex))
    )
  }

  private func append(
    cell item: Int,
    frame: AxisRect,
    center: Double,
    to sink: inout ElementSink
  ) {
    if effects.isEmpty {
      sink.appendCell(item, frame: frame, zIndex: zIndex)
      return
    }
    let middle =
      isOrthogonal ? frame.cross + frame.crossLength / 2 : frame.main + frame.mainLength / 2
    let (alpha, transform) = effects.attributes(
      atDistance: middle - center,
      isMirrored: sink.placement.isMirrored
    )
    sink.append(
      .cell,
      kind: 0,
      item: item,
      frame: frame,
      zIndex: zIndex,
      alpha: alpha,
      transform: transform
    )
  }

  private func viewportCenter(of sink: ElementSink) -> Double {
    let visible = sink.visibleSpan
    return isOrthogonal
      ? visible.cross + visible.crossLength / 2 : visible.main + visible.mainLength / 2
  }
}
