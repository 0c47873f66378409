// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The measured sizes of the badges in a section. Badges take no room, so groups are solved without
/// these sizes, and closed forms stay what they are.
struct MeasuredBadges: Sendable {
  /// By kind, as indices into `SectionedLayout.elementKinds`.
  private var onItems: [Int: SparseSizes] = [:]
  private var onGroups: [Int: SparseSizes] = [:]
  private let pixelGrid: PixelGrid?
  private let axis: ScrollAxis
  /// The greatest distance by which badges reach beyond the frames that they were estimated to
  /// have, in points: an upper bound.
  private(set) var reach = 0.0

  /// - Parameter group: the section's group.
  /// - Parameter kinds: indices of the layout's element kinds by name.
  /// - Returns: nil if no badge of the section was measured.
  init?(
    _ measured: SectionMeasurements,
    on group: LayoutGroup,
    kinds: KindIndices,
    pixelGrid: PixelGrid?,
    axis: ScrollAxis
  ) {
    self.pixelGrid = pixelGrid
    self.axis = axis
    guard measured.hasBadges else { return nil }
    var reach = 0.0
    var found = false
    group.forEachBadge { badge, isOfGroup in
      guard badge.size.isEstimated, let kind = kinds[badge.kind],
        let sizes = isOfGroup ? measured.onGroups[badge.kind] : measured.onItems[badge.kind]
      else { return }
      if isOfGroup { onGroups[kind] = sizes } else { onItems[kind] = sizes }
      let pivot = DimensionResolver.pivot(of: badge)
      let greatest = sizes.greatest
      let distance = max(
        max(abs(pivot.x), abs(1 - pivot.x)) * greatest.width,
        max(abs(pivot.y), abs(1 - pivot.y)) * greatest.height
      )
      reach = max(reach, DimensionResolver.length(distance) + pixelGrid.slack)
      found = true
    }
    guard found else { return nil }
    self.reach = reach
  }

  /// The frame of a badge in its group, if it was measured; otherwise nil.
  ///
  /// - Parameter item: the item in the badge's index path.
  /// - Complexity: O(log measured badges of its kind)
  func frame(of badge: GroupPattern.Badge, item: Int) -> AxisRect? {
    let sizes = badge.ordinal == nil ? onItems[badge.kind] : onGroups[badge.kind]
    guard let size = sizes?[item] else { return nil }
    var frame = badge.frame
    if let pivot = badge.pivot.main {
      let length = aligned(axis.main(size))
      frame.main += pivot * (frame.mainLength - length)
      frame.mainLength = length
    }
    if let pivot = badge.pivot.cross {
      let length = aligned(axis.cross(size))
      frame.cross += pivot * (frame.crossLength - length)
      frame.crossLength = length
    }
    return frame
  }

  private func aligned(_ length: Double) -> Double {
    let length = DimensionResolver.length(length)
    return pixelGrid?.round(length) ?? length
  }
}
