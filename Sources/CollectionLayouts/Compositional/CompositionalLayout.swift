// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Sections of nested groups, as UICollectionViewCompositionalLayout solves them.
///
/// A section's group is solved once for a container and then repeated. As long as nothing was
/// measured, group k is placed by arithmetic, so any number of items takes no longer than one
/// group.
public struct CompositionalLayout: Hashable, Sendable {
  /// The axis along which sections follow each other. Default: vertical.
  public var scrollAxis: ScrollAxis
  /// The distance between sections, in points; at least 0. Default 0.
  public var interSectionSpacing: Double
  /// How sections are laid out; at least one entry. Section i takes the entry with its layout name,
  /// or if there is none entry i modulo their number.
  public var sections: [CompositionalSection]
  /// Supplementary elements at the edges of the whole layout. Default: none.
  public var boundarySupplementaryItems: [BoundarySupplementaryItem]
  /// What the content insets of sections without a reference of their own are measured from.
  /// Default: automatic, which is the safe area.
  public var contentInsetsReference: InsetsReference

  /// Makes a compositional layout from its sections.
  public init(
    scrollAxis: ScrollAxis = .vertical,
    interSectionSpacing: Double = 0,
    sections: [CompositionalSection],
    boundarySupplementaryItems: [BoundarySupplementaryItem] = [],
    contentInsetsReference: InsetsReference = .automatic
  ) {
    self.scrollAxis = scrollAxis
    self.interSectionSpacing = interSectionSpacing
    self.sections = sections
    self.boundarySupplementaryItems = boundarySupplementaryItems
    self.contentInsetsReference = contentInsetsReference
  }

  /// Limits that keep hostile parameters harmless. `validate` reports what lies beyond them. A
  /// layout that was not validated ignores what lies beyond.
  enum Limit {
    /// The most entries of `sections`.
    static let sections = 1024
    /// The most element kinds of one layout.
    static let elementKinds = 1024
    /// The most boundary supplementary items of a section, and of the whole layout.
    static let boundaryItems = 64
    /// The most backgrounds of one section.
    static let backgrounds = 32
    /// The most cell kinds of a list with separators of their own.
    static let rowSeparators = 64
    /// The most effects on the items of one section.
    static let effects = 16
    /// The most supplementary items on one item or group.
    static let badgesPerHost = 16
    /// The most supplementary items on the items and groups of one group, nested groups included. A
    /// group is full when it reaches this.
    static let badgesPerGroup = 10_000
    /// The most steps for the layout of one group: see `GroupSolver.steps`.
    static let stepsPerGroup = 4 * itemsPerGroup
    /// The most levels of groups within groups.
    static let depth = 16
    /// The most items of one group, those of nested groups included. A group is full when it
    /// reaches this.
    static let itemsPerGroup = 10_000
    /// The greatest length or position in points. Larger ones are cut off here, so that sums of
    /// them stay finite and exact to 2⁻¹² points.
    static let length = Rect.greatestLength
  }
}
