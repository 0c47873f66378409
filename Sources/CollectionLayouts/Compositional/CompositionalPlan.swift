// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What all sections of a compositional layout have in common for one container.
public struct CompositionalPlan: Sendable {
  /// Indices of the layout's element kinds by name.
  let kinds: [String: Int]
  /// One for each used entry of `sections`.
  let templates: [SectionTemplate]
  /// Indices into `templates`, by the names of their entries.
  private let templatesByName: [String: Int]
  /// The boundary elements of the whole layout.
  private(set) var global: BoundarySolver
  /// The same with the lengths that they were estimated to have.
  private let estimatedGlobal: BoundarySolver
  /// The measured sizes in `global`, by kinds.
  private var measuredSizes: [String: Size] = [:]

  /// - Parameter elementKinds: without duplicates; kinds that are not among them are not shown.
  init(
    _ layout: CompositionalLayout,
    elementKinds: [String],
    in environment: SectionEnvironment
  ) {
    var kinds: [String: Int] = [:]
    for (index, kind) in elementKinds.enumerated() { kinds[kind] = index }
    estimatedGlobal = BoundarySolver(
      layout.boundarySupplementaryItems,
      kinds: kinds,
      crossStart: 0,
      crossLength: environment.crossLength,
      environment: environment
    )
    global = estimatedGlobal
    templates = layout.usedSections.map {
      SectionTemplate(
        $0,
        reference: layout.contentInsetsReference,
        kinds: kinds,
        environment: environment
      )
    }
    var names: [String: Int] = [:]
    for (index, section) in layout.usedSections.enumerated()
    where !section.name.isEmpty && names[section.name] == nil {
      names[section.name] = index
    }
    templatesByName = names
    self.kinds = kinds
  }

  /// The plan with measured sizes of the boundary elements of the whole layout; nil = those are the
  /// sizes that it has.
  func measuring(_ sizes: [String: Size]) -> CompositionalPlan? {
    guard sizes != measuredSizes else { return nil }
    var plan = self
    plan.measuredSizes = sizes
    plan.global = sizes.isEmpty ? estimatedGlobal : estimatedGlobal.measured { sizes[$0] }
    return plan
  }

  /// The memory that it takes, in bytes: an estimate. It grows when sections use more of the
  /// templates.
  var byteCount: Int {
    let names = kinds.keys.reduce(0) { $0 + 48 + $1.utf8.count }
    let sectionNames = templatesByName.keys.reduce(0) { $0 + 48 + $1.utf8.count }
    return templates.reduce(2 * global.byteCount + names + sectionNames) { $0 + $1.byteCount }
  }

  /// Whether a section with this name takes the same template at any index.
  func hasTemplate(named name: String) -> Bool { templatesByName[name] != nil }

  /// The template that a section takes: the one with its layout name, else the one at its index
  /// modulo their number; nil if there are none.
  func template(named name: String, at index: Int) -> SectionTemplate? {
    if !name.isEmpty, let named = templatesByName[name] { return templates[named] }
    return templates.isEmpty ? nil : templates[index % templates.count]
  }
}
