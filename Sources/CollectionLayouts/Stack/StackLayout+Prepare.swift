// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension StackLayout {
  /// Rejects lengths and scales that are negative or not finite, and a visible depth beyond the
  /// limit. Warns if the cards have no extent along the scroll axis.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    findings.expect(
      (0 ... Self.maximumVisibleDepth).contains(visibleDepth),
      "visible_depth",
      found: visibleDepth,
      allowed: "0…\(Self.maximumVisibleDepth)"
    )
    findings.expectFinite(depthOffset, "depth_offset")
    findings.expectNotNegative(depthScale, "depth_scale")
    if scrollDirection.main(itemSize) == 0 {
      findings.warn(
        scrollDirection == .vertical ? "item_size.height" : "item_size.width",
        "is 0: scrolling cannot tell the cards apart"
      )
    }
  }

  /// Prepares the pile in closed form.
  ///
  /// - Complexity: O(sections)
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedStack(self, context)
  }
}
