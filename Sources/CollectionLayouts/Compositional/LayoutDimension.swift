// SPDX-License-Identifier: Apache-2.0

/// A width or a height of an item, a group or a supplementary element.
public enum LayoutDimension: Hashable, Sendable {
  /// Not given. It is not valid, and taken as the whole length of the container.
  case unspecified
  /// A fraction of the width of what contains it.
  ///
  /// An item or a group is contained in a group after its insets. Along the axis of that group, the
  /// spacing between as many subitems as would fit without any is taken off first: two halves of
  /// 320 with a spacing of 10 are 155 each. A section's group is contained in the container: along
  /// the axis in which groups follow each other in all of it, across in what the section's insets
  /// leave. In a pixel-aligned layout the length is rounded down to whole pixels.
  case fractionalWidth(Double)
  /// A fraction of the height of what contains it: see `fractionalWidth`.
  case fractionalHeight(Double)
  /// A length in points.
  case absolute(Double)
  /// A length in points until the renderer has measured it, then the measured length.
  ///
  /// A group with an estimated length along its own axis holds each of its subitems once, or
  /// `count` of them, and is as long as these. A group with an estimated length across its axis is
  /// as long as its longest subitem once one of them was measured.
  case estimated(Double)
  /// Like `estimated`, but as long as the longest measured one of its siblings.
  ///
  /// Siblings are the subitems of one group whose lengths are `estimated` or uniform. The groups of
  /// a section are siblings too: if the section's group has this length, all groups are as long as
  /// the longest. Their subitems are then siblings of each other, and so are those of the groups in
  /// them that have this length. Siblings that were not measured take the longest length as well.
  case uniformAcrossSiblings(Double)

  /// Whether a measured length takes the place of this one.
  public var isEstimated: Bool {
    switch self {
    case .estimated, .uniformAcrossSiblings: true
    default: false
    }
  }

  /// Whether the length is a fraction of the container's width or height.
  var isFraction: Bool {
    switch self {
    case .fractionalWidth, .fractionalHeight: true
    default: false
    }
  }

  /// Whether siblings share one measured length.
  var isUniform: Bool {
    if case .uniformAcrossSiblings = self { true } else { false }
  }

  /// The number that was given; nil if there is none.
  var value: Double? {
    switch self {
    case .unspecified: nil
    case .fractionalWidth(let value), .fractionalHeight(let value), .absolute(let value),
      .estimated(let value), .uniformAcrossSiblings(let value):
      value
    }
  }
}

/// The width and the height of an item, a group or a supplementary element.
public struct LayoutSize: Hashable, Sendable {
  /// The horizontal dimension.
  public var width: LayoutDimension
  /// The vertical dimension.
  public var height: LayoutDimension

  /// Whether a measured length takes the place of one of them.
  var isEstimated: Bool { width.isEstimated || height.isEstimated }

  /// Makes a size from its dimensions.
  public init(width: LayoutDimension = .unspecified, height: LayoutDimension = .unspecified) {
    self.width = width
    self.height = height
  }
}
