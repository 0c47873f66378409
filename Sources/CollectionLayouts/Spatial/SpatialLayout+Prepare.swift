// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension SpatialLayout {
  /// At which a point is still far larger than the rounding of its coordinates.
  static let highestZoom = 40.0

  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expect(
      zoom >= -8 && zoom <= Self.highestZoom,
      "zoom",
      found: zoom,
      allowed: "must be from -8 to \(Self.highestZoom)"
    )
    findings.expectLengths(itemSize, "item_size")
    findings.expectFinite(anchor, "anchor")
    findings.expectFinite(contentInset, "content_inset")
    if projection == .points, zoom != 0 {
      findings.warn("zoom", "is \(zoom), which does not matter to points")
    }
    if projection != .points, contentInset != .zero {
      findings.warn("content_inset", "does not matter to maps, which are as large as the world")
    }
  }

  /// All but the display's scale: viewers of every size share one index.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    LayoutContainer(size: .zero, displayScale: container.displayScale)
  }

  /// - Complexity: O(n)
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PreparedSpatial(self, context)
  }

  /// - Complexity: O(sections + splices · log n + items added since the index was built). When these
  ///   have become many, the index is built anew, which costs O(n).
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  )
    -> any PreparedLayout
  {
    var context = prepared.context
    context.contents = change.new
    guard let prepared = prepared as? PreparedSpatial,
      let updated = prepared.updated(by: change, layout: self, context: context)
    else { return prepare(context) }
    return updated
  }
}
