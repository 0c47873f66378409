// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// What a renderer is told of a section that scrolls by itself.
public struct SectionScrollState: Hashable, Sendable {
  /// The index of the section.
  public var section: Int
  /// Where it is and how far it scrolls.
  public var scroll: SectionScroll
  /// If the renderer scrolls the section: the offsets at which the section's elements within the
  /// coverage are complete. Elements are then sent with their places at offset 0. nil = the server
  /// scrolls it.
  public var completeOffsets: ClosedRange<Double>?
  /// If the renderer scrolls the section: whether it takes `scroll.offset` in place of its own,
  /// because the section is now there without its report.
  public var isReset: Bool

  /// A state with the given values.
  public init(
    section: Int,
    scroll: SectionScroll,
    completeOffsets: ClosedRange<Double>? = nil,
    isReset: Bool = false
  ) {
    self.section = section
    self.scroll = scroll
    self.completeOffsets = completeOffsets
    self.isReset = isReset
  }

  /// The state without what the renderer knows best: its own offset, and whether it is reset.
  fileprivate var comparable: SectionScrollState {
    var comparable = self
    comparable.isReset = false
    if completeOffsets != nil { comparable.scroll.offset = 0 }
    return comparable
  }
}

/// What a renderer is to be told of the sections that scroll by themselves.
struct SectionScrollNews {
  var states: [SectionScrollState]
  /// Whether this is worth a frame of its own. That a section is no longer reset is not: it is told
  /// with the next frame that has another reason.
  var needsFrame: Bool
}

/// The sections that scroll by themselves, found one after the other.
struct SectionScrolls {
  private let layout: any PreparedLayout
  private let viewport: Viewport
  private var last: (section: Int, scroll: SectionScroll?)?

  init(_ layout: any PreparedLayout, viewport: Viewport) {
    self.layout = layout
    self.viewport = viewport
  }

  /// - Complexity: O(1) for the section of the call before, else that of
  ///   `PreparedLayout.sectionScroll`.
  subscript(section: Int) -> SectionScroll? {
    mutating get {
      if let last, last.section == section { return last.scroll }
      let scroll = layout.sectionScroll(section, viewport: viewport)
      last = (section, scroll)
      return scroll
    }
  }

  /// How far an element has moved with its section from its place at offset 0; nil = it does not
  /// move with it, or not only with it.
  mutating func displacement(of path: IndexPath) -> Point? {
    guard path.item != nil, let scroll = self[path.section], scroll.isRigid else { return nil }
    return scroll.displacement
  }
}

extension ViewportSession {
  /// Whether the renderer scrolls sections that scroll by themselves; elements are then sent with
  /// their places at offset 0. False while something else moves them with the offset, or holds
  /// them.
  private func rendererScrollsSections(of box: LayoutBox) -> Bool {
    capabilities.sectionScrolling && target == nil && movement == nil
      && (box.effects.isEmpty || rendererApplies(box))
  }

  /// The offsets of sections at which elements are looked up for a renderer that scrolls sections;
  /// nil = it does not.
  ///
  /// A section's offset stays what it was while its elements are complete for half a viewport on
  /// either side, so that steps within a section change nothing.
  func lookupOffsets(of box: LayoutBox) -> [Int: Double]? {
    guard rendererScrollsSections(of: box), let axis = box.value.scrollAxis else { return nil }
    var offsets = viewport.sectionOffsets
    guard let sent, let old = sent.lookupOffsets, !isGeometryNew, !needsKeyframe, offsets != old
    else {
      return offsets
    }
    let room = axis.cross(viewport.size) / 2
    let before = viewport.scrollingSections(to: old)
    for section in Set(offsets.keys).union(old.keys) {
      guard let now = box.value.sectionScroll(section, viewport: viewport), now.isRigid,
        let then = box.value.sectionOffset(section, viewport: before),
        (now.offset - then).magnitude <= room
      else { continue }
      offsets[section] = old[section]
    }
    return offsets
  }

  /// How far elements are looked up beside the coverage, across the content's axis in points, for a
  /// renderer that scrolls sections.
  private func sectionRoom(of box: LayoutBox) -> Double {
    box.value.scrollAxis.map { $0.cross(viewport.size) } ?? 0
  }

  /// A rect extended by that distance on both sides.
  func widened(_ rect: Rect, for box: LayoutBox) -> Rect {
    guard rendererScrollsSections(of: box), let axis = box.value.scrollAxis else { return rect }
    let room = sectionRoom(of: box)
    var span = axis.axisRect(rect)
    span.cross -= room
    span.crossLength += 2 * room
    return axis.rect(span)
  }

  /// Moves the elements of the scratch that the renderer scrolls with their section to their places
  /// at offset 0.
  ///
  /// - Parameter lookedUp: the viewport for which they were looked up.
  mutating func moveIntoSections(of box: LayoutBox, lookedUp: Viewport) {
    var scrolls = SectionScrolls(box.value, viewport: lookedUp)
    for index in scratch.buffer.elements.indices {
      let element = scratch.buffer.elements[index]
      guard let moved = scrolls.displacement(of: element.indexPath) else { continue }
      scratch.buffer.elements[index].frame = element.frame.movedExactly(by: .zero - moved)
      scratch.buffer.elements[index].scrollsAcross = true
    }
  }

  /// What to tell the renderer of the sections of the scratch's elements; nil = it knows already.
  ///
  /// - Parameter lookedUp: the viewport for which they were looked up, for a renderer that scrolls
  ///   sections; else nil.
  func changedSectionScrolls(
    of box: LayoutBox,
    lookedUp: Viewport?
  ) -> SectionScrollNews? {
    guard capabilities.sectionScrolls || capabilities.sectionScrolling else { return nil }
    var states: [SectionScrollState] = []
    var last: Int?
    for element in scratch.buffer.elements where element.indexPath.section != last {
      let section = element.indexPath.section
      last = section
      guard let scroll = box.value.sectionScroll(section, viewport: viewport) else { continue }
      let complete = lookedUp.flatMap { viewport in
        scroll.isRigid ? completeOffsets(of: section, in: box, lookedUp: viewport) : nil
      }
      states.append(
        SectionScrollState(
          section: section,
          scroll: scroll,
          completeOffsets: complete,
          isReset: complete != nil && isReset(section, scroll)
        )
      )
    }
    let known = needsKeyframe ? [] : toldScrolls
    let isNew = states.map(\.comparable) != known.map(\.comparable)
    let needsFrame = isNew || states.contains(where: \.isReset)
    return needsFrame || known.contains(where: \.isReset)
      ? SectionScrollNews(states: states, needsFrame: needsFrame) : nil
  }

  /// Whether a section that the renderer scrolls is elsewhere than the renderer has it.
  private func isReset(_ section: Int, _ scroll: SectionScroll) -> Bool {
    (rendererOffsets.value ?? RendererOffsets()).differ(
      from: scroll,
      of: section,
      lastApplied: needsKeyframe ? link.window.lastApplied : nil
    )
  }

  /// Notes what the renderer is told.
  ///
  /// - Parameter frame: the sequence number of the frame.
  mutating func toldSectionScrolls(_ news: SectionScrollNews?, frame: UInt64) {
    guard let states = news?.states else {
      if needsKeyframe { toldScrolls = [] }
      return
    }
    toldScrolls = states.map { state in
      var told = state.comparable
      told.isReset = state.isReset
      return told
    }
    guard capabilities.sectionScrolling else { return }
    var offsets = rendererOffsets.value ?? RendererOffsets()
    offsets.tell(states, frame: frame)
    rendererOffsets.value = offsets.isEmpty ? nil : offsets
  }

  /// Notes offsets that the client has reported.
  mutating func rendererHas(_ reported: [Int: Double]) {
    guard capabilities.sectionScrolling, !reported.isEmpty else { return }
    var offsets = rendererOffsets.value ?? RendererOffsets()
    offsets.report(reported.filter { canScroll($0.key) })
    rendererOffsets.value = offsets.isEmpty ? nil : offsets
  }

  /// Keeps the offsets of sections within their ranges in the layout that is shown, so that a
  /// section does not jump back when it grows again.
  ///
  /// Not while something else is shown for a moment: in a transition, while items are held, and in
  /// place of a layout that is being prepared.
  mutating func limitSectionOffsets(in box: LayoutBox) {
    guard !viewport.sectionOffsets.isEmpty, target == nil, movement == nil, !box.value.isDraft,
      prepared?.isProvisional != true, prepared?.standIn == nil
    else { return }
    for (section, offset) in viewport.sectionOffsets {
      guard let kept = box.value.sectionOffset(section, viewport: viewport), kept != offset,
        offset.isFinite
      else { continue }
      viewport.sectionOffsets[section] = isStart(kept, of: section) ? nil : kept
    }
  }

  /// The offsets at which all elements of a section that meet the coverage have been looked up:
  /// they were looked up this far beyond it on both sides.
  private func completeOffsets(
    of section: Int,
    in box: LayoutBox,
    lookedUp: Viewport
  ) -> ClosedRange<Double>? {
    guard let center = box.value.sectionOffset(section, viewport: lookedUp) else { return nil }
    let room = sectionRoom(of: box)
    return center - room ... center + room
  }

  /// How far elements have moved that the renderer has with their places at offset 0; nil = there
  /// are no such elements.
  func sectionScrolls(of sent: SentState) -> SectionScrolls? {
    sent.lookupOffsets == nil ? nil : SectionScrolls(sent.prepared, viewport: sent.viewport)
  }
}

extension Viewport {
  /// The viewport with other offsets of sections.
  ///
  /// - Parameter offsets: nil = unchanged.
  func scrollingSections(to offsets: [Int: Double]?) -> Viewport {
    guard let offsets else { return self }
    var viewport = self
    viewport.sectionOffsets = offsets
    return viewport
  }
}

extension Rect {
  /// The rect moved by a vector and rounded to 2⁻²⁴ points, so that the result does not depend on
  /// earlier moves.
  fileprivate func movedExactly(by vector: Point) -> Rect {
    var rect = offset(by: vector)
    if vector.x != 0 { rect.x = (rect.x * 0x1p24).rounded() * 0x1p-24 }
    if vector.y != 0 { rect.y = (rect.y * 0x1p24).rounded() * 0x1p-24 }
    return rect
  }
}
