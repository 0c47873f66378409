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

  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let prepared = PreparedSpatial(self, context, work: work)
    try work.throwIfStopped()
    return prepared
  }

  /// - Complexity: O(sections + splices · log² n), amortised over the updates. What has been added is
  ///   indexed by and by, in layers that are merged while they are small. Now and then ordinals are
  ///   counted anew: one quick pass over all items.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    updated(prepared, by: change, work: .unlimited)
  }

  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let updated = updated(prepared, by: change, work: work)
    try work.throwIfStopped()
    return updated
  }

  private func updated(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) -> PreparedSpatial {
    var context = prepared.context
    context.contents = change.new
    guard let prepared = prepared as? PreparedSpatial else {
      return PreparedSpatial(self, context, work: work)
    }
    return prepared.updated(by: change, layout: self, context: context, work: work)
      ?? PreparedSpatial(self, context, limits: prepared.limits, work: work)
  }
}
