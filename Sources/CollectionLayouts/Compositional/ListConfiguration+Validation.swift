// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension CompositionalSection {
  /// Rejects what may not stand beside a list, and what is wrong with it.
  func validateList(
    _ list: ListConfiguration,
    _ field: String,
    axis: ScrollAxis,
    findings: inout LayoutFindings
  ) {
    if axis != .vertical {
      findings.reject(
        "\(field).list",
        "is in content that scrolls horizontally; lists scroll vertically"
      )
    }
    if group != LayoutGroup(axis: nil, size: LayoutSize()) {
      findings.reject(
        "\(field).group",
        "stands beside a list; a section has either the one or the other"
      )
    }
    if contentInsets != .zero {
      findings.reject(
        "\(field).content_insets",
        "stand beside a list; its own content_insets are meant"
      )
    }
    if orthogonalScrolling != .none {
      findings.reject(
        "\(field).orthogonal_scrolling",
        "is not none; a list does not scroll by itself"
      )
    }
    if !visibleItemEffects.isEmpty {
      findings.reject("\(field).visible_item_effects", "stand beside a list; its rows have none")
    }
    list.validate("\(field).list", findings: &findings)
  }
}

extension ListConfiguration {
  func validate(_ field: String, findings: inout LayoutFindings) {
    for (name, length) in [
      ("header_top_padding", headerTopPadding), ("estimated_row_height", estimatedRowHeight),
      ("separator_thickness", separatorThickness),
    ] {
      if let length { findings.expectNotNegative(length, "\(field).\(name)") }
    }
    if let contentInsets { findings.expectFinite(contentInsets, "\(field).content_insets") }
    separator.validate("\(field).separator", findings: &findings)
    let limit = CompositionalLayout.Limit.rowSeparators
    let rows = "\(field).row_separators"
    findings.expectCount(rowSeparators.count, of: "entries", atMost: limit, rows)
    var kinds: Set<String> = []
    for (index, row) in rowSeparators.prefix(limit).enumerated() {
      row.separator.validate("\(rows)[\(index)].separator", findings: &findings)
      if !kinds.insert(row.cellKind).inserted {
        findings.reject(
          "\(rows)[\(index)].cell_kind",
          "is \"\(row.cellKind)\" for the second time; kinds must differ"
        )
      }
    }
  }
}

extension ListSeparator {
  fileprivate func validate(_ field: String, findings: inout LayoutFindings) {
    findings.expectFinite(topInsets, "\(field).top_insets")
    findings.expectFinite(bottomInsets, "\(field).bottom_insets")
  }
}
