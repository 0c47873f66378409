// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// What all sections of a layout of sections have in common for one container.
public struct SectionsPlan: Sendable {
  /// How the sections that take an entry are solved.
  enum Entry: Sendable {
    /// Not at all: they show nothing.
    case none
    case flow(FlowLayout)
    case list(ListLayout, ListPlan)
    case grid(GridLayout)
    case waterfall(WaterfallLayout)
    case gridLanes(GridLanesLayout, GridLanesPlan)
    case compositional(SectionTemplate)
  }

  /// All compositional sections as one layout.
  let compositional: CompositionalLayout
  /// What they have in common.
  let compositionalPlan: CompositionalPlan
  private let entries: [Entry]
  /// Indices into `entries`, by the names of the entries.
  private let entriesByName: [ExactText: Int]

  /// - Parameter old: the plan for fewer kinds of cells; nil = there is none.
  init(
    _ layout: SectionsLayout,
    in environment: SectionEnvironment,
    after old: SectionsPlan? = nil
  ) {
    let compositional = layout.compositional
    let plan = CompositionalPlan(
      compositional,
      elementKinds: layout.elementKinds,
      in: environment
    )
    var templates = plan.templates[...]
    entries = layout.usedLayouts.enumerated().map { index, layout in
      let old = old.flatMap { index < $0.entries.count ? $0.entries[index] : nil }
      return Self.entry(layout.kind, in: environment, after: old, &templates)
    }
    var names: [ExactText: Int] = [:]
    for (index, entry) in layout.usedLayouts.enumerated().reversed() where !entry.name.isEmpty {
      // The first of several with one name is taken.
      names[ExactText(entry.name)] = index
    }
    entriesByName = names
    self.compositional = compositional
    compositionalPlan = plan
  }

  /// - Parameter templates: those of this and all later compositional sections.
  private static func entry(
    _ kind: SectionLayout.Kind,
    in environment: SectionEnvironment,
    after old: Entry?,
    _ templates: inout ArraySlice<SectionTemplate>
  ) -> Entry {
    let axis = environment.axis
    switch kind {
    case .unspecified: return .none
    case .flow(var layout):
      layout.scrollDirection = axis
      return .flow(layout)
    case .list(let layout):
      return axis == layout.scrollAxis ? .list(layout, layout.plan(for: environment)) : .none
    case .grid(let layout): return axis == .vertical ? .grid(layout) : .none
    case .waterfall(var layout):
      layout.scrollAxis = axis
      return .waterfall(layout)
    case .gridLanes(var layout):
      layout.scrollAxis = axis
      guard case .gridLanes(_, let plan) = old else {
        return .gridLanes(layout, layout.plan(for: environment))
      }
      return .gridLanes(layout, layout.plan(for: environment, after: plan))
    case .compositional: return templates.popFirst().map { .compositional($0) } ?? .none
    }
  }

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int {
    let ownPlans = entries.reduce(0) { sum, entry in
      switch entry {
      case .list(let layout, let plan): sum + layout.byteCount(of: plan)
      case .gridLanes(let layout, let plan): sum + layout.byteCount(of: plan)
      case .none, .flow, .grid, .waterfall, .compositional: sum
      }
    }
    return entriesByName.keys.reduce(
      compositionalPlan.byteCount + ownPlans + entries.count * MemoryLayout<Entry>.stride
    ) { $0 + 48 + $1.text.utf8.count }
  }

  /// The entry that a section takes: the one with its layout name, else the one at its index modulo
  /// their number.
  func entry(for section: SectionContents, at index: Int) -> Entry {
    let name = section.layoutName
    if !name.isEmpty, let named = entriesByName[ExactText(name)] { return entries[named] }
    return entries.isEmpty ? .none : entries[index % entries.count]
  }

  /// The period with which a section's solution depends on its index: see `SectionedLayout`.
  func indexPeriod(of section: SectionContents, at index: Int) -> Int {
    if case .compositional(let template) = entry(for: section, at: index), template.isIndexed {
      return 0
    }
    return entriesByName[ExactText(section.layoutName)] == nil ? max(1, entries.count) : 1
  }
}
