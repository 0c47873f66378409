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

  /// What keeps hostile parameters harmless. `validate` reports what lies beyond; a layout that was
  /// not validated leaves the rest out.
  enum Limit {
    /// Entries of `sections`.
    static let sections = 1024
    /// Different element kinds of one layout.
    static let elementKinds = 1024
    /// Boundary supplementary items of a section, and of the whole layout.
    static let boundaryItems = 64
    /// Backgrounds of one section.
    static let backgrounds = 32
    /// Effects on the items of one section.
    static let effects = 16
    /// Supplementary items on one item or group.
    static let badgesPerHost = 16
    /// Supplementary items on all items and groups of one group, nested ones included. A group with
    /// room for more items is full there.
    static let badgesPerGroup = 10_000
    /// What a group may take to be laid out: see `GroupSolver.steps`.
    static let stepsPerGroup = 4 * itemsPerGroup
    /// Levels of groups within groups.
    static let depth = 16
    /// Items of one group, those of nested groups included. A group with room for more is full
    /// there.
    static let itemsPerGroup = 10_000
    /// Lengths and positions are cut off here, so that sums of them stay finite and exact to 2⁻¹².
    static let length = 0x1p40
  }
}
