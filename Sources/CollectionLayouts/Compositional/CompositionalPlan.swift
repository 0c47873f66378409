// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What all sections of a compositional layout have in common for one container.
public struct CompositionalPlan: Sendable {
  let kinds: [String: Int]
  let templates: [SectionTemplate]
  private let templatesByName: [String: Int]
  /// Elements of the whole layout.
  let global: BoundarySolver

  init(_ layout: CompositionalLayout, in environment: SectionEnvironment) {
    var kinds: [String: Int] = [:]
    for (index, kind) in layout.elementKinds.enumerated() { kinds[kind] = index }
    let global = BoundarySolver(
      layout.boundarySupplementaryItems,
      kinds: kinds,
      crossStart: 0,
      crossLength: environment.crossLength,
      environment: environment
    )
    let sides = global.sides
    templates = layout.sections.map {
      SectionTemplate(
        $0,
        kinds: kinds,
        frame: (sides.start, max(0, environment.crossLength - sides.start - sides.end)),
        environment: environment
      )
    }
    var names: [String: Int] = [:]
    for (index, section) in layout.sections.enumerated()
    where !section.name.isEmpty && names[section.name] == nil {
      names[section.name] = index
    }
    templatesByName = names
    self.kinds = kinds
    self.global = global
  }

  /// How a section is laid out: as it says, else by its position.
  func template(named name: String, at index: Int) -> SectionTemplate? {
    if !name.isEmpty, let named = templatesByName[name] { return templates[named] }
    return templates.isEmpty ? nil : templates[index % templates.count]
  }
}
