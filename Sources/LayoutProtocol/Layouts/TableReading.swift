// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts

extension FieldReader {
  mutating func table(_ message: Wire.TableLayout) -> TableLayout {
    var layout = TableLayout(columns: tableColumns(message.columns))
    if message.hasRowHeight { layout.rowHeight = length(message.rowHeight, "row_height") }
    layout.isSelfSizing = message.selfSizing
    layout.rowSpacing = length(message.rowSpacing, "row_spacing")
    if message.hasHeaderHeight {
      layout.headerHeight = length(message.headerHeight, "header_height")
    }
    layout.headersScrollAway = message.headersScrollAway
    layout.sectionHeaderHeight = length(message.sectionHeaderHeight, "section_header_height")
    layout.sectionFooterHeight = length(message.sectionFooterHeight, "section_footer_height")
    layout.sectionHeadersPinToVisibleBounds = message.sectionHeadersPinToVisibleBounds
    layout.separatorThickness = length(message.separatorThickness, "separator_thickness")
    layout.rowKinds = each(message.rowKinds, "row_kinds") { kind, reader in
      TableRowKind(
        cellKind: reader.text(kind.cellKind, "cell_kind", maxBytes: FieldReader.maxNameBytes),
        isWhole: kind.whole,
        spans: reader.each(kind.spans, "spans") { span, reader in
          TableSpan(
            column: reader.text(span.column, "column", maxBytes: FieldReader.maxNameBytes),
            count: span.count == 0 ? nil : Int(span.count),
            rowCount: span.rowCount == 0 ? 1 : Int(span.rowCount)
          )
        }
      )
    }
    return layout
  }

  private mutating func tableColumns(_ messages: [Wire.TableColumn]) -> [TableColumn] {
    each(messages, "columns") { message, reader in reader.tableColumn(message) }
  }

  private mutating func tableColumn(_ message: Wire.TableColumn) -> TableColumn {
    var column = TableColumn(text(message.id, "id", maxBytes: FieldReader.maxNameBytes))
    column.isHidden = message.hidden
    column.frozen =
      choice(message.frozen, "frozen") { edge -> TableEdge?? in
        switch edge {
        case .unspecified: .some(nil)
        case .leading: .leading
        case .trailing: .trailing
        case .UNRECOGNIZED: nil
        }
      } ?? nil
    guard message.columns.isEmpty else {
      column.columns = tableColumns(message.columns)
      refuseWidth(ofGroup: message)
      return column
    }
    switch message.size {
    case .width(let width): column.width = .points(length(width, "width"))
    case .share(let share): column.width = .share(number(share, "share"))
    case nil: break
    }
    column.minimum = length(message.minimum, "minimum")
    if message.hasMaximum { column.maximum = length(message.maximum, "maximum") }
    return column
  }

  private mutating func refuseWidth(ofGroup message: Wire.TableColumn) {
    let found = "found in a group, which is as wide as its columns"
    switch message.size {
    case .width: reject("width", found)
    case .share: reject("share", found)
    case nil: break
    }
    if message.minimum != 0 { reject("minimum", found) }
    if message.hasMaximum { reject("maximum", found) }
  }
}
