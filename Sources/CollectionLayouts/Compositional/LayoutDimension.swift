// SPDX-License-Identifier: Apache-2.0

/// A width or a height of an item, a group or a supplementary element.
public enum LayoutDimension: Hashable, Sendable {
  /// Nothing was said. Not valid; taken as the whole of the container.
  case unspecified
  /// Of the containing group after its insets, or of the section's container after its own.
  case fractionalWidth(Double)
  case fractionalHeight(Double)
  case absolute(Double)
  /// Until measured; then the measured length.
  case estimated(Double)
  /// As `estimated`, but all siblings take the longest measured length.
  case uniformAcrossSiblings(Double)

  /// Whether a measured length takes the place of this one.
  public var isEstimated: Bool {
    switch self {
    case .estimated, .uniformAcrossSiblings: true
    default: false
    }
  }

  var isUniform: Bool {
    if case .uniformAcrossSiblings = self { true } else { false }
  }

  /// The number that was given.
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
  public var width: LayoutDimension
  public var height: LayoutDimension

  public init(width: LayoutDimension = .unspecified, height: LayoutDimension = .unspecified) {
    self.width = width
    self.height = height
  }
}
