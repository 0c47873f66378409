// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts

extension Wire.TableLayout {
  init(_ layout: TableLayout) {
    self.init()
    columns = layout.columns.map { Wire.TableColumn($0) }
    rowHeight = layout.rowHeight
    selfSizing = layout.isSelfSizing
    rowSpacing = layout.rowSpacing
    headerHeight = layout.headerHeight
    headersScrollAway = layout.headersScrollAway
    sectionHeaderHeight = layout.sectionHeaderHeight
    sectionFooterHeight = layout.sectionFooterHeight
    sectionHeadersPinToVisibleBounds = layout.sectionHeadersPinToVisibleBounds
    separatorThickness = layout.separatorThickness
    rowKinds = layout.rowKinds.map { Wire.TableRowKind($0) }
  }
}

extension Wire.TableColumn {
  fileprivate init(_ column: TableColumn) {
    self.init()
    id = column.id
    hidden = column.isHidden
    switch column.frozen {
    case nil: frozen = .unspecified
    case .leading: frozen = .leading
    case .trailing: frozen = .trailing
    }
    guard column.columns.isEmpty else {
      columns = column.columns.map { Wire.TableColumn($0) }
      return
    }
    switch column.width {
    case .points(let points): width = points
    case .share(let share): self.share = share
    }
    minimum = column.minimum
    if let maximum = column.maximum { self.maximum = maximum }
  }
}

extension Wire.TableRowKind {
  fileprivate init(_ kind: TableRowKind) {
    self.init()
    cellKind = kind.cellKind
    whole = kind.isWhole
    spans = kind.spans.map { span in
      var message = Wire.TableSpan()
      message.column = span.column
      message.count = UInt32(clamping: span.count ?? 0)
      message.rowCount = span.rowCount == 1 ? 0 : UInt32(clamping: span.rowCount)
      return message
    }
  }
}
