// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

extension ListLayout {
  /// Rejects heights and spacings that are negative or not finite, and insets that are not finite.
  /// Warns if the insets leave no width for the rows.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectNotNegative(rowHeight, "row_height")
    findings.expectNotNegative(rowSpacing, "row_spacing")
    findings.expectFinite(sectionInset, "section_inset")
    findings.expectNotNegative(headerHeight, "header_height")
    findings.expectNotNegative(footerHeight, "footer_height")
    findings.expectNotNegative(separatorThickness, "separator_thickness")
    findings.expectFinite(separatorInsets, "separator_insets")
    guard let viewportSize, findings.violations.isEmpty else { return }
    let insets = sectionInset.horizontal
    if insets > viewportSize.width {
      findings.warn(
        "section_inset",
        "takes \(insets) of a width of \(viewportSize.width): rows have no width"
      )
    }
  }
}
