// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// A layout of sections, naively: each section is laid out alone by its own layout, and moved
/// behind those before it.
struct StackedSections {
  var layout: SectionsLayout
  var context: LayoutContext
  var viewport: Viewport

  /// A section that is laid out alone.
  private struct Part {
    var prepared: any PreparedLayout
    var start: Double
    var length: Double
    var isGrid: Bool
  }

  var reference: Reference {
    let axis = layout.scrollAxis
    let parts = parts
    let length = parts.last.map { $0.start + $0.length } ?? 0
    // Rows of grids may be wider than the container.
    let breadth = parts.filter(\.isGrid).reduce(axis.cross(context.container.contentSize)) {
      max($0, $1.prepared.contentSize.width)
    }
    var reference = Reference(
      contentSize: axis.size(
        main: length,
        cross: breadth
      )
    )
    let isRightToLeft = context.container.isRightToLeft
    let isReversed = isRightToLeft && axis == .horizontal
    for (index, part) in parts.enumerated() {
      let start = isReversed ? length - part.start - part.length : part.start
      let isWide = isRightToLeft && axis == .vertical
      let shift = axis.point(
        main: start,
        cross: isWide ? breadth - part.prepared.contentSize.width : 0
      )
      var viewport = viewport
      viewport.offset = viewport.offset - shift
      viewport.sectionOffsets = viewport.sectionOffsets[index].map { [0: $0] } ?? [:]
      for var element in part.prepared.probed(in: .everywhere, viewport) {
        let item = element.key.indexPath.item
        element.key.indexPath =
          item.map { IndexPath(section: index, item: $0) } ?? IndexPath(section: index)
        element.attributes.frame = element.attributes.frame.offset(by: shift)
        reference.elements.append(element)
      }
    }
    return reference
  }

  private var parts: [Part] {
    var parts: [Part] = []
    var start = 0.0
    for index in 0 ..< context.contents.sectionCount {
      let entry = entry(index)
      let prepared = prepared(index, entry)
      let length = layout.scrollAxis.main(prepared.contentSize)
      var isGrid = false
      if case .grid = entry.kind { isGrid = true }
      parts.append(Part(prepared: prepared, start: start, length: length, isGrid: isGrid))
      start += length + layout.interSectionSpacing
    }
    return parts
  }

  private func entry(_ index: Int) -> SectionLayout {
    let name = context.contents.section(at: index).layoutName
    let named = layout.layouts.first { !$0.name.isEmpty && $0.name == name }
    return named ?? layout.layouts[index % layout.layouts.count]
  }

  private func prepared(_ index: Int, _ entry: SectionLayout) -> any PreparedLayout {
    let section = context.contents.section(at: index)
    var alone = context
    alone.contents = CollectionContents(
      sections: [section],
      cellKindNames: context.contents.cellKindNames
    )
    alone.options.sectionBackgrounds = Self.backgrounds(
      context.options.sectionBackgrounds,
      of: index
    )
    switch entry.kind {
    case .unspecified: return CompositionalLayout(sections: []).prepare(alone)
    case .flow(let layout): return layout.prepare(alone)
    case .list(let layout): return layout.prepare(alone)
    case .grid(let layout): return layout.prepare(alone)
    case .waterfall(let layout): return layout.prepare(alone)
    case .gridLanes(let layout): return layout.prepare(alone)
    case .compositional(var section):
      section.backgrounds = Self.backgrounds(section.backgrounds, of: index)
      return CompositionalLayout(scrollAxis: layout.scrollAxis, sections: [section])
        .prepare(alone)
    }
  }

  /// Those behind a section, which is the only one there.
  private static func backgrounds(
    _ backgrounds: [SectionBackground],
    of section: Int
  ) -> [SectionBackground] {
    backgrounds.compactMap {
      guard $0.sections?.contains(section) ?? true else { return nil }
      var background = $0
      background.sections = nil
      return background
    }
  }
}
