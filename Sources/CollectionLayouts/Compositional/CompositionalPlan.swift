// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Indices of a compositional layout's element kinds, by the bytes of their names.
struct KindIndices: Sendable {
  private var indices: [ExactText: Int] = [:]

  /// - Parameter kinds: without duplicates.
  init(_ kinds: [String]) {
    indices.reserveCapacity(kinds.count)
    for (index, kind) in kinds.enumerated() { indices[ExactText(kind)] = index }
  }

  /// The index of a kind; nil = the layout does not have it.
  subscript(kind: String) -> Int? { indices[ExactText(kind)] }

  /// The memory that they take, in bytes: an estimate.
  var byteCount: Int { indices.keys.reduce(0) { $0 + 48 + $1.text.utf8.count } }
}

/// What all sections of a compositional layout have in common for one container.
public struct CompositionalPlan: Sendable {
  /// Indices of the layout's element kinds by name.
  let kinds: KindIndices
  /// One for each used entry of `sections`.
  let templates: [SectionTemplate]
  /// Indices into `templates`, by the names of their entries.
  private let templatesByName: [ExactText: Int]
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
    let kinds = KindIndices(elementKinds)
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
    var names: [ExactText: Int] = [:]
    for (index, section) in layout.usedSections.enumerated().reversed()
    where !section.name.isEmpty {
      // The first of several with one name is taken.
      names[ExactText(section.name)] = index
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
    let sectionNames = templatesByName.keys.reduce(0) { $0 + 48 + $1.text.utf8.count }
    return templates.reduce(2 * global.byteCount + kinds.byteCount + sectionNames) {
      $0 + $1.byteCount
    }
  }

  /// Whether a section with this name takes the same template at any index.
  func hasTemplate(named name: String) -> Bool { templatesByName[ExactText(name)] != nil }

  /// The template that a section takes: the one with its layout name, else the one at its index
  /// modulo their number; nil if there are none.
  func template(named name: String, at index: Int) -> SectionTemplate? {
    if !name.isEmpty, let named = templatesByName[ExactText(name)] { return templates[named] }
    return templates.isEmpty ? nil : templates[index % templates.count]
  }
}
