// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CircleLayout {
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    findings.expectPositive(radiusDivisor, "radius_divisor")
    findings.expectFinite(startAngle, "start_angle")
  }

  /// - Complexity: O(sections).
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedCircle(self, context)
  }
}
