// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Sections of nested groups, as UICollectionViewCompositionalLayout solves them.
///
/// A section's group is solved once for a container and then repeats: where nothing was measured,
/// group k is placed by arithmetic, so any number of items takes no longer than one group.
public struct CompositionalLayout: Hashable, Sendable {
  public var scrollAxis: ScrollAxis
  public var interSectionSpacing: Double
  /// Section i takes the entry that it names, else entry i modulo the count.
  public var sections: [CompositionalSection]
  /// Supplementary elements of the whole layout.
  public var boundarySupplementaryItems: [BoundarySupplementaryItem]

  public init(
    scrollAxis: ScrollAxis = .vertical,
    interSectionSpacing: Double = 0,
    sections: [CompositionalSection],
    boundarySupplementaryItems: [BoundarySupplementaryItem] = []
  ) {
    self.scrollAxis = scrollAxis
    self.interSectionSpacing = interSectionSpacing
    self.sections = sections
    self.boundarySupplementaryItems = boundarySupplementaryItems
  }

  /// What keeps hostile parameters harmless.
  enum Limit {
    /// Levels of groups within groups.
    static let depth = 16
    /// Items of one group, those of nested groups included. A group with room for more is full
    /// there.
    static let itemsPerGroup = 10_000
    /// Lengths and positions are cut off here, so that sums of them stay finite and exact to 2⁻¹².
    static let length = 0x1p40
  }
}
