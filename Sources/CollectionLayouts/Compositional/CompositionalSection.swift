// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// How sections of a compositional layout are laid out: a group that is repeated, or a list.
public struct CompositionalSection: Hashable, Sendable {
  /// The name by which sections of the data choose this entry; "" = they choose it by position
  /// only.
  public var name: String
  /// The group that is repeated until all items have a place. Not used by a list.
  public var group: LayoutGroup
  /// Room around the groups of a section, in points, from `contentInsetsReference`. Default 0.
  public var contentInsets: EdgeInsets
  /// What `contentInsets` are measured from across the scroll axis. Default: automatic, which is
  /// the layout's reference. What the viewport's content insets cover of a reference does not count
  /// again.
  public var contentInsetsReference: InsetsReference
  /// The distance between groups, in points; at least 0. Default 0.
  public var interGroupSpacing: Double
  /// How the section scrolls across the layout's axis. Default: not at all. Its visible length is
  /// that of the container less the section's insets.
  public var orthogonalScrolling: OrthogonalScrolling
  /// Supplementary elements at the section's edges, such as headers. A section without items and
  /// without any of them has no length; with some of them it keeps its insets. Default: none.
  public var boundarySupplementaryItems: [BoundarySupplementaryItem]
  /// Decorations behind the section. Their kinds must differ. A section with any of them has its
  /// cells at z-index 1. Default: none.
  public var backgrounds: [SectionBackground]
  /// Whether `contentInsets` also inset the boundary supplementary items, across the scroll axis,
  /// from the same reference; otherwise these are as wide as the content. It counts only while
  /// `supplementaryContentInsetsReference` is automatic. Default true.
  public var supplementariesFollowContentInsets: Bool
  /// Where the boundary supplementary items start and end across the scroll axis: at the edges of
  /// the content if it is `none`, else at those of the reference, whatever `contentInsets` are.
  /// Default: automatic, which is as `supplementariesFollowContentInsets` says.
  public var supplementaryContentInsetsReference: InsetsReference
  /// Changes to the items by their place in the viewport. Default: none.
  public var visibleItemEffects: [VisibleItemEffect]
  private var content = Content.group

  // Most entries are no lists: those take one word for it.
  private indirect enum Content: Hashable, Sendable {
    case group
    case list(ListConfiguration)
  }

  /// The list that the section is; nil, the default, = it has groups.
  ///
  /// A list has rows instead of `group` and insets of its own instead of `contentInsets`; the
  /// layout has to scroll vertically. Boundary supplementary items of the kinds "header" and
  /// "footer" take the place of the list's own. The distance between rows is `interGroupSpacing`.
  public var list: ListConfiguration? {
    get { if case .list(let list) = content { list } else { nil } }
    set { content = newValue.map { .list($0) } ?? .group }
  }

  /// Makes an entry for a list.
  public init(
    name: String = "",
    list: ListConfiguration,
    interGroupSpacing: Double = 0,
    boundarySupplementaryItems: [BoundarySupplementaryItem] = [],
    backgrounds: [SectionBackground] = []
  ) {
    self.init(
      name: name,
      group: LayoutGroup(axis: nil, size: LayoutSize()),
      interGroupSpacing: interGroupSpacing,
      boundarySupplementaryItems: boundarySupplementaryItems,
      backgrounds: backgrounds
    )
    self.list = list
  }

  /// Makes an entry; the defaults repeat the group without spacing.
  public init(
    name: String = "",
    group: LayoutGroup,
    contentInsets: EdgeInsets = .zero,
    contentInsetsReference: InsetsReference = .automatic,
    interGroupSpacing: Double = 0,
    orthogonalScrolling: OrthogonalScrolling = .none,
    boundarySupplementaryItems: [BoundarySupplementaryItem] = [],
    backgrounds: [SectionBackground] = [],
    supplementariesFollowContentInsets: Bool = true,
    supplementaryContentInsetsReference: InsetsReference = .automatic,
    visibleItemEffects: [VisibleItemEffect] = []
  ) {
    self.name = name
    self.group = group
    self.contentInsets = contentInsets
    self.contentInsetsReference = contentInsetsReference
    self.interGroupSpacing = interGroupSpacing
    self.orthogonalScrolling = orthogonalScrolling
    self.boundarySupplementaryItems = boundarySupplementaryItems
    self.backgrounds = backgrounds
    self.supplementariesFollowContentInsets = supplementariesFollowContentInsets
    self.supplementaryContentInsetsReference = supplementaryContentInsetsReference
    self.visibleItemEffects = visibleItemEffects
  }
}

/// How a section scrolls across the layout's axis, at an offset of its own.
public enum OrthogonalScrolling: UInt8, Hashable, Sendable, CaseIterable {
  /// It does not; its groups follow each other along the layout's axis.
  case none
  /// It scrolls freely and comes to rest anywhere.
  case continuous
  /// It scrolls freely and comes to rest with the leading edge of the nearest group at the leading
  /// inset, or at the end of its content.
  case continuousGroupLeadingBoundary
  /// It comes to rest at pages as long as its visible length, or at the end of its content, at most
  /// one page away from where it was.
  case paging
  /// It comes to rest with a group's leading edge at the leading inset, or at the end of its
  /// content, at most one group away from where it was.
  case groupPaging
  /// It comes to rest with a group in the middle of its visible length, at most one group away from
  /// where it was. It starts with its first group there. At offset 0 that group is at the leading
  /// inset, so the offset at the start is negative if the group is shorter than the visible length.
  case groupPagingCentered
}

/// Changes the attributes of items by their distance from the middle of the viewport.
///
/// The distance is measured from the item's centre to the viewport's, along the axis in which the
/// section scrolls. Between distances 0 and `activeDistance` the value changes linearly from
/// `atCenter` to `atDistance`; beyond that it stays `atDistance`.
public struct VisibleItemEffect: Hashable, Sendable {
  /// The attribute that an effect changes.
  public enum Attribute: UInt8, Hashable, Sendable, CaseIterable {
    /// A factor on the item's size.
    case scale = 1
    /// The opacity, cut off to 0…1.
    case alpha
    /// A displacement to the right, in points; to the left in a mirrored layout.
    case translationX
    /// A displacement downwards, in points.
    case translationY
    /// A rotation in radians, clockwise as seen; counter-clockwise in a mirrored layout.
    case rotation
  }

  /// The attribute that is changed; nil = not given, which is not valid and has no effect.
  public var attribute: Attribute?
  /// The distance in points at which the value reaches `atDistance`; greater than 0.
  public var activeDistance: Double
  /// The value in the middle of the viewport.
  public var atCenter: Double
  /// The value at `activeDistance` and beyond.
  public var atDistance: Double

  /// Makes an effect on one attribute.
  public init(
    attribute: Attribute?,
    activeDistance: Double,
    atCenter: Double,
    atDistance: Double
  ) {
    self.attribute = attribute
    self.activeDistance = activeDistance
    self.atCenter = atCenter
    self.atDistance = atDistance
  }
}
