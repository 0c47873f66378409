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
    templates = layout.usedSections.map {
      SectionTemplate(
        $0,
        kinds: kinds,
        frame: (sides.start, max(0, environment.crossLength - sides.start - sides.end)),
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
    self.global = global
  }

  /// Roughly what it keeps in memory, in bytes; grows as sections use more of the templates.
  var byteCount: Int {
    let names = kinds.keys.reduce(0) { $0 + 48 + $1.utf8.count }
    let sectionNames = templatesByName.keys.reduce(0) { $0 + 48 + $1.utf8.count }
    return templates.reduce(global.byteCount + names + sectionNames) { $0 + $1.byteCount }
  }

  /// How a section is laid out: as it says, else by its position.
  func template(named name: String, at index: Int) -> SectionTemplate? {
    if !name.isEmpty, let named = templatesByName[name] { return templates[named] }
    return templates.isEmpty ? nil : templates[index % templates.count]
  }
}
