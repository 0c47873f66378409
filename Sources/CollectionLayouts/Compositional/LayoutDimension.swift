// SPDX-License-Identifier: Apache-2.0

/// A width or a height of an item, a group or a supplementary element.
public enum LayoutDimension: Hashable, Sendable {
  /// Not given. It is not valid, and taken as the whole length of the container.
  case unspecified
  /// A fraction of the width of the containing group after its insets; for a section's group, of
  /// the container after the section's insets.
  case fractionalWidth(Double)
  /// A fraction of the height of the containing group after its insets; for a section's group, of
  /// the container after the section's insets.
  case fractionalHeight(Double)
  /// A length in points.
  case absolute(Double)
  /// A length in points until the renderer has measured it, then the measured length.
  case estimated(Double)
  /// Like `estimated`, but all siblings take the longest measured length.
  case uniformAcrossSiblings(Double)

  /// Whether a measured length takes the place of this one.
  public var isEstimated: Bool {
    switch self {
    case .estimated, .uniformAcrossSiblings: true
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

  /// Makes a size from its dimensions.
  public init(width: LayoutDimension = .unspecified, height: LayoutDimension = .unspecified) {
    self.width = width
    self.height = height
  }
}
