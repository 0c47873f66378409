// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension SectionsLayout {
  /// Rejects what the layouts of the entries reject, entries without a layout, entries that scroll
  /// along another axis than the whole layout, and anything beyond the limits. Warns of duplicate
  /// names, and of what the layouts of the entries warn of.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectNotNegative(interSectionSpacing, "inter_section_spacing")
    if layouts.isEmpty { findings.reject("layouts", "is empty; at least one layout is needed") }
    findings.expectCount(layouts.count, of: "entries", atMost: Limit.sections, "layouts")
    let kindCount = allElementKinds.count
    if kindCount > Limit.elementKinds {
      findings.reject(
        "layouts",
        "have \(kindCount) different element kinds; at most \(Limit.elementKinds) are allowed"
      )
    }
    var names: [ExactText: Int] = [:]
    for (index, entry) in usedLayouts.enumerated() {
      let field = "layouts[\(index)]"
      entry.validate(field, axis: scrollAxis, viewportSize: viewportSize, findings: &findings)
      guard !entry.name.isEmpty else { continue }
      if let first = names[ExactText(entry.name)] {
        findings.warn(
          "\(field).name",
          "is \"\(entry.name)\" like that of layouts[\(first)], which is taken"
        )
      } else {
        names[ExactText(entry.name)] = index
      }
    }
  }
}

extension SectionLayout {
  fileprivate func validate(
    _ field: String,
    axis: ScrollAxis,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) {
    switch kind {
    case .unspecified:
      findings.reject(
        field,
        "is neither flow, list, grid, waterfall, grid lanes nor compositional; one is needed"
      )
    case .flow(let layout):
      findings.expectAxis(layout.scrollDirection, axis, "\(field).flow.scroll_direction")
      findings.add(layout, viewportSize, under: "\(field).flow")
    case .list(let layout):
      findings.expectAxis(layout.scrollAxis, axis, "\(field).list")
      findings.add(layout, viewportSize, under: "\(field).list")
    case .grid(let layout):
      findings.expectAxis(.vertical, axis, "\(field).grid")
      findings.add(layout, viewportSize, under: "\(field).grid")
    case .waterfall(let layout):
      findings.expectAxis(layout.scrollAxis, axis, "\(field).waterfall.scroll_direction")
      findings.add(layout, viewportSize, under: "\(field).waterfall")
    case .gridLanes(let layout):
      findings.expectAxis(layout.scrollAxis, axis, "\(field).grid_lanes.scroll_direction")
      findings.add(layout, viewportSize, under: "\(field).grid_lanes")
    case .compositional(let section):
      if !section.name.isEmpty {
        findings.reject(
          "\(field).compositional.name",
          "is \"\(section.name)\"; must be empty, because the entry has the name"
        )
      }
      section.validate(
        "\(field).compositional",
        axis: axis,
        viewportSize: viewportSize,
        findings: &findings
      )
    }
  }
}

extension LayoutFindings {
  /// Rejects an entry that scrolls along another axis than the whole layout.
  fileprivate mutating func expectAxis(_ axis: ScrollAxis, _ wanted: ScrollAxis, _ field: String) {
    if axis != wanted {
      reject(field, "scrolls \(axis.adverb); must scroll \(wanted.adverb), as the sections do")
    }
  }

  /// Adds what an entry's layout finds.
  fileprivate mutating func add(
    _ layout: some CollectionLayout,
    _ viewportSize: Size?,
    under field: String
  ) {
    var own = LayoutFindings()
    layout.validate(viewportSize: viewportSize, findings: &own)
    for violation in own.violations {
      reject(violation.within(field).field, violation.description)
    }
    for warning in own.warnings { warn(warning.within(field).field, warning.description) }
  }
}

extension ScrollAxis {
  fileprivate var adverb: String { self == .vertical ? "vertically" : "horizontally" }
}
