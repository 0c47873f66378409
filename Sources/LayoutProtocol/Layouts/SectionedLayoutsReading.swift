// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

// Fields that are not set keep the defaults of the layouts' initialisers, which are the documented
// ones.

extension FieldReader {
  mutating func flow(_ message: Wire.FlowLayout) -> FlowLayout {
    var layout = FlowLayout()
    if let axis = scrollAxis(message.scrollDirection, "scroll_direction") {
      layout.scrollDirection = axis
    }
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    if message.hasEstimatedItemSize {
      layout.estimatedItemSize = size(message.estimatedItemSize, "estimated_item_size")
    }
    if message.hasMinimumLineSpacing {
      layout.minimumLineSpacing = number(message.minimumLineSpacing, "minimum_line_spacing")
    }
    if message.hasMinimumInteritemSpacing {
      layout.minimumInteritemSpacing = number(
        message.minimumInteritemSpacing,
        "minimum_interitem_spacing"
      )
    }
    if message.hasSectionInset {
      layout.sectionInset = insets(message.sectionInset, "section_inset")
    }
    if message.hasHeaderReferenceSize {
      layout.headerReferenceSize = size(message.headerReferenceSize, "header_reference_size")
    }
    if message.hasFooterReferenceSize {
      layout.footerReferenceSize = size(message.footerReferenceSize, "footer_reference_size")
    }
    layout.sectionHeadersPinToVisibleBounds = message.sectionHeadersPinToVisibleBounds
    layout.sectionFootersPinToVisibleBounds = message.sectionFootersPinToVisibleBounds
    layout.alignment = alignment(message.alignment)
    layout.crossAlignment = crossAlignment(message.crossAlignment)
    layout.sectionInsetReference = insetsReference(
      message.sectionInsetReference,
      "section_inset_reference"
    )
    if message.hasPinnedZIndex { layout.pinnedZIndex = Int(message.pinnedZIndex) }
    return layout
  }

  private mutating func alignment(_ message: Wire.FlowAlignment) -> FlowLayout.Alignment {
    choice(message, "alignment") { alignment -> FlowLayout.Alignment? in
      switch alignment {
      case .unspecified, .justified: .justified
      case .leading: .leading
      case .center: .center
      case .trailing: .trailing
      case .UNRECOGNIZED: nil
      }
    } ?? .justified
  }

  private mutating func crossAlignment(
    _ message: Wire.CrossAlignment
  ) -> FlowLayout.CrossAlignment {
    choice(message, "cross_alignment") { alignment -> FlowLayout.CrossAlignment? in
      switch alignment {
      case .unspecified, .center: .center
      case .start: .start
      case .end: .end
      case .UNRECOGNIZED: nil
      }
    } ?? .center
  }

  mutating func list(_ message: Wire.ListLayout) -> ListLayout {
    var layout = ListLayout()
    if message.hasRowHeight { layout.rowHeight = length(message.rowHeight, "row_height") }
    layout.isSelfSizing = message.selfSizing
    layout.rowSpacing = number(message.rowSpacing, "row_spacing")
    if message.hasSectionInset {
      layout.sectionInset = insets(message.sectionInset, "section_inset")
    }
    layout.headerHeight = length(message.headerHeight, "header_height")
    layout.footerHeight = length(message.footerHeight, "footer_height")
    layout.headersPinToVisibleBounds = message.headersPinToVisibleBounds
    layout.footersPinToVisibleBounds = message.footersPinToVisibleBounds
    layout.separatorThickness = length(message.separatorThickness, "separator_thickness")
    if message.hasSeparatorInsets {
      layout.separatorInsets = insets(message.separatorInsets, "separator_insets")
    }
    return layout
  }

  mutating func grid(_ message: Wire.GridLayout) -> GridLayout {
    var layout = GridLayout()
    if message.hasItemSize { layout.itemSize = size(message.itemSize, "item_size") }
    layout.interitemSpacing = number(message.interitemSpacing, "interitem_spacing")
    layout.lineSpacing = number(message.lineSpacing, "line_spacing")
    return layout
  }

  mutating func waterfall(_ message: Wire.WaterfallLayout) -> WaterfallLayout {
    let columns: WaterfallLayout.Columns =
      switch message.columns {
      case .columnCount(let count): .count(Int(count))
      case .minimumColumnWidth(let width):
        .minimumWidth(number(width, "minimum_column_width"))
      // Columns have no default. The layout's validation refuses 0.
      case nil: .count(0)
      }
    var layout = WaterfallLayout(columns: columns)
    if let axis = scrollAxis(message.scrollDirection, "scroll_direction") {
      layout.scrollAxis = axis
    }
    layout.columnSpacing = number(message.columnSpacing, "column_spacing")
    layout.itemSpacing = number(message.itemSpacing, "item_spacing")
    if message.hasSectionInset {
      layout.sectionInset = insets(message.sectionInset, "section_inset")
    }
    layout.headerHeight = length(message.headerHeight, "header_height")
    layout.footerHeight = length(message.footerHeight, "footer_height")
    layout.order =
      choice(message.order, "order") { order -> WaterfallLayout.Order? in
        switch order {
        case .unspecified, .shortestFirst: .shortestFirst
        case .leadingToTrailing: .leadingToTrailing
        case .trailingToLeading: .trailingToLeading
        case .UNRECOGNIZED: nil
        }
      } ?? .shortestFirst
    layout.headersPinToVisibleBounds = message.headersPinToVisibleBounds
    return layout
  }
}
