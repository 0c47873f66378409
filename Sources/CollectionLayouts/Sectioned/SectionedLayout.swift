// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A layout whose content is a stack of sections along the scroll axis.
///
/// A conforming type only solves single sections. The frame around it (`PreparedSections`) stacks
/// the sections, finds elements, pins headers and footers, adds backgrounds and mirrors. It also
/// derives new versions, for which it solves only the sections that changed.
///
/// ```swift
/// struct Rows: SectionedLayout {
///   func solve(
///     _ section: SectionContents,
///     at index: Int,
///     plan: Void,
///     in environment: SectionEnvironment,
///     work: LayoutWork
///   ) -> SolvedSection { … }
/// }
/// ```
public protocol SectionedLayout: BoundedLayout {
  /// What the layout works out once for all sections of one container.
  associatedtype Plan: Sendable = Void

  /// The axis along which sections follow each other.
  var scrollAxis: ScrollAxis { get }

  /// The names of the layout's own supplementary and decoration kinds, without duplicates.
  /// `SectionElement.kind` and the `kind` of sink and body are indices into it.
  var elementKinds: [String] { get }

  /// The distance from the end of a section to the start of the next, in points.
  var interSectionSpacing: Double { get }

  /// How attributes depend on the viewport's offset.
  var scrollDependence: ScrollDependence { get }

  /// Whether the sections depend on the container's extent along the scroll axis.
  var dependsOnMainLength: Bool { get }

  /// The reference insets on which the sections depend, measured from the edges of the content.
  /// Those of other edges and references are zero, so that viewers share a prepared layout whatever
  /// theirs are.
  func significantReferences(of container: LayoutContainer) -> ReferenceInsets

  /// Whether bodies append their elements in the order of items: see
  /// `PreparedLayout.appendsInOrder`.
  var appendsInOrder: Bool { get }

  /// The distance in points that `ScrollSnap.page` adds to the viewport's extent.
  var pageSpacing: Double { get }

  /// Whether scrolling may come to rest on groups of items: see
  /// `PreparedLayout.groups(around:work:)`.
  var hasGroups: Bool { get }

  /// Whether sections depend on the names of their cells' kinds:
  /// `SectionEnvironment.cellKindNames`.
  var usesCellKinds: Bool { get }

  /// Works out what all sections of one container have in common.
  func plan(for environment: SectionEnvironment) -> Plan

  /// The plan for an environment that has more kinds of cells than that of an older plan, with
  /// which sections were solved that stay as they are.
  func plan(for environment: SectionEnvironment, after old: Plan) -> Plan

  /// The plan with measured sizes of elements of the whole layout.
  ///
  /// - Parameter sizes: by kinds (`MeasuredElements.layout`).
  /// - Returns: nil if the plan holds as it is.
  func plan(_ plan: Plan, measuring sizes: [String: Size]) -> Plan?

  /// Whether sections that were solved with a plan are as they would be with another one, which
  /// `plan(_:measuring:)` made of it.
  func sectionsHold(under plan: Plan, insteadOf old: Plan) -> Bool

  /// The memory that a plan takes, in bytes: an estimate.
  func byteCount(of plan: Plan) -> Int

  /// The period with which a section's solution depends on its index: it is the same at indices
  /// that are equal modulo this. 1 = the index does not matter; 0 = the solution holds at this
  /// index only.
  ///
  /// It may depend on the section's layout name, on the index modulo the result, and on nothing
  /// else of the section.
  func indexPeriod(
    of section: SectionContents,
    at index: Int,
    plan: Plan,
    in environment: SectionEnvironment
  ) -> Int

  /// Solves one section from scratch.
  ///
  /// - Parameter work: told of every chunk of items. Once it has stopped, any section may be
  ///   returned, because nobody uses it.
  func solve(
    _ section: SectionContents,
    at index: Int,
    plan: Plan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection

  /// The section after a change, equal to what `solve` would make, except that sums of lengths may
  /// be rounded otherwise in their last digits. It shares what the change left
  /// alone. The section has the same layout name as before.
  ///
  /// A layout that has drafts may return one if the change says that a draft is enough. For any
  /// other change it returns a finished section, even if the old section was a draft.
  ///
  /// - Parameter solved: the result for the section before the change.
  /// - Parameter work: as for `solve`.
  func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Plan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection

  /// The extent of the content along the scroll axis, in points, from that of the sections.
  func contentLength(_ length: Double, in environment: SectionEnvironment) -> Double

  /// Room kept free before the first section and after the last, for elements of the whole layout.
  func globalMargins(plan: Plan, in environment: SectionEnvironment) -> SolvedSection.Overhang

  /// The least extent of all sections with their spacing along the scroll axis, in points. If they
  /// are shorter, free room follows the last of them.
  func leastStackLength(plan: Plan, in environment: SectionEnvironment) -> Double

  /// The elements of the whole layout, in axis space of the content. Their index path is section 0.
  ///
  /// - Parameter contentLength: the extent of the content along the scroll axis, in points.
  func globalElements(
    contentLength: Double,
    plan: Plan,
    in environment: SectionEnvironment
  ) -> [SectionElement]

  /// The offset at which scrolling ends by the layout's own rule: see `PreparedLayout`.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    in prepared: PreparedSections<Self>
  ) -> ScrollTarget?
}

/// What changed in one section.
public struct SectionUpdate: Hashable, Sendable {
  /// Replaced ranges of item indices, sorted and disjoint.
  public var itemSplices: [Splice]
  /// Whether the section's metrics changed.
  public var metricsChanged: Bool
  /// Whether items far from the edits may stay as they are to each other: see
  /// `CollectionLayout.draft`.
  public var isDraft: Bool
  /// A span of a draft, in coordinates of its body, in which items have to follow each other as in
  /// the finished layout. nil = no further span.
  public var settledSpan: AxisRect?

  /// Makes an update from its parts. Without `isDraft` all items get their places.
  public init(
    itemSplices: [Splice],
    metricsChanged: Bool,
    isDraft: Bool = false,
    settledSpan: AxisRect? = nil
  ) {
    self.itemSplices = itemSplices
    self.metricsChanged = metricsChanged
    self.isDraft = isDraft
    self.settledSpan = settledSpan
  }
}

extension SectionedLayout {
  /// No kinds besides those of the cells.
  public var elementKinds: [String] { [] }
  /// Sections follow each other without spacing.
  public var interSectionSpacing: Double { 0 }
  /// Attributes do not depend on the viewport's offset.
  public var scrollDependence: ScrollDependence { .none }
  /// Only the container's extent across the scroll axis matters.
  public var dependsOnMainLength: Bool { false }
  /// Reference insets do not matter.
  public func significantReferences(of container: LayoutContainer) -> ReferenceInsets { .none }
  /// Pages follow each other without spacing.
  public var pageSpacing: Double { 0 }
  /// Sections follow each other along the scroll axis, so the beginning can be shown first.
  public var placesInOrder: Bool { true }
  /// Bodies are trees that share what is unchanged.
  public var sharesUnchangedParts: Bool { true }
  /// Bodies may append their elements in any order.
  public var appendsInOrder: Bool { false }

  /// The section's index does not matter.
  public func indexPeriod(
    of section: SectionContents,
    at index: Int,
    plan: Plan,
    in environment: SectionEnvironment
  ) -> Int { 1 }

  /// Solves the changed section from nothing.
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Plan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    solve(section, at: index, plan: plan, in: environment, work: work)
  }

  /// Works out all again.
  public func plan(for environment: SectionEnvironment, after old: Plan) -> Plan {
    plan(for: environment)
  }

  /// Nothing of the whole layout can be measured.
  public func plan(_ plan: Plan, measuring sizes: [String: Size]) -> Plan? { nil }

  /// Plans differ only in what concerns the whole layout.
  public func sectionsHold(under plan: Plan, insteadOf old: Plan) -> Bool { true }

  /// 0, for layouts without a plan.
  public func byteCount(of plan: Plan) -> Int { 0 }

  /// As long as the sections.
  public func contentLength(_ length: Double, in environment: SectionEnvironment) -> Double {
    length
  }

  /// No room is kept free.
  public func globalMargins(
    plan: Plan,
    in environment: SectionEnvironment
  ) -> SolvedSection.Overhang { .none }

  /// Sections may be of any length.
  public func leastStackLength(plan: Plan, in environment: SectionEnvironment) -> Double { 0 }

  /// There are no elements of the whole layout.
  public func globalElements(
    contentLength: Double,
    plan: Plan,
    in environment: SectionEnvironment
  ) -> [SectionElement] { [] }

  /// The kinds of cells do not matter.
  public var usesCellKinds: Bool { false }

  /// There are no groups.
  public var hasGroups: Bool { false }

  /// Scrolling ends wherever it would end by itself.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    in prepared: PreparedSections<Self>
  ) -> ScrollTarget? { nil }

  /// The extent that the insets leave across the scroll axis, the one along it too if
  /// `dependsOnMainLength`, the display scale, the reading direction and the significant
  /// references.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    let content = container.contentSize
    var parts = container
    parts.insets = .zero
    parts.references = significantReferences(of: container)
    parts.size = scrollAxis.size(
      main: dependsOnMainLength ? scrollAxis.main(content) : 0,
      cross: scrollAxis.cross(content)
    )
    return parts
  }

  /// Solves all sections.
  public func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout {
    PreparedSections(layout: self, context: context, work: work)
  }

  /// Solves the sections that changed and shares the others.
  public func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    if let sections = prepared as? PreparedSections<Self> {
      return sections.updated(by: change, work: work)
    }
    var context = prepared.context
    context.contents = change.new
    return PreparedSections(layout: self, context: context, work: work)
  }

  /// Drafts the sections that changed, if the layout has drafts.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func draft(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    guard hasDrafts, let sections = prepared as? PreparedSections<Self> else {
      return try update(prepared, by: change, work: work)
    }
    let drafted = sections.updated(by: change, isDraft: true, work: work)
    try work.throwIfStopped()
    return drafted
  }
}

extension SectionedLayout where Plan == Void {
  /// Nothing is worked out in advance.
  public func plan(for environment: SectionEnvironment) {}
}
