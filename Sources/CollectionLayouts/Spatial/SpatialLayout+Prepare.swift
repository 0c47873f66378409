// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension SpatialLayout {
  /// The highest zoom. At this zoom the rounding errors of coordinates are still far smaller than a
  /// point.
  static let highestZoom = 40.0

  /// Rejects a zoom beyond its limits, item sizes that are negative or not finite, and anchors and
  /// insets that are not finite. Rejects clusters beyond their limits. Warns of a zoom or an inset
  /// that the projection ignores.
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
    clusters?.validate(&findings)
    if projection == .points, zoom != 0 {
      findings.warn("zoom", "is \(zoom), which does not matter to points")
    }
    if projection != .points, contentInset != .zero {
      findings.warn("content_inset", "does not matter to maps, which are as large as the world")
    }
  }

  /// The display scale alone: viewers of every size and reading direction share one index.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    LayoutContainer(size: .zero, displayScale: container.displayScale)
  }

  /// The layout without that on which no index depends: the zoom of a map, the anchor and how
  /// clusters look.
  public var basis: (any CollectionLayout)? { commonBasis }

  /// The items' indices do not depend on the zoom of a map, on the anchor there, nor on how
  /// clusters look.
  private var commonBasis: SpatialLayout {
    var basis = self
    basis.contentInset = .zero
    basis.zoom = 0
    if projection == .points {
      // Boxes are around frames, and the curve depends on the cells.
      basis.clusters = clusters.map { Clusters(cellSize: $0.cellWidthOfPoints) }
    } else {
      basis.anchor = .zero
      basis.clusters = clusters.map { _ in Clusters() }
    }
    return basis
  }

  /// Shares all indices.
  ///
  /// - Complexity: O(1)
  public func view(of prepared: any PreparedLayout) -> any PreparedLayout {
    guard let spatial = prepared as? PreparedSpatial, spatial.layout.commonBasis == commonBasis
    else {
      return prepared
    }
    return spatial.seen(by: self)
  }

  /// True: without an index, a pass over all coordinates finds the items.
  public var hasPreview: Bool { true }

  /// The items and clusters in a rect, without an index.
  ///
  /// If there are too many items to look at in some milliseconds, it looks at a sample that is
  /// spread over the contents. Clusters then say with `ClusterAttribute.sample` that their count is
  /// an estimate.
  ///
  /// - Complexity: O(n), about a nanosecond for each item, up to five million items
  public func preview(
    _ context: LayoutContext,
    of rect: Rect,
    work: LayoutWork
  ) -> (any PreparedLayout)? {
    PreparedSpatial(previewing: rect, self, context, work: work)
  }

  /// Indexes all items by position.
  ///
  /// - Complexity: O(n)
  public func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout {
    PreparedSpatial(self, context, work: work)
  }

  /// Shares the indices and keeps the new items beside them.
  ///
  /// From time to time new items are indexed, in layers that are merged while they are small. Now
  /// and then a layer gets current ordinals, in one quick pass over its items.
  ///
  /// - Complexity: O(sections + splices · log² n), amortised over the updates.
  public func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    guard let prepared = prepared as? PreparedSpatial, prepared.layout.commonBasis == commonBasis
    else {
      return PreparedSpatial(self, context, work: work)
    }
    return prepared.updated(by: change, layout: self, context: context, work: work)
      ?? PreparedSpatial(self, context, limits: prepared.limits, work: work)
  }
}

extension SpatialLayout.Clusters {
  /// The limits of the parameters.
  enum Limit {
    /// The cell sizes, in points.
    static let cellSize = 1.0 ... 65_536
    /// The greatest growth, in points.
    static let growth = 1000.0
  }

  /// Rejects cells and growths beyond their limits, a count below 1, and sizes that are negative or
  /// not finite.
  func validate(_ findings: inout LayoutFindings) {
    findings.expect(
      Limit.cellSize.contains(cellSize),
      "clusters.cell_size",
      found: cellSize,
      allowed: "must be from 1 to 65,536"
    )
    findings.expect(
      minimumCount >= 1,
      "clusters.minimum_count",
      found: minimumCount,
      allowed: "1 and more"
    )
    findings.expectLengths(size, "clusters.size")
    findings.expect(
      growth >= 0 && growth <= Limit.growth,
      "clusters.growth",
      found: growth,
      allowed: "must be from 0 to 1,000"
    )
  }
}
