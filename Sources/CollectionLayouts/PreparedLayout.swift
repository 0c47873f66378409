// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// An immutable result of `prepare`. Any number of tasks may query it at once.
public protocol PreparedLayout: Sendable {
  /// The contents, container and options that it was prepared for.
  var context: LayoutContext { get }

  /// The size of the whole content, in points.
  var contentSize: Size { get }

  /// The names that `LayoutElement.kind` counts: first the kinds of the contents' cells, in the
  /// same order, then the layout's own supplementary and decoration kinds.
  var kindNames: [String] { get }

  /// One of `kindNames`; nil = there is no such kind.
  ///
  /// By default only cells' kinds are found without `kindNames`. Layouts that put these together
  /// when they are asked for them find their own kinds here without that.
  ///
  /// - Parameter number: as in `LayoutElement.kind`.
  func kindName(_ number: Int) -> String?

  /// Whether some items are only provisionally placed, until all have been placed again after an
  /// edit: see `CollectionLayout.draft`.
  var isDraft: Bool { get }

  /// The layout with all items in their final places, equal to what `prepare` would make; itself if
  /// it is no draft.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func completed(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout

  /// Whether the items in a rect of a draft follow each other as in the finished layout. Elsewhere
  /// there may be gaps between items near an edit and those that stayed as they were.
  func isSettled(in rect: Rect) -> Bool

  /// The same draft, with the items in one more rect following each other as in the finished
  /// layout. That may move what is behind the rect.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func settled(in rect: Rect, work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout

  /// The axis along which content grows; nil = both axes or neither.
  var scrollAxis: ScrollAxis? { get }

  /// Whether content that is wider than the viewport starts at its right edge, and so is first seen
  /// there. Mirrored content does.
  var startsAtRightEdge: Bool { get }

  /// How attributes depend on the viewport's offset.
  var scrollDependence: ScrollDependence { get }

  /// Appends every element whose box meets `rect`, each once and in any order.
  ///
  /// A layout that may look at many items reports them with `ElementBuffer.visit(_:)`, and returns
  /// once that is false. Otherwise nothing can end the query early.
  ///
  /// - Parameter rect: any part of the content; usually larger than the viewport.
  /// - Parameter viewport: decides attributes that depend on it, such as the place of pinned
  ///   elements or magnification.
  /// - Complexity: O(log n + k) for k elements; allocates nothing for an element except its extra.
  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer)

  /// Whether `appendElements` appends the sections in order, in each section first the section's
  /// own elements, in any order, and then the elements of its items in the order of items. A query
  /// that ends early then has the first elements in the order of answers.
  var appendsInOrder: Bool { get }

  /// The attributes of one element, wherever it is; nil if no such element exists.
  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes?

  /// The attributes of one element, within limits. nil if no such element exists, or if `work`
  /// stopped before it was found.
  ///
  /// By default this is `attributes(of:viewport:)`. Layouts in which one element may take long to
  /// find, because it depends on many others, implement it.
  ///
  /// - Parameter work: told of the steps.
  func attributes(of key: ElementKey, viewport: Viewport, work: LayoutWork) -> LayoutAttributes?

  /// The range in which a pinned element may be; nil for elements that are not pinned.
  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange?

  /// What becomes invalid for a viewer when the viewport changes and the prepared layout stays the
  /// same.
  func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation

  /// The offset at which scrolling ends by the layout's own rule; nil = wherever it would end by
  /// itself. Called only while the options name no targets and no snapping, or for a section that
  /// scrolls by itself.
  ///
  /// - Parameter proposed: the offset at which scrolling would end by itself.
  /// - Parameter velocity: the change of the offset at the release, in points a second;
  ///   `ScrollFlick` tells which of them are flicks.
  /// - Parameter section: the section that scrolls by itself, whose own offsets `proposed` and the
  ///   answer are; nil = the whole content scrolls.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget?

  /// The same within limits; nil also if `work` stopped before it was found.
  ///
  /// By default this is `restingOffset(proposed:velocity:section:viewport:)`. Layouts in which it
  /// may take long to find, because many items lie around a place, implement it.
  ///
  /// - Parameter work: told of the steps.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    work: LayoutWork
  ) -> ScrollTarget?

  /// The offset of a section that scrolls by itself, kept within its content; nil for other
  /// sections.
  func sectionOffset(_ section: Int, viewport: Viewport) -> Double?

  /// Where a section that scrolls by itself is seen, and how far it scrolls. nil for other
  /// sections, and by default: sessions then neither tell renderers of the section nor let them
  /// scroll it.
  func sectionScroll(_ section: Int, viewport: Viewport) -> SectionScroll?

  /// The offset of a section that scrolls by itself at which an element of it is seen; nil for
  /// other sections.
  func sectionOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Double?

  /// The section without items whose area contains a point, header, footer and insets included; nil
  /// = none. Items that are dragged by hand go there.
  ///
  /// By default nil: a finger then cannot drop items on such sections.
  ///
  /// - Parameter point: in content coordinates.
  func emptySection(at point: Point) -> Int?

  /// The groups of items around a place along the scroll axis, in order: the nearest one, and at
  /// least two more on either side, as far as they exist. nil = the layout has no groups.
  ///
  /// - Parameter main: in points from where the content starts in reading direction.
  /// - Parameter work: told of the steps.
  func groups(around main: Double, work: LayoutWork) -> [GroupExtent]?

  /// Where a step of the focus leads from an element, for layouts in which elements other than
  /// cells can have the focus, such as the columns of a table; nil = to another cell.
  ///
  /// - Parameter work: told of the steps.
  func focus(
    _ step: NeighborStep,
    from key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> FocusStep?

  /// How far what a viewer sees has moved horizontally since an older layout, for layouts whose
  /// cells do not tell, because they are as wide as the content; nil = as far as the cells.
  ///
  /// - Parameter viewport: the viewport in which the older layout was seen.
  func horizontalShift(from old: any PreparedLayout, viewport: Viewport) -> Double?

  /// The same layout with columns as a viewer wants them. Layouts without columns stay as they are.
  ///
  /// - Parameter last: a layout from which to take columns that are the same there; nil = none.
  /// - Complexity: at most O(n log n) for n columns
  func arranged(
    by preferences: TablePreferences,
    last: (any PreparedLayout)?
  ) -> any PreparedLayout

  /// How many items a place has passed; nil = items do not follow each other along the axis.
  ///
  /// By default nil: scroll bars then count the items before a place with `itemCounts`.
  ///
  /// - Parameter place: in points from where the content starts in reading direction.
  /// - Parameter work: told of the steps.
  /// - Complexity: O(log n)
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress?

  /// How many items start before each of some places, for layouts in which items do not follow each
  /// other along the axis. nil = all elements have to be looked at.
  ///
  /// - Parameter places: in ascending order, in points from where the content starts in reading
  ///   direction.
  /// - Parameter isReversed: whether places count from the right edge.
  /// - Parameter work: told of the steps.
  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]?

  /// Where a section starts, its header and insets included, in points from where the content
  /// starts in reading direction; nil = with its first item. No section starts before an earlier
  /// one.
  ///
  /// - Parameter section: the index of a section that exists.
  func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double?

  /// The offset that shows an element, for layouts whose frames do not say where elements are seen;
  /// nil = it follows from the element's frame. It need not be within the legal offsets.
  func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point?

  /// The distance in points that `ScrollSnap.page` adds to the viewport's extent.
  var pageSpacing: Double { get }

  /// How elements enter unless `LayoutOptions.appearing` says otherwise.
  var defaultAppearing: AppearanceAnimation { get }
  /// How elements leave unless `LayoutOptions.disappearing` says otherwise.
  var defaultDisappearing: AppearanceAnimation { get }

  /// The memory that it takes beyond the contents, in bytes: an estimate.
  var byteCount: Int { get }
}

extension PreparedLayout {
  /// A kind of the contents' cells, or else one of `kindNames`.
  public func kindName(_ number: Int) -> String? {
    kindName(number) {
      let names = kindNames
      return names.indices.contains($0) ? names[$0] : nil
    }
  }

  /// A kind of the contents' cells, or else one of the layout's own, which follow these.
  func kindName(_ number: Int, own: [String]) -> String? {
    kindName(number) {
      let index = $0 - context.contents.cellKindNames.count
      return own.indices.contains(index) ? own[index] : nil
    }
  }

  private func kindName(_ number: Int, orElse own: (Int) -> String?) -> String? {
    let cells = context.contents.cellKindNames
    return cells.indices.contains(number) ? cells[number] : own(number)
  }

  /// Attributes do not depend on the viewport's offset.
  public var scrollDependence: ScrollDependence { .none }

  /// Content that grows horizontally starts at its right edge in right-to-left environments.
  public var startsAtRightEdge: Bool {
    context.container.isRightToLeft && scrollAxis == .horizontal
  }

  /// Elements may be appended in any order.
  public var appendsInOrder: Bool { false }

  /// Every element is found within a few steps, which are not counted.
  public func attributes(
    of key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> LayoutAttributes? { attributes(of: key, viewport: viewport) }

  /// No element is pinned.
  public func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? { nil }

  /// Follows from `scrollDependence`; a changed section offset invalidates everything.
  public func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation {
    switch scrollDependence {
    // Some section has scrolled by itself.
    case _ where old.sectionOffsets != new.sectionOffsets: .everything
    case .none: .none
    case .pinnedElements: old == new ? .none : .pinnedElements
    case .everything: old == new ? .none : .everything
    }
  }

  /// Scrolling ends wherever it would end by itself.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? { nil }

  /// It is found within a few steps, which are not counted.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    work: LayoutWork
  ) -> ScrollTarget? {
    restingOffset(proposed: proposed, velocity: velocity, section: section, viewport: viewport)
  }

  /// No section scrolls by itself.
  public func sectionOffset(_ section: Int, viewport: Viewport) -> Double? { nil }

  /// No section scrolls by itself, or renderers are not told of it.
  public func sectionScroll(_ section: Int, viewport: Viewport) -> SectionScroll? { nil }

  /// No section scrolls by itself.
  public func sectionOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Double? { nil }

  /// Sections without items take no room, or none that is known.
  public func emptySection(at point: Point) -> Int? { nil }

  /// There are no groups.
  public func groups(around main: Double, work: LayoutWork) -> [GroupExtent]? { nil }

  /// The focus rests on cells.
  public func focus(
    _ step: NeighborStep,
    from key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> FocusStep? { nil }

  /// All items are in their final places.
  public var isDraft: Bool { false }

  /// The layout itself.
  public func completed(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout { self }

  /// There is nothing to settle.
  public func isSettled(in rect: Rect) -> Bool { true }

  /// The layout itself.
  public func settled(in rect: Rect, work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout
  { self }

  /// Cells tell what has moved.
  public func horizontalShift(from old: any PreparedLayout, viewport: Viewport) -> Double? { nil }

  /// There are no columns.
  public func arranged(
    by preferences: TablePreferences,
    last: (any PreparedLayout)?
  ) -> any PreparedLayout { self }

  /// Every element is shown by its frame.
  public func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? { nil }

  /// Pages follow each other without spacing.
  public var pageSpacing: Double { 0 }
  /// Elements fade in at their place.
  public var defaultAppearing: AppearanceAnimation { .fade }
  /// Elements fade out at their place.
  public var defaultDisappearing: AppearanceAnimation { .fade }
}
