// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension SectionsLayout: SectionedLayout {
  /// "sections".
  public var kindName: String { "sections" }

  /// Headers, footers and separators, and the kinds of compositional sections; those beyond the
  /// limit are left out.
  public var elementKinds: [String] { Array(allElementKinds.prefix(Limit.elementKinds)) }

  /// Whether sections of some entry have them.
  public var hasDrafts: Bool { members.contains { $0.hasDrafts } }

  /// Whether sections of some entry have groups.
  public var hasGroups: Bool {
    usedLayouts.contains { if case .compositional = $0.kind { true } else { false } }
  }

  /// Everything if any entry needs that, else pinned elements if any has such.
  public var scrollDependence: ScrollDependence {
    let all = Set(members.map { $0.scrollDependence })
    return all.contains(.everything)
      ? .everything : all.contains(.pinnedElements) ? .pinnedElements : .none
  }

  /// The references that insets of any entry are measured from.
  public func significantReferences(of container: LayoutContainer) -> ReferenceInsets {
    var used = compositional.usedReferences
    var hasFlow = false
    for entry in usedLayouts {
      guard case .flow(let layout) = entry.kind else { continue }
      used.insert(layout.sectionInsetReference)
      hasFlow = true
    }
    // Groups ignore edges outside of the content, flows do not.
    return container.references(used, across: scrollAxis, isClamped: !hasFlow)
  }

  /// Whether sections of some entry do.
  public var dependsOnMainLength: Bool { members.contains { $0.dependsOnMainLength } }

  /// Whether sections of some entry do.
  public var usesCellKinds: Bool { members.contains { $0.usesCellKinds } }

  /// Whether all entries place items in order. A grid's rows may widen the content, and so move
  /// what is before them.
  public var placesInOrder: Bool {
    members.allSatisfy { $0.placesInOrder }
      && !usedLayouts.contains { if case .grid = $0.kind { true } else { false } }
  }

  /// Whether all entries do.
  public var sharesUnchangedParts: Bool { members.allSatisfy { $0.sharesUnchangedParts } }

  /// All bodies do, except those of groups.
  public var appendsInOrder: Bool {
    !usedLayouts.contains { if case .compositional = $0.kind { true } else { false } }
  }

  /// Whether the section's entry accepts the measurement. Items that were not measured keep the
  /// size that the entry estimates: sections of different entries have little in common, so a mean
  /// says nothing.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    switch entry(named: section.layoutName, at: key.indexPath.section)?.kind {
    case .flow(let layout): layout.acceptsMeasurement(of: key, in: section)
    case .list(let layout): layout.acceptsMeasurement(of: key, in: section)
    case .waterfall(let layout): layout.acceptsMeasurement(of: key, in: section)
    case .gridLanes(let layout): layout.acceptsMeasurement(of: key, in: section)
    case .compositional(let compositional): compositional.acceptsMeasurement(of: key)
    case .unspecified, .grid, nil: false
    }
  }

  /// An element of a section whose entry is compositional, if that can be measured.
  public func measuredElement(
    for key: ElementKey,
    in contents: CollectionContents
  ) -> MeasuredElement? {
    let index = key.indexPath.section
    guard key.category == .supplementary, index < contents.sectionCount,
      case .compositional(let section) =
        entry(named: contents.section(at: index).layoutName, at: index)?.kind
    else { return nil }
    return section.measuredElement(for: key)
  }

  /// Whether the entry that the section takes scrolls across the layout's axis.
  public func scrollsOrthogonally(section: Int, named name: String) -> Bool {
    orthogonalScrolling(ofSection: section, named: name) != .none
  }

  /// Whether the section's entry starts at offset 0: all do except those that show a group in the
  /// middle.
  public func startsAtOffsetZero(section: Int, named name: String) -> Bool {
    orthogonalScrolling(ofSection: section, named: name) != .groupPagingCentered
  }

  private func orthogonalScrolling(
    ofSection index: Int,
    named name: String
  ) -> OrthogonalScrolling {
    guard case .compositional(let section) = entry(named: name, at: index)?.kind else {
      return .none
    }
    return section.orthogonalScrolling
  }

  /// Prepares all entries for a container.
  ///
  /// - Complexity: O(parameters)
  public func plan(for environment: SectionEnvironment) -> SectionsPlan {
    SectionsPlan(self, in: environment)
  }

  /// Prepares all entries for more kinds of cells.
  public func plan(for environment: SectionEnvironment, after old: SectionsPlan) -> SectionsPlan {
    SectionsPlan(self, in: environment, after: old)
  }

  /// The memory that a plan takes, in bytes: an estimate.
  public func byteCount(of plan: SectionsPlan) -> Int { plan.byteCount }

  /// The number of entries if a section takes one by its index, 1 if it takes one by its name, and
  /// 0 if backgrounds of a compositional section name sections by their indices.
  public func indexPeriod(
    of section: SectionContents,
    at index: Int,
    plan: SectionsPlan,
    in environment: SectionEnvironment
  ) -> Int { plan.indexPeriod(of: section, at: index) }

  /// Lays the section out with its entry's layout.
  ///
  /// - Complexity: that of the entry's layout.
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: SectionsPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    switch plan.entry(for: section, at: index) {
    case .none: SolvedSection(length: 0, itemCount: section.items.count, body: nil)
    case .flow(let layout):
      layout.solve(section, at: index, plan: nil, in: environment, work: work)
    case .list(let layout, let plan):
      layout.solve(section, at: index, plan: plan, in: environment, work: work)
    case .grid(let layout): layout.lane(of: section, in: environment)
    case .waterfall(let layout):
      layout.solve(section, at: index, plan: (), in: environment, work: work)
    case .gridLanes(let layout, let plan):
      layout.solve(section, at: index, plan: plan, in: environment, work: work)
    case .compositional(let template):
      plan.compositional.solve(
        section,
        with: template,
        at: index,
        plan: plan.compositionalPlan,
        in: environment,
        work: work
      )
    }
  }

  /// Updates the section as the entry does that it takes. It took the same entry before.
  ///
  /// - Complexity: that of the entry's layout.
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: SectionsPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    func updated<Layout: SectionedLayout>(_ layout: Layout, _ plan: Layout.Plan) -> SolvedSection {
      layout.update(
        solved,
        to: section,
        by: change,
        at: index,
        plan: plan,
        in: environment,
        work: work
      )
    }
    switch plan.entry(for: section, at: index) {
    case .none: return SolvedSection(length: 0, itemCount: section.items.count, body: nil)
    case .flow(let layout): return updated(layout, nil)
    case .list(let layout, let plan): return updated(layout, plan)
    case .grid(let layout): return layout.lane(of: section, in: environment)
    case .waterfall(let layout): return updated(layout, ())
    case .gridLanes(let layout, let plan): return updated(layout, plan)
    case .compositional(let template):
      return plan.compositional.update(
        solved,
        to: section,
        by: change,
        with: template,
        at: index,
        plan: plan.compositionalPlan,
        in: environment,
        work: work
      )
    }
  }

  /// Where an orthogonal section comes to rest; nil for other sections.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    in prepared: PreparedSections<SectionsLayout>
  ) -> ScrollTarget? {
    let contents = prepared.context.contents
    guard let section, section >= 0, section < contents.sectionCount else { return nil }
    return CompositionalLayout.restingOffset(
      proposed: proposed,
      velocity: velocity,
      section: section,
      scrolling: orthogonalScrolling(
        ofSection: section,
        named: contents.section(at: section).layoutName
      ),
      viewport: viewport,
      in: prepared
    )
  }
}
