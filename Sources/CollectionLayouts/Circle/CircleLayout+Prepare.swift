// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CircleLayout {
  /// Rejects an item size that is negative or not finite, a radius divisor below 0.001, and a start
  /// angle that is not finite.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    findings.expectDivisor(radiusDivisor, "radius_divisor")
    findings.expectFinite(startAngle, "start_angle")
  }

  /// Prepares the circle in closed form.
  ///
  /// - Complexity: O(sections)
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedCircle(self, context)
  }
}
