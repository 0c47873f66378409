// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CarouselLayout {
  /// Rejects lengths that are negative or not finite, a camera distance below 0.001, and a number
  /// of visible items beyond the limit. Warns if all items stand in one place.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    findings.expectNotNegative(spacing, "spacing")
    findings.expectDivisor(cameraDistance, "camera_distance")
    if let visibleItemsPerSide {
      findings.expect(
        (0 ... Self.maximumVisibleItemsPerSide).contains(visibleItemsPerSide),
        "visible_items_per_side",
        found: visibleItemsPerSide,
        allowed: "0…\(Self.maximumVisibleItemsPerSide)"
      )
    }
    if scrollDirection.main(itemSize) * spacing == 0 {
      let field =
        spacing == 0
        ? "spacing" : scrollDirection == .vertical ? "item_size.height" : "item_size.width"
      findings.warn(
        field,
        "is 0: all items stand in one place, and scrolling cannot tell them apart"
      )
    }
  }

  /// Prepares the carousel in closed form.
  ///
  /// - Complexity: O(sections)
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedCarousel(self, context)
  }
}
