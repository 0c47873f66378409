// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Makes the session begin at a place instead of an offset. Call this before the first layout is
  /// requested; later calls have no effect.
  ///
  /// The first frame's adjustment leads to the place, whatever offset the client has reported by
  /// then. Large contents are not shown before they are laid out completely, unless the place is
  /// their start. Batches before the first frame move the place with its element; if the element is
  /// deleted, the session begins at the start of the content.
  ///
  /// After the first frame the start stays in force while the viewport rests there, within a pixel:
  /// the place is found again when elements are measured and when the viewport or the layout
  /// changes. When the data change, the content is anchored as usual; if the viewport still rests
  /// at the place then, the start stays in force. An import, a transition and moving an item by
  /// hand end it.
  ///
  /// If the element's section scrolls by itself, the section is scrolled to the element too; see
  /// `takeStartTarget()`.
  ///
  /// - Throws: INDEX_OUT_OF_RANGE if there is no such item or section, ELEMENT_HIDDEN if the item
  ///   is hidden in an outline and must not be revealed, FIELD_INVALID if the fraction is not
  ///   within 0 to 1. Whether the layout has the element is known only with the first frame: see
  ///   `startRefusal`.
  /// - Complexity: O(log items), if the contents have an index of their keys
  public mutating func begin(at start: SessionStart) throws(Refusal) {
    guard sent == nil, prepared == nil else { return }
    try showRows(for: start)
    self.start = Boxed(StartState(wish: start, place: try place(of: start)))
  }

  /// Why the session cannot build its first frame: its layout has no such element to begin with.
  /// nil = it can, or has no layout yet. The session builds no frames then; the stream must end.
  public var startRefusal: Refusal? {
    guard let start = start?.value, start.isMissing else { return nil }
    let (field, found) =
      switch start.wish {
      case .item(let key, _, _): ("item_key", "\"\(key)\" found")
      case .element(let key, _): ("key", key.found)
      case .edge, .fraction: ("key", "nothing found")
      }
    return Self.missing(field, "\(found); \(ScrollRequest.notPlaced)")
  }

  /// Where the newest frame has scrolled the section of the start's element, so that the client
  /// does the same; nil = nowhere. Returned once.
  public mutating func takeStartTarget() -> ScrollTarget? {
    guard var state = start?.value, let target = state.untold else { return nil }
    state.untold = nil
    start = Boxed(state)
    return target
  }

  private static func missing(_ field: String, _ description: String) -> Refusal {
    Refusal(.indexOutOfRange, field: "start.element.\(field)", description)
  }

  /// The place of a start in the current contents.
  private func place(of start: SessionStart) throws(Refusal) -> StartState.Place {
    switch start {
    case .element(let key, let position):
      guard contents.effective.contains(key.indexPath) else {
        throw Self.missing("key", "\(key.found); there is no such item or section")
      }
      return .element(key, at: position)
    case .item(let key, let position, _):
      guard let path = contents.effective.indexPath(ofItemKey: key) else {
        throw Self.missing("item_key", "\"\(key)\" found; no item has this key")
      }
      return .element(ElementKey(category: .cell, kind: "", indexPath: path), at: position)
    case .edge(.start): return .fraction(0)
    case .edge(.end): return .fraction(1)
    case .fraction(let fraction):
      guard (0 ... 1).contains(fraction) else {
        throw Refusal(
          .fieldInvalid,
          field: "start.fraction",
          "\(fraction) found; a number from 0 to 1 is allowed"
        )
      }
      return .fraction(fraction)
    }
  }

  // MARK: - Following

  /// Updates the start after a change of the effective contents.
  mutating func followStart(_ change: ContentsChange) {
    guard let start else { return }
    self.start = (start.value.following(change) ?? lostStart).map { Boxed($0) }
  }

  /// Finds the start again in contents whose items cannot be matched with the old ones.
  mutating func resetStart() {
    guard let wish = start?.value.wish else { return }
    let found = sent == nil ? (try? place(of: wish)).map { StartState(wish: wish, place: $0) } : nil
    start = (found ?? lostStart).map { Boxed($0) }
  }

  /// The start after its element is gone: the start of the content. nil = the first frame was
  /// built.
  private var lostStart: StartState? {
    sent == nil ? StartState(wish: .edge(.start), place: .fraction(0)) : nil
  }

  // MARK: - Placing

  /// Moves the viewport to its place in a layout that is new to the client: to the start while that
  /// is in force, otherwise with the anchor.
  ///
  /// - Returns: how far the viewport moved; nil = the session begins with an element that the
  ///   layout does not have.
  /// - Throws: if it takes more than the effort allows; `nextFrame` then restores what has changed.
  mutating func place(
    in presented: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> Point? {
    viewport = aligned(viewport, in: presented)
    let found = try startTarget(in: presented, effort)
    // A faulty layout may place the element nowhere.
    let isNowhere = found?.offset.isFinite == false
    let goal = isNowhere ? nil : found
    if sent == nil, goal == nil, let missing = start?.value {
      start = Boxed(StartState(wish: missing.wish, place: missing.place, isMissing: true))
      return nil
    }
    let isDataNew = sent.map { $0.dataVersion != contents.version } ?? false
    var adjustment: Point
    if let goal, !isDataNew {
      adjustment = goal.offset - viewport.offset
      scrollSection(to: goal)
    } else {
      adjustment = try offsetAdjustment(to: presented, effort)
    }
    // The session keeps its place for the next layout.
    if !adjustment.isFinite { adjustment = .zero }
    viewport.offset = viewport.offset + adjustment
    if var state = start?.value, !isNowhere {
      state.offset = viewport.offset
      start = goal.map { isResting(at: $0.offset) } == true ? Boxed(state) : nil
    }
    return adjustment
  }

  /// Scrolls the section of the start's element, unless the user has done so since.
  private mutating func scrollSection(to goal: ScrollTarget) {
    guard var state = start?.value, case .element(let key, _) = state.place,
      let offset = goal.sectionOffset
    else { return }
    let section = key.indexPath.section
    let current = viewport.sectionOffsets[section]
    guard canScroll(section), sent == nil || current == state.sectionOffset else { return }
    let kept = isStart(offset, of: section) ? nil : offset
    guard kept != current else { return }
    guard current != nil || viewport.sectionOffsets.count < SessionLimits.scrolledSections else {
      return
    }
    viewport.sectionOffsets[section] = kept
    state.sectionOffset = kept
    state.untold = goal
    start = Boxed(state)
  }

  /// The viewport with short content aligned as the client wants it.
  func aligned(_ viewport: Viewport, in presented: any PreparedLayout) -> Viewport {
    let axis = presented.scrollAxis
    var viewport = viewport
    viewport.horizontalAlignment = axis == .vertical ? nil : options.alignment
    viewport.verticalAlignment = axis == .horizontal ? nil : options.alignment
    return viewport
  }

  /// An offset that is at most this far from a place, in points, counts as at the place: a pixel,
  /// as clients round offsets to pixels.
  var restTolerance: Double { max(Self.tolerance, 1 / displayScale) }

  private func isResting(at offset: Point) -> Bool {
    let distance = viewport.offset - offset
    return max(distance.x.magnitude, distance.y.magnitude) <= restTolerance
  }

  /// Where the start is in a layout; nil = it is not in force, or the layout has no such element.
  private func startTarget(
    in presented: any PreparedLayout,
    _ effort: FrameEffort
  ) throws(FrameTooCostly) -> ScrollTarget? {
    guard let start = start?.value else { return nil }
    if sent != nil {
      guard let offset = start.offset, isResting(at: offset), !isAnchoringSuspended,
        target == nil, movement == nil
      else { return nil }
    }
    let work = effort.work(limit: SessionCosts.frameSteps)
    let target = target(of: start.place, in: presented, work)
    guard !work.isStopped else { throw FrameTooCostly() }
    return target
  }

  private func target(
    of place: StartState.Place,
    in presented: any PreparedLayout,
    _ work: LayoutWork
  ) -> ScrollTarget? {
    var reader = viewport
    reader.offset = offset(at: 0, in: presented)
    switch place {
    case .element(let key, let position):
      return LayoutQueries(presented, viewport: reader, work: work)
        .scrollTarget(for: .element(key, position: position))
    case .fraction(let fraction):
      reader.offset = offset(at: fraction, in: presented)
      guard fraction > 0, fraction < 1 else { return ScrollTarget(offset: reader.offset) }
      let rest = LayoutQueries(presented, viewport: reader, work: work).scrollTarget(
        for: .release(proposed: reader.offset, velocity: .zero, section: nil)
      )
      return ScrollTarget(offset: rest?.offset ?? reader.offset)
    }
  }

  /// The offset at a fraction of the scrollable distance; an axis that does not scroll is at its
  /// start.
  private func offset(at fraction: Double, in presented: any PreparedLayout) -> Point {
    let limits = viewport.legalOffsets(contentSize: presented.contentSize)
    var result = Point.zero
    for axis in ScrollAxis.allCases {
      let part = presented.scrollAxis.map { $0 == axis } ?? true ? fraction : 0
      let isMirrored = axis == .horizontal && viewport.isRightToLeft
      let share = isMirrored ? 1 - part : part
      let offset = axis.main(limits.min) * (1 - share) + axis.main(limits.max) * share
      result = result + axis.point(main: offset, cross: 0)
    }
    return result
  }
}
