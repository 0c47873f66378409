// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

extension FlowLayout {
  /// Rejects sizes and spacings that are negative or not finite, insets that are not finite, and a
  /// pinned z-index beyond 32 bits. Warns of items that do not fit into the viewport's length
  /// across the scroll axis.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    if let estimatedItemSize { findings.expectLengths(estimatedItemSize, "estimated_item_size") }
    findings.expectNotNegative(minimumLineSpacing, "minimum_line_spacing")
    findings.expectNotNegative(minimumInteritemSpacing, "minimum_interitem_spacing")
    findings.expectFinite(sectionInset, "section_inset")
    findings.expectLengths(headerReferenceSize, "header_reference_size")
    findings.expectLengths(footerReferenceSize, "footer_reference_size")
    if Int32(exactly: pinnedZIndex) == nil {
      findings.reject("pinned_z_index", "is \(pinnedZIndex); must be a 32-bit integer")
    }
    if let viewportSize, findings.violations.isEmpty {
      warnOfWideItems(viewportSize, findings: &findings)
    }
  }

  /// Warns of items that are too long for a line. UIKit logs the same words in every layout pass of
  /// such a layout.
  private func warnOfWideItems(_ viewportSize: Size, findings: inout LayoutFindings) {
    let (side, edges, field) =
      scrollDirection == .vertical
      ? ("width", "left and right", "width") : ("height", "top and bottom", "height")
    let available =
      scrollDirection.cross(viewportSize) - scrollDirection.crossStart(sectionInset)
      - scrollDirection.crossEnd(sectionInset)
    for (size, name) in [(itemSize, "item_size"), (estimatedItemSize, "estimated_item_size")] {
      guard let size, scrollDirection.cross(size) > available else { continue }
      findings.warn(
        "\(name).\(field)",
        "is \(scrollDirection.cross(size)); the item \(side) must be less than the \(side) of the "
          + "collection view minus the section insets \(edges) values, minus the content insets "
          + "\(edges) values, which leaves \(available)"
      )
    }
  }
}
