// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

extension Wire.SectionsLayout {
  init(_ layout: SectionsLayout) {
    self.init()
    scrollDirection = Wire.ScrollDirection(layout.scrollAxis)
    interSectionSpacing = layout.interSectionSpacing
    layouts = layout.layouts.map { Wire.SectionLayout($0) }
  }
}

extension Wire.SectionLayout {
  fileprivate init(_ entry: SectionLayout) {
    self.init()
    name = entry.name
    switch entry.kind {
    case .unspecified: break
    case .flow(let layout): flow = Wire.FlowLayout(layout)
    case .list(let layout): list = Wire.ListLayout(layout)
    case .grid(let layout): grid = Wire.GridLayout(layout)
    case .waterfall(let layout): waterfall = Wire.WaterfallLayout(layout)
    case .gridLanes(let layout): gridLanes = Wire.GridLanesLayout(layout)
    case .compositional(let section): compositional = Wire.CompositionalSection(section)
    }
  }
}
