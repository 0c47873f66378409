// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// How a section of a compositional layout is laid out: its group, over and over.
public struct CompositionalSection: Hashable, Sendable {
  /// Sections of the data choose it by this name; "" = by position.
  public var name: String
  public var group: LayoutGroup
  public var contentInsets: EdgeInsets
  public var interGroupSpacing: Double
  public var orthogonalScrolling: OrthogonalScrolling
  public var boundarySupplementaryItems: [BoundarySupplementaryItem]
  public var backgrounds: [SectionBackground]
  /// Whether `contentInsets` also inset the boundary supplementary items.
  public var supplementariesFollowContentInsets: Bool
  public var visibleItemEffects: [VisibleItemEffect]

  public init(
    name: String = "",
    group: LayoutGroup,
    contentInsets: EdgeInsets = .zero,
    interGroupSpacing: Double = 0,
    orthogonalScrolling: OrthogonalScrolling = .none,
    boundarySupplementaryItems: [BoundarySupplementaryItem] = [],
    backgrounds: [SectionBackground] = [],
    supplementariesFollowContentInsets: Bool = true,
    visibleItemEffects: [VisibleItemEffect] = []
  ) {
    self.name = name
    self.group = group
    self.contentInsets = contentInsets
    self.interGroupSpacing = interGroupSpacing
    self.orthogonalScrolling = orthogonalScrolling
    self.boundarySupplementaryItems = boundarySupplementaryItems
    self.backgrounds = backgrounds
    self.supplementariesFollowContentInsets = supplementariesFollowContentInsets
    self.visibleItemEffects = visibleItemEffects
  }
}

/// How a section scrolls across the layout's axis, at an offset of its own.
public enum OrthogonalScrolling: UInt8, Hashable, Sendable, CaseIterable {
  /// It does not: its groups follow the layout's axis.
  case none
  case continuous
  /// Comes to rest with a group's leading edge at the section's.
  case continuousGroupLeadingBoundary
  /// A page is as long as the container.
  case paging
  /// A page is a group with the spacing after it.
  case groupPaging
  /// The same, with every group centred.
  case groupPagingCentered
}

/// Changes the attributes of the items in view by their place in it.
///
/// Distances are from the item's centre to the viewport's along the section's scroll axis; between
/// 0 and `activeDistance` values run linearly from `atCenter` to `atDistance`.
public struct VisibleItemEffect: Hashable, Sendable {
  /// What is changed.
  public enum Attribute: UInt8, Hashable, Sendable, CaseIterable {
    case scale = 1
    case alpha
    case translationX
    case translationY
    /// In radians, clockwise as seen.
    case rotation
  }

  /// nil = nothing was said. Not valid; without effect.
  public var attribute: Attribute?
  public var activeDistance: Double
  public var atCenter: Double
  public var atDistance: Double

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
