// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

extension SplitMix64 {
  /// A table with up to 14 columns, some of them in groups, whose identifiers begin with a number.
  mutating func table() -> TableLayout {
    var number = 0
    var layout = TableLayout(
      columns: (0 ..< int(1 ... 6)).map { _ in tableColumn(level: 0, &number) }
    )
    layout.rowHeight = length(0 ... 60)
    layout.rowSpacing = chance(60) ? 0 : length(0 ... 9)
    layout.headerHeight = chance(20) ? 0 : length(1 ... 40)
    layout.headersScrollAway = chance(30)
    layout.sectionHeaderHeight = chance(50) ? 0 : length(1 ... 40)
    layout.sectionFooterHeight = chance(70) ? 0 : length(1 ... 40)
    layout.sectionHeadersPinToVisibleBounds = chance(50)
    layout.separatorThickness = chance(50) ? 0 : 1
    if chance(60) {
      layout.rowKinds = [
        TableRowKind(cellKind: "wide", spans: tableSpans(number)),
        chance(70)
          ? TableRowKind(cellKind: "last", isWhole: true)
          : TableRowKind(cellKind: "last", spans: tableSpans(number)),
      ]
      if chance(30) {
        layout.rowKinds.append(TableRowKind(cellKind: "", spans: tableSpans(number)))
      }
    }
    return layout
  }

  private mutating func tableColumn(level: Int, _ number: inout Int) -> TableColumn {
    number += 1
    let share = chance(30) ? TableColumn.Width.share(length(1 ... 4)) : nil
    var column = TableColumn(
      "c\(number)",
      width: share ?? .points(chance(5) ? 0 : length(1 ... 180)),
      isHidden: chance(15)
    )
    if level == 0, chance(40) { column.frozen = chance(60) ? .leading : .trailing }
    if level < 2, chance(25) {
      column.width = .points(120)
      column.columns = (0 ..< int(1 ... 3)).map { _ in tableColumn(level: level + 1, &number) }
    } else if chance(30) {
      column.minimum = length(0 ... 60)
      column.maximum = chance(50) ? nil : column.minimum + length(0 ... 90)
    }
    return column
  }

  /// Spans that may begin anywhere, also in a group, where there is none.
  private mutating func tableSpans(_ count: Int) -> [TableSpan] {
    (0 ..< int(1 ... 3)).map { _ in
      TableSpan(
        column: "c\(int(1 ... count))",
        count: chance(40) ? nil : int(1 ... 4),
        rowCount: chance(40) ? 1 : int(1 ... 5)
      )
    }
  }

  /// What a viewer may have changed of such a table.
  mutating func tablePreferences() -> TablePreferences {
    var preferences = TablePreferences()
    for _ in 0 ..< int(0 ... 4) {
      preferences.columns["c\(int(1 ... 8))"] = TableColumnPreference(
        width: chance(60) ? length(0 ... 300) : nil,
        isHidden: chance(30) ? chance(50) : nil,
        place: chance(30) ? TableColumnPreference.Place.allCases[int(0 ... 2)] : nil
      )
    }
    if chance(50) { preferences.order = (0 ..< int(0 ... 5)).map { _ in "c\(int(1 ... 8))" } }
    return preferences
  }

  /// A container, and a place to which its viewer has scrolled.
  mutating func tableViewport(_ container: LayoutContainer) -> Viewport {
    var viewport = Viewport(of: container)
    viewport.offset = Point(x: length(-50 ... 900), y: length(-50 ... 900))
    return viewport
  }
}
