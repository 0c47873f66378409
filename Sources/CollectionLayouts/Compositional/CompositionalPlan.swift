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
  let global: BoundarySolver

  init(_ layout: CompositionalLayout, in environment: SectionEnvironment) {
    var kinds: [String: Int] = [:]
    for (index, kind) in layout.elementKinds.enumerated() { kinds[kind] = index }
    global = BoundarySolver(
      layout.boundarySupplementaryItems,
      kinds: kinds,
      crossStart: 0,
      crossLength: environment.crossLength,
      environment: environment
    )
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

  /// The memory that it takes, in bytes: an estimate. It grows when sections use more of the
  /// templates.
  var byteCount: Int {
    let names = kinds.keys.reduce(0) { $0 + 48 + $1.utf8.count }
    let sectionNames = templatesByName.keys.reduce(0) { $0 + 48 + $1.utf8.count }
    return templates.reduce(global.byteCount + names + sectionNames) { $0 + $1.byteCount }
  }

  /// The template that a section takes: the one with its layout name, else the one at its index
  /// modulo their number; nil if there are none.
  func template(named name: String, at index: Int) -> SectionTemplate? {
    if !name.isEmpty, let named = templatesByName[name] { return templates[named] }
    return templates.isEmpty ? nil : templates[index % templates.count]
  }
}
