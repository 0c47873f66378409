// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// A layout whose content is a stack of sections along the scroll axis.
///
/// A conforming type only solves one section; the frame around it (`PreparedSections`) stacks the
/// sections, finds elements, pins headers and footers, adds backgrounds, mirrors, and derives new
/// versions by solving anew no more than the sections that changed.
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
public protocol SectionedLayout: CollectionLayout {
  /// What is worked out once for all sections of one container.
  associatedtype Plan: Sendable = Void

  var scrollAxis: ScrollAxis { get }

  /// Names of the layout's own supplementary and decoration kinds, without duplicates.
  /// `SectionElement.kind` and the sink's `kind` are indices into it.
  var elementKinds: [String] { get }

  /// Distance between the end of a section and the start of the next.
  var interSectionSpacing: Double { get }

  /// Sections are solved by their index modulo this; 1 = the index is of no account.
  var sectionIndexPeriod: Int { get }

  /// How attributes depend on the viewport's offset.
  var scrollDependence: ScrollDependence { get }

  /// Whether sections depend on the container's extent along the scroll axis.
  var dependsOnMainLength: Bool { get }

  /// The distance that `ScrollSnap.page` adds to the viewport's extent.
  var pageSpacing: Double { get }

  func plan(for environment: SectionEnvironment) -> Plan

  /// Roughly what a plan keeps in memory, in bytes.
  func byteCount(of plan: Plan) -> Int

  /// Solves one section from nothing.
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

  /// What `solve` would give for the section after the change, sharing what the change left alone.
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

  /// Room kept free before the first and after the last section, for elements of the whole layout.
  func globalMargins(plan: Plan, in environment: SectionEnvironment) -> SolvedSection.Overhang

  /// Elements of the whole layout, in axis space of the content. Their index path is section 0.
  ///
  /// - Parameter contentLength: the extent of the content along the scroll axis.
  func globalElements(
    contentLength: Double,
    plan: Plan,
    in environment: SectionEnvironment
  ) -> [SectionElement]

  /// The layout's own rule for where scrolling ends: see `PreparedLayout`.
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
  /// Over item indices: sorted and disjoint.
  public var itemSplices: [Splice]
  public var metricsChanged: Bool

  public init(itemSplices: [Splice], metricsChanged: Bool) {
    self.itemSplices = itemSplices
    self.metricsChanged = metricsChanged
  }
}

extension SectionedLayout {
  public var elementKinds: [String] { [] }
  public var interSectionSpacing: Double { 0 }
  public var sectionIndexPeriod: Int { 1 }
  public var scrollDependence: ScrollDependence { .none }
  public var dependsOnMainLength: Bool { false }
  public var pageSpacing: Double { 0 }
  public var placesInOrder: Bool { true }

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

  public func byteCount(of plan: Plan) -> Int { 0 }

  public func globalMargins(
    plan: Plan,
    in environment: SectionEnvironment
  ) -> SolvedSection.Overhang { .none }

  public func globalElements(
    contentLength: Double,
    plan: Plan,
    in environment: SectionEnvironment
  ) -> [SectionElement] { [] }

  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    in prepared: PreparedSections<Self>
  ) -> ScrollTarget? { nil }

  /// Only the extent that is left across the scroll axis counts, unless `dependsOnMainLength`.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    let content = container.contentSize
    var parts = container
    parts.insets = .zero
    parts.size = scrollAxis.size(
      main: dependsOnMainLength ? scrollAxis.main(content) : 0,
      cross: scrollAxis.cross(content)
    )
    return parts
  }

  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedSections(layout: self, context: context, work: .unlimited)
  }

  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let prepared = PreparedSections(layout: self, context: context, work: work)
    try work.throwIfStopped()
    return prepared
  }

  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    updated(prepared, by: change, work: .unlimited)
  }

  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let updated = updated(prepared, by: change, work: work)
    try work.throwIfStopped()
    return updated
  }

  private func updated(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) -> any PreparedLayout {
    if let sections = prepared as? PreparedSections<Self> {
      return sections.updated(by: change, work: work)
    }
    var context = prepared.context
    context.contents = change.new
    return PreparedSections(layout: self, context: context, work: work)
  }
}

extension SectionedLayout where Plan == Void {
  public func plan(for environment: SectionEnvironment) {}
}
