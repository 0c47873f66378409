// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A rule that gives every element of a collection its place: a UICollectionViewLayout without a
/// view.
///
/// A layout is a value that holds its parameters and nothing else. `prepare` makes an immutable
/// `PreparedLayout`, which any number of viewers share and query.
public protocol CollectionLayout: Hashable, Sendable {
  /// The name of the layout's field in LayoutSpec.kind, or "custom:NAME".
  var kindName: String { get }

  /// Reports parameters that the layout cannot work with, and warns of parameters that were perhaps
  /// not meant. Fields are named as in the layout's own message, such as "item_size.width".
  ///
  /// `LayoutOptions.validate` reports on the options, which all layouts share.
  /// - Parameter viewportSize: the size of the viewport where it is known. Some warnings of UIKit
  ///   need it; without it they are left out.
  func validate(viewportSize: Size?, findings: inout LayoutFindings)

  /// The container with only those parts that the prepared layout depends on. All other parts have
  /// fixed values, so that viewers whose containers differ only there share one prepared layout.
  func significantParts(of container: LayoutContainer) -> LayoutContainer

  /// The memory that the parameters take beyond the value itself, such as texts and lists, in
  /// bytes: an estimate.
  var parameterByteCount: Int { get }

  /// Whether a size that the renderer measured replaces the size of this element.
  ///
  /// If so, the session puts it into its own copy of the contents: for a cell as the item's width
  /// and height, for a header or footer as the section's header or footer size.
  func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool

  /// Where the session keeps the measured size of a supplementary element about which
  /// `acceptsMeasurement` is not asked: of one that is not a section's header or footer. nil = the
  /// element cannot be measured.
  ///
  /// The session puts the size into its own copy of the contents, where a section's elements have it in
  /// `SectionContents.measured` and those of the whole layout in `CollectionContents.measuredElements`.
  func measuredElement(for key: ElementKey, in contents: CollectionContents) -> MeasuredElement?

  /// Whether items without a size of their own take the mean of the measured items' sizes
  /// (`CollectionContents.measuredItemSize`), so that a measurement may move them even if it is the size
  /// that an item has already.
  var averagesMeasurements: Bool { get }

  /// Whether a section scrolls across the layout's scroll axis by itself. Only such sections may
  /// have an offset in `Viewport.sectionOffsets`; sessions keep no others.
  ///
  /// - Parameter section: the section's index.
  /// - Parameter name: the section's layout name; "" = none.
  func scrollsOrthogonally(section: Int, named name: String) -> Bool

  /// Whether a section that scrolls by itself starts at offset 0. If so, sessions do not keep that
  /// offset.
  ///
  /// - Parameter section: the section's index.
  /// - Parameter name: the section's layout name; "" = none.
  func startsAtOffsetZero(section: Int, named name: String) -> Bool

  /// Whether sections and items follow each other along the scroll axis and no place depends on
  /// what comes far behind it. If so, a session can show the beginning while the rest is being
  /// prepared.
  var placesInOrder: Bool { get }

  /// The same layout with fixed values for those parameters that `view(of:)` applies afterwards, such as the
  /// zoom of a map. Layouts with the same basis share what is prepared. nil = the layout is its own basis.
  var basis: (any CollectionLayout)? { get }

  /// What was prepared for a layout with the same basis, as this layout would have prepared it.
  ///
  /// - Complexity: O(1), or O(log n) for n items.
  func view(of prepared: any PreparedLayout) -> any PreparedLayout

  /// Whether `preview` shows something of large contents long before they are prepared.
  var hasPreview: Bool { get }

  /// What is to be seen in a rect, for a first frame while everything is being prepared. It is asked only in that
  /// rect, and never updated.
  ///
  /// Its elements are elements of the contents, though perhaps not all of them.
  /// - Parameter work: told of the steps.
  /// - Returns: nil = there is no preview, or the work has stopped.
  func preview(
    _ context: LayoutContext,
    of rect: Rect,
    work: LayoutWork
  ) -> (any PreparedLayout)?

  /// Whether an edit may move all items behind it, so that its derivation takes time for each of them, and
  /// `draft` takes much less.
  var hasDrafts: Bool { get }

  /// What can be shown of `change.new` until `update` has placed all items. By default this is what `update` makes.
  ///
  /// In a draft (`PreparedLayout.isDraft`) all items exist once and none lies on another. Around the edits they are
  /// where they belong if all before them are. Items far behind an edit are where they were to each other before
  /// it, and move together.
  ///
  /// - Parameter prepared: as for `update`; it may be a draft.
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func draft(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout

  /// Places all elements, or prepares to place them when they are asked for.
  func prepare(_ context: LayoutContext) -> any PreparedLayout

  /// Places all elements, and checks the limits of `work` while it does.
  ///
  /// Layouts in closed form, which take O(sections), need not implement it. Nothing can end or pause a
  /// computation that does not report its steps: while it runs it keeps one of the server's threads from
  /// other clients, and its limits are checked only when it is done.
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout

  /// The prepared layout for `change.new`, equal to what `prepare` would make. It is derived from
  /// an older prepared layout of the same layout and container, and shares what the change left
  /// alone.
  ///
  /// - Parameter prepared: a result of `prepare` or `update` for `change.old`, of this layout or of one with the
  ///   same basis.
  func update(_ prepared: any PreparedLayout, by change: ContentsChange) -> any PreparedLayout

  /// The prepared layout for `change.new`. Checks the limits of `work` while it makes it.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it. `prepared` stays as it is.
  func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout
}

extension CollectionLayout {
  /// Accepts all parameters.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {}

  /// The container without `references`: viewers share a prepared layout only if all else of their
  /// containers is equal. A layout that reads `references` has to implement this.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    var parts = container
    parts.references = .none
    return parts
  }

  /// 0, for layouts without texts and lists.
  public var parameterByteCount: Int { 0 }

  /// Accepts no measured sizes.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool { false }

  /// No such element can be measured.
  public func measuredElement(
    for key: ElementKey,
    in contents: CollectionContents
  ) -> MeasuredElement? { nil }

  /// Measurements change only what was measured.
  public var averagesMeasurements: Bool { false }

  /// No section scrolls by itself.
  public func scrollsOrthogonally(section: Int, named name: String) -> Bool { false }

  /// All sections start at offset 0.
  public func startsAtOffsetZero(section: Int, named name: String) -> Bool { true }

  /// The layout is its own basis.
  public var basis: (any CollectionLayout)? { nil }

  /// What was prepared.
  public func view(of prepared: any PreparedLayout) -> any PreparedLayout { prepared }

  /// There are no drafts.
  public var hasDrafts: Bool { false }

  /// The whole layout.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func draft(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try update(prepared, by: change, work: work)
  }

  /// There is no preview.
  public var hasPreview: Bool { false }

  /// There is no preview.
  public func preview(
    _ context: LayoutContext,
    of rect: Rect,
    work: LayoutWork
  ) -> (any PreparedLayout)? { nil }

  /// Nothing can be shown before everything is prepared.
  public var placesInOrder: Bool { false }

  /// Calls `prepare(_:)`, unless the work has stopped already. Checks no limit while that runs, only
  /// afterwards.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try work.throwIfStopped()
    let prepared = prepare(context)
    try work.accept(prepared)
    return prepared
  }

  /// Prepares the changed contents from nothing.
  ///
  /// - Complexity: that of `prepare(_:)`
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    return prepare(context)
  }

  /// Calls `update(_:by:)`, unless the work has stopped already. Checks no limit while that runs, only
  /// afterwards.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    try work.throwIfStopped()
    let updated = update(prepared, by: change)
    try work.accept(updated)
    return updated
  }
}

/// An immutable result of `prepare`. Any number of tasks may query it at once.
public protocol PreparedLayout: Sendable {
  /// The contents, container and options that it was prepared for.
  var context: LayoutContext { get }

  /// The size of the whole content, in points.
  var contentSize: Size { get }

  /// The names that `LayoutElement.kind` counts: first the kinds of the contents' cells, in the
  /// same order, then the layout's own supplementary and decoration kinds.
  var kindNames: [String] { get }

  /// Whether some items are where they are only until all have been placed again after an edit: see
  /// `CollectionLayout.draft`.
  var isDraft: Bool { get }

  /// The layout with all items where they belong, equal to what `prepare` would make; itself if it is no draft.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func completed(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout

  /// Whether in a rect of a draft items follow each other as they do where all have been placed. Elsewhere there
  /// may be gaps between those near an edit and those that stayed as they were.
  func isSettled(in rect: Rect) -> Bool

  /// The same draft, with one part of a rect more in which items follow each other as they do where all have been
  /// placed. What is behind the rect may move by that.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  func settled(in rect: Rect, work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout

  /// The axis along which content grows; nil = both axes or neither.
  var scrollAxis: ScrollAxis? { get }

  /// Whether content that is wider than the viewport starts at its right edge, where it can be seen first.
  /// Mirrored content does.
  var startsAtRightEdge: Bool { get }

  /// How attributes depend on the viewport's offset.
  var scrollDependence: ScrollDependence { get }

  /// Appends every element whose box meets `rect`, each once and in any order.
  ///
  /// A layout that may look at many items reports them with `ElementBuffer.visit(_:)` and returns once
  /// that is false. Without that nothing can end the query: it takes as long as the layout does.
  ///
  /// - Parameter rect: any part of the content; usually larger than the viewport.
  /// - Parameter viewport: decides attributes that depend on it, such as the place of pinned
  ///   elements or magnification.
  /// - Complexity: O(log n + k) for k elements; allocates nothing for an element except its extra.
  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer)

  /// Whether `appendElements` appends the sections in order, in each section first the section's own
  /// elements, in any order, and then the elements of its items in the order of items. A query that
  /// ends early then has the first elements in the order of answers.
  var appendsInOrder: Bool { get }

  /// The attributes of one element, wherever it is; nil if no such element exists.
  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes?

  /// The attributes of one element, within limits. nil if no such element exists, or if `work` stopped
  /// before it was found.
  ///
  /// By default this is `attributes(of:viewport:)`. Layouts in which one element may take long to find,
  /// because it depends on many others, implement it.
  ///
  /// - Parameter work: told of the steps.
  func attributes(of key: ElementKey, viewport: Viewport, work: LayoutWork) -> LayoutAttributes?

  /// The range in which a pinned element may be; nil for elements that are not pinned.
  func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange?

  /// What becomes invalid for a viewer when the viewport changes and the prepared layout stays the
  /// same.
  func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation

  /// The offset at which scrolling ends by the layout's own rule; nil = wherever it would end by
  /// itself. Called only while the options name no targets and no snapping, or for a section that scrolls
  /// by itself.
  ///
  /// - Parameter proposed: the offset at which scrolling would end by itself.
  /// - Parameter velocity: the change of the offset at the release, in points a second; `ScrollFlick`
  ///   tells which of them are flicks.
  /// - Parameter section: the section that scrolls by itself, whose own offsets `proposed` and the
  ///   answer are; nil = the whole content scrolls.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget?

  /// Where a section that scrolls by itself is, kept within its content; nil for other sections.
  func sectionOffset(_ section: Int, viewport: Viewport) -> Double?

  /// A section that scrolls by itself: where it is seen and how far it scrolls. nil for other sections, and
  /// by default: sessions then do not tell renderers of it, nor let them scroll it.
  func sectionScroll(_ section: Int, viewport: Viewport) -> SectionScroll?

  /// The offset of a section that scrolls by itself at which an element of it is seen; nil for other
  /// sections.
  func sectionOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Double?

  /// The section without items in whose area a point lies, header, footer and insets included; nil = none.
  /// Items that are moved by hand go there.
  ///
  /// By default nil: such sections are then no targets of a finger.
  ///
  /// - Parameter point: in content coordinates.
  func emptySection(at point: Point) -> Int?

  /// The groups of items around a place along the scroll axis, in order: the nearest one, and at least two
  /// more on either side as far as there are any. nil = the layout has no groups.
  ///
  /// - Parameter main: in points from where the content starts in reading direction.
  /// - Parameter work: told of the steps.
  func groups(around main: Double, work: LayoutWork) -> [GroupExtent]?

  /// Where a step of the focus leads from an element, for layouts in which the focus rests on other elements than
  /// cells, such as those in the columns of a table; nil = to another cell.
  ///
  /// - Parameter work: told of the steps.
  func focus(
    _ step: NeighborStep,
    from key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> FocusStep?

  /// How far what a viewer sees has moved horizontally since an older layout, for layouts whose cells do not tell,
  /// because they are as wide as the content; nil = as far as the cells.
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

  /// How far a place is into the items; nil = items do not follow each other along the axis.
  ///
  /// By default nil: scroll bars are then told where items start, for which `itemCounts` is asked.
  ///
  /// - Parameter place: in points from where the content starts in reading direction.
  /// - Parameter work: told of the steps.
  /// - Complexity: O(log n)
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress?

  /// How many items start before places, for layouts in which items do not follow each other along the axis.
  /// nil = all elements have to be looked at.
  ///
  /// - Parameter places: in ascending order, in points from where the content starts in reading direction.
  /// - Parameter isReversed: whether places count from the right edge.
  /// - Parameter work: told of the steps.
  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]?

  /// Where a section starts, its header and insets included, in points from where the content starts in
  /// reading direction; nil = with its first item. It does not fall from section to section.
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

  /// No section scrolls by itself.
  public func sectionOffset(_ section: Int, viewport: Viewport) -> Double? { nil }

  /// No section scrolls by itself, or none that renderers are told of.
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

  /// All items are where they belong.
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

/// Where a step of the focus leads.
public enum FocusStep: Hashable, Sendable {
  /// To an element.
  case to(ElementKey)
  /// Nowhere.
  case nowhere
}

/// How attributes depend on the viewport's offset.
public enum ScrollDependence: Hashable, Sendable {
  /// Scrolling only changes which elements are seen.
  case none
  /// Pinned headers and footers move along. Renderers that pin by themselves need not report
  /// scrolling.
  case pinnedElements
  /// Any element may change with any step.
  case everything
}

/// What a change of the viewport invalidates.
public enum BoundsInvalidation: Hashable, Sendable {
  /// Nothing.
  case none
  /// The places of pinned elements.
  case pinnedElements
  /// The attributes of all elements.
  case everything
}

/// The offset at which scrolling ends, and the element that it rests on.
public struct ScrollTarget: Hashable, Sendable {
  /// The viewport's offset in content coordinates; a section's own offset where only that section
  /// scrolls.
  public var offset: Point
  /// The element that was scrolled to; nil = none in particular.
  public var element: ElementKey?
  /// The offset at which the element's section shows it, in points along the section's own axis; nil = the
  /// section does not scroll by itself, or only that section scrolls.
  public var sectionOffset: Double?
  /// More about the element if a step leads to it; nil = it was scrolled to for another reason.
  public var neighbor: Neighbor?

  /// Makes a target from an offset and the element there.
  public init(
    offset: Point,
    element: ElementKey? = nil,
    sectionOffset: Double? = nil,
    neighbor: Neighbor? = nil
  ) {
    self.offset = offset
    self.element = element
    self.sectionOffset = sectionOffset
    self.neighbor = neighbor
  }
}

/// A layout with the options that every layout has: what a LayoutSpec stands for.
public struct LayoutConfiguration: Hashable, Sendable {
  /// The layout with its own parameters.
  public var layout: any CollectionLayout
  /// The options that do not depend on the layout.
  public var options: LayoutOptions
  /// How elements change while they are scrolled through the viewport. Prepared layouts do not depend on it:
  /// `PreparedLayout.showing(_:)` applies it to what is seen of one.
  public var scrollEffects: [ScrollEffect]

  /// Makes a configuration; without `options` it has their defaults, and without effects none.
  public init(
    _ layout: any CollectionLayout,
    options: LayoutOptions = .init(),
    scrollEffects: [ScrollEffect] = []
  ) {
    self.layout = layout
    self.options = options
    self.scrollEffects = scrollEffects
  }

  /// The configuration with only what prepared layouts depend on: without effects, and with the layout's basis.
  /// `CollectionLayout.view(of:)` makes the layout's own of what was prepared for another with the same one.
  public var settled: LayoutConfiguration {
    let basis = layout.basis
    if scrollEffects.isEmpty, basis == nil { return self }
    return LayoutConfiguration(basis ?? layout, options: options)
  }

  /// Whether layouts, options and effects are equal. Layouts of different types are not.
  public static func == (a: LayoutConfiguration, b: LayoutConfiguration) -> Bool {
    a.options == b.options && a.scrollEffects == b.scrollEffects
      && AnyHashable(a.layout) == AnyHashable(b.layout)
  }

  /// Hashes the options, the effects and the layout.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(options)
    hasher.combine(scrollEffects)
    hasher.combine(AnyHashable(layout))
  }
}

/// What is wrong with the parameters of a layout, and what was perhaps not meant.
public struct LayoutFindings: Hashable, Sendable {
  /// Parameters that the layout cannot work with, with paths from its own message on; at most `limit`.
  public private(set) var violations: [FieldViolation] = []
  /// Parameters that work, though perhaps not as meant; at most `limit`.
  public private(set) var warnings: [FieldViolation] = []

  /// The most findings of either sort that are kept. Later ones are dropped.
  public static let limit = 64

  /// Makes an empty list of findings.
  public init() {}

  /// Adds a violation: a parameter that the layout cannot work with.
  public mutating func reject(_ field: String, _ description: String) {
    guard violations.count < Self.limit else { return }
    violations.append(FieldViolation(field: field, description: description))
  }

  /// Adds a warning: a parameter that works, though perhaps not as meant.
  public mutating func warn(_ field: String, _ description: String) {
    guard warnings.count < Self.limit else { return }
    warnings.append(FieldViolation(field: field, description: description))
  }
}
