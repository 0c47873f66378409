// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

extension CompositionalLayout: SectionedLayout {
  /// "compositional".
  public var kindName: String { "compositional" }

  /// The kinds of boundary elements, badges and backgrounds; those beyond the limit are left out.
  public var elementKinds: [String] { Array(allElementKinds.prefix(Limit.elementKinds)) }

  /// All kinds without duplicates, in the order of their first use.
  var allElementKinds: [String] {
    var kinds: [String] = []
    var seen: Set<ExactText> = []
    func add(_ kind: String) {
      if seen.insert(ExactText(kind)).inserted { kinds.append(kind) }
    }
    for item in boundarySupplementaryItems { add(item.kind) }
    for section in usedSections {
      let section = section.resolved
      for item in section.boundarySupplementaryItems { add(item.kind) }
      for kind in section.list?.separatorKinds ?? [] { add(kind) }
      section.group.forEachBadge { badge, _ in add(badge.kind) }
      for background in section.backgrounds { add(background.kind) }
    }
    return kinds
  }

  /// The entries of `sections` within the limit; the others are ignored.
  var usedSections: ArraySlice<CompositionalSection> { sections.prefix(Limit.sections) }

  /// The memory that a plan takes, in bytes: an estimate.
  public func byteCount(of plan: CompositionalPlan) -> Int { plan.byteCount }

  /// Everything if a section has effects, else pinned elements if there are any.
  public var scrollDependence: ScrollDependence {
    if sections.contains(where: { !$0.visibleItemEffects.isEmpty }) { return .everything }
    let items =
      boundarySupplementaryItems + sections.flatMap { $0.resolved.boundarySupplementaryItems }
    return items.contains(where: \.pinToVisibleBounds) ? .pinnedElements : .none
  }

  /// Whether some length is a fraction of the container's extent along the scroll axis.
  public var dependsOnMainLength: Bool {
    func depends(_ dimension: LayoutDimension) -> Bool {
      switch dimension {
      case .fractionalWidth: scrollAxis == .horizontal
      case .fractionalHeight: scrollAxis == .vertical
      case .unspecified: true
      case .absolute, .estimated, .uniformAcrossSiblings: false
      }
    }
    func depends(_ size: LayoutSize) -> Bool { depends(size.width) || depends(size.height) }
    return boundarySupplementaryItems.contains { depends($0.size) }
      || sections.contains { entry in
        let section = entry.resolved
        return depends(section.group.size)
          || section.group.supplementaryItems.contains { depends($0.size) }
          || section.boundarySupplementaryItems.contains { depends($0.size) }
      }
  }

  /// Those that some section is measured from.
  ///
  /// - Complexity: O(entries of `sections`) if the container has reference insets.
  public func significantReferences(of container: LayoutContainer) -> ReferenceInsets {
    guard !container.references.isNone else { return .none }
    return container.references(usedReferences, across: scrollAxis, isClamped: true)
  }

  /// What the insets of its sections are measured from.
  var usedReferences: Set<InsetsReference> {
    var used: Set<InsetsReference> = []
    for section in usedSections {
      used.insert(section.insetsReference(orElse: contentInsetsReference))
      used.insert(section.supplementaryContentInsetsReference)
    }
    return used
  }

  /// The entry that a section takes: the one with its layout name, else the one at its index modulo
  /// their number; nil if there are no entries.
  func entry(named name: String, at index: Int) -> CompositionalSection? {
    let sections = usedSections
    if !name.isEmpty, let named = sections.first(where: { $0.name.hasSameBytes(as: name) }) {
      return named
    }
    return sections.isEmpty ? nil : sections[index % sections.count]
  }

  /// Whether the entry that the section takes scrolls across the layout's axis.
  public func scrollsOrthogonally(section: Int, named name: String) -> Bool {
    entry(named: name, at: section).map { $0.orthogonalScrolling != .none } ?? false
  }

  /// Whether the entry that the section takes starts at offset 0: all do except those that show a
  /// group in the middle.
  public func startsAtOffsetZero(section: Int, named name: String) -> Bool {
    entry(named: name, at: section)?.orthogonalScrolling != .groupPagingCentered
  }

  /// Prepares all entries of `sections` for a container.
  ///
  /// - Complexity: O(parameters)
  public func plan(for environment: SectionEnvironment) -> CompositionalPlan {
    CompositionalPlan(self, elementKinds: elementKinds, in: environment)
  }

  /// The number of entries in `sections` if a section takes one by its index, 1 if it takes one by
  /// its name, and 0 if backgrounds name sections by their indices.
  public func indexPeriod(
    of section: SectionContents,
    at index: Int,
    plan: CompositionalPlan,
    in environment: SectionEnvironment
  ) -> Int {
    let name = section.layoutName
    guard let template = plan.template(named: name, at: index) else { return 1 }
    return template.isIndexed ? 0 : plan.hasTemplate(named: name) ? 1 : plan.templates.count
  }

  /// The room that the boundary elements of the whole layout take before and after the sections.
  public func globalMargins(
    plan: CompositionalPlan,
    in environment: SectionEnvironment
  ) -> SolvedSection.Overhang {
    SolvedSection.Overhang(start: plan.global.head, end: plan.global.tail)
  }

  /// The length of the longest boundary element of the whole layout that lies over the sections and
  /// extends the boundary.
  public func leastStackLength(
    plan: CompositionalPlan,
    in environment: SectionEnvironment
  ) -> Double {
    plan.global.leastContentLength
  }

  /// The boundary elements of the whole layout.
  public func globalElements(
    contentLength: Double,
    plan: CompositionalPlan,
    in environment: SectionEnvironment
  ) -> [SectionElement] {
    plan.global.sectionElements(
      contentLength: max(0, contentLength - plan.global.head - plan.global.tail),
      distances: (0, 0)
    )
  }
}

extension CompositionalSection {
  /// What the content insets are measured from.
  ///
  /// - Parameter reference: the layout's.
  func insetsReference(orElse reference: InsetsReference) -> InsetsReference {
    if list != nil, contentInsetsReference == .automatic { return .none }
    let named = contentInsetsReference == .automatic ? reference : contentInsetsReference
    return named == .automatic ? .safeArea : named
  }
}

extension SectionEnvironment {
  /// How much of the content lies outside of a reference at its two edges across the scroll axis,
  /// in points; not negative.
  func margins(of reference: InsetsReference) -> (start: Double, end: Double) {
    let distances = container.distances(to: reference, across: axis)
    return (DimensionResolver.length(distances.start), DimensionResolver.length(distances.end))
  }
}

extension LayoutGroup {
  /// Calls `body` with each badge on the group and in it, in the order of the parameters, and with
  /// whether the badge is on a group.
  func forEachBadge(depth: Int = 1, _ body: (AnchoredSupplementaryItem, Bool) -> Void) {
    guard depth <= CompositionalLayout.Limit.depth else { return }
    for item in supplementaryItems { body(item, true) }
    for subitem in subitems {
      switch subitem {
      case .unspecified: break
      case .item(let item): for badge in item.supplementaryItems { body(badge, false) }
      case .group(let group): group.forEachBadge(depth: depth + 1, body)
      }
    }
  }
}
