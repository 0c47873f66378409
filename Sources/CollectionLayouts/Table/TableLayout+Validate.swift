// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

extension TableLayout {
  /// Rejects tables without columns, identifiers that are missing, used twice or kinds of other
  /// elements, and lengths and shares that are negative or not finite. Warns if frozen columns take
  /// all the room.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    if columns.isEmpty { findings.reject("columns", "is empty; at least one column is needed") }
    var checked = CheckedColumns()
    for (index, column) in columns.enumerated() {
      guard checked.count <= Self.maximumColumnCount else { break }
      check(column, "columns[\(index)]", level: 0, &checked, &findings)
    }
    if checked.count > Self.maximumColumnCount {
      findings.reject(
        "columns",
        "are more than \(Self.maximumColumnCount), groups included, which is the limit"
      )
    }
    findings.expectNotNegative(rowHeight, "row_height")
    findings.expectNotNegative(rowSpacing, "row_spacing")
    findings.expectNotNegative(headerHeight, "header_height")
    findings.expectNotNegative(sectionHeaderHeight, "section_header_height")
    findings.expectNotNegative(sectionFooterHeight, "section_footer_height")
    findings.expectNotNegative(separatorThickness, "separator_thickness")
    validateRowKinds(checked.ids, &findings)
    guard let viewportSize, findings.violations.isEmpty else { return }
    let shown = TableColumns(columns, available: viewportSize.width, pixelGrid: nil)
    let isWider = shown.edges[shown.count] > viewportSize.width
    if isWider, !shown.hasFrozen, columns.contains(where: { $0.frozen != nil && !$0.isHidden }) {
      findings.warn(
        "columns",
        "that are frozen leave no room in a width of \(viewportSize.width): all columns scroll"
      )
    }
  }

  private struct CheckedColumns {
    var count = 0
    /// The columns and groups, by identifiers.
    var ids: [String: (field: String, isGroup: Bool)] = [:]
  }

  /// The kinds of supplementary elements that tables have besides.
  private static let reserved: Set<String> = [StandardKind.header, StandardKind.footer]

  private func check(
    _ column: TableColumn,
    _ field: String,
    level: Int,
    _ checked: inout CheckedColumns,
    _ findings: inout LayoutFindings
  ) {
    checked.count += 1
    guard checked.count <= Self.maximumColumnCount else { return }
    if column.id.isEmpty {
      findings.reject("\(field).id", "is empty; each column needs one")
    } else if Self.reserved.contains(column.id) {
      findings.reject("\(field).id", "is \"\(column.id)\", the kind of other elements")
    } else if let other = checked.ids[column.id] {
      findings.reject("\(field).id", "is that of \(other.field); each column needs its own")
    } else {
      checked.ids[column.id] = (field, column.isGroup)
    }
    if level > 0, column.frozen != nil {
      findings.reject("\(field).frozen", "is set in a group; a group is frozen as a whole")
    }
    guard column.isGroup else { return checkWidth(column, field, &findings) }
    guard level < Self.maximumGroupLevels else {
      findings.reject(
        "\(field).columns",
        "are in more than \(Self.maximumGroupLevels) groups within one another"
      )
      return
    }
    for (index, inner) in column.columns.enumerated() {
      check(inner, "\(field).columns[\(index)]", level: level + 1, &checked, &findings)
    }
  }

  private func checkWidth(_ column: TableColumn, _ field: String, _ findings: inout LayoutFindings)
  {
    switch column.width {
    case .points(let points): findings.expectNotNegative(points, "\(field).width")
    case .share(let share): findings.expectPositive(share, "\(field).share")
    }
    findings.expectNotNegative(column.minimum, "\(field).minimum")
    guard let maximum = column.maximum else { return }
    findings.expect(
      maximum >= column.minimum,
      "\(field).maximum",
      found: maximum,
      allowed: "must not be less than the minimum"
    )
  }

  private func validateRowKinds(
    _ ids: [String: (field: String, isGroup: Bool)],
    _ findings: inout LayoutFindings
  ) {
    let most = Self.maximumRowKindCount
    findings.expectCount(rowKinds.count, of: "kinds", atMost: most, "row_kinds")
    var kinds: [String: Int] = [:]
    for (index, kind) in rowKinds.prefix(most).enumerated() {
      let field = "row_kinds[\(index)]"
      if let first = kinds.updateValue(index, forKey: kind.cellKind) {
        findings.warn("\(field).cell_kind", "is that of row_kinds[\(first)], which is taken")
      }
      if kind.isWhole, !kind.spans.isEmpty {
        findings.reject("\(field).spans", "are set for rows that are shown as a whole")
      }
      findings.expectCount(kind.spans.count, of: "spans", atMost: most, "\(field).spans")
      for (place, span) in kind.spans.prefix(most).enumerated() {
        let field = "\(field).spans[\(place)]"
        if ids[span.column].map(\.isGroup) != false {
          findings.reject("\(field).column", "is \"\(span.column)\"; no column has this id")
        }
        if let count = span.count {
          findings.expect(count > 0, "\(field).count", found: count, allowed: "1 and more")
        }
        let rows = 1 ... Self.maximumSpannedRowCount
        findings.expect(
          rows.contains(span.rowCount),
          "\(field).row_count",
          found: span.rowCount,
          allowed: "\(rows.lowerBound) to \(rows.upperBound)"
        )
      }
    }
  }
}
