// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension LineLayout {
  /// Rejects lengths that are negative or not finite, a line spacing that would let an item start
  /// before the one in front of it, and a zoom factor below −1.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    let extent = scrollDirection.main(itemSize)
    findings.expect(
      lineSpacing + extent >= 0,
      "line_spacing",
      found: lineSpacing,
      allowed: "must be at least minus the item's extent, \(-extent)"
    )
    findings.expectFinite(sectionInset, "section_inset")
    findings.expectNotNegative(activeDistance, "active_distance")
    findings.expect(
      zoomFactor >= -1,
      "zoom_factor",
      found: zoomFactor,
      allowed: "must be at least -1, at which the centred item vanishes"
    )
  }

  /// The container without its length and insets along the line, on which only queries depend, and
  /// they read them from the viewport; and without reference insets, which do not matter.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    var container = container
    container.references = .none
    switch scrollDirection {
    case .horizontal:
      container.size.width = 0
      container.insets.leading = 0
      container.insets.trailing = 0
    case .vertical:
      container.size.height = 0
      container.insets.top = 0
      container.insets.bottom = 0
    }
    return container
  }

  /// Prepares the line in closed form.
  ///
  /// - Complexity: O(sections)
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedLine(self, context)
  }
}
