// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension StackLayout {
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

  /// - Complexity: O(sections).
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedStack(self, context)
  }
}
