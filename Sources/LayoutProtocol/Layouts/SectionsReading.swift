// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

// An entry without a layout becomes an `unspecified` one, which the layout's own validation
// refuses.

extension FieldReader {
  mutating func sections(_ message: Wire.SectionsLayout) -> SectionsLayout {
    let axis = scrollAxis(message.scrollDirection, "scroll_direction") ?? .vertical
    return SectionsLayout(
      scrollAxis: axis,
      interSectionSpacing: number(message.interSectionSpacing, "inter_section_spacing"),
      layouts: each(message.layouts, "layouts") { message, reader in
        SectionLayout(
          name: reader.text(message.name, "name", maxBytes: FieldReader.maxNameBytes),
          reader.layout(message.layout, along: axis)
        )
      }
    )
  }

  /// Reads the layout of an entry. If it does not say along which axis it scrolls, it takes that of
  /// the sections.
  private mutating func layout(
    _ message: Wire.SectionLayout.OneOf_Layout?,
    along axis: ScrollAxis
  ) -> SectionLayout.Kind {
    switch message {
    case .flow(let message):
      var layout = within("flow") { $0.flow(message) }
      if message.scrollDirection == .unspecified { layout.scrollDirection = axis }
      return .flow(layout)
    case .list(let message): return .list(within("list") { $0.list(message) })
    case .grid(let message): return .grid(within("grid") { $0.grid(message) })
    case .waterfall(let message):
      var layout = within("waterfall") { $0.waterfall(message) }
      if message.scrollDirection == .unspecified { layout.scrollAxis = axis }
      return .waterfall(layout)
    case .gridLanes(let message):
      var layout = within("grid_lanes") { $0.gridLanes(message) }
      if message.scrollDirection == .unspecified { layout.scrollAxis = axis }
      return .gridLanes(layout)
    case .compositional(let message):
      return .compositional(within("compositional") { $0.compositionalSection(message) })
    case nil: return .unspecified
    }
  }
}
