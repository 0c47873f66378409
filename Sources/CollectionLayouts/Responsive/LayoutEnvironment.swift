// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What the conditions of a responsive layout are held against: UIKit's
/// NSCollectionLayoutEnvironment.
public struct LayoutEnvironment: Hashable, Sendable {
  /// The size of the viewport less its content insets, in points.
  public var contentSize: Size
  /// Pixels per point.
  public var displayScale: Double
  /// Whether reading runs from right to left.
  public var isRightToLeft: Bool
  /// What else the viewer states.
  public var traits: LayoutTraits

  /// The environment of a viewer.
  ///
  /// - Parameter container: the whole container of the viewer, not only the parts that a layout
  ///   depends on.
  public init(_ container: LayoutContainer, traits: LayoutTraits = .none) {
    contentSize = container.contentSize
    displayScale = container.displayScale
    isRightToLeft = container.isRightToLeft
    self.traits = traits
  }
}

/// What a viewer states of itself for the conditions of responsive layouts. Nothing else depends on
/// it.
public struct LayoutTraits: Hashable, Sendable {
  /// Names of the client's own, such as "tablet".
  public var names: Set<String>
  /// The room from side to side; nil = not stated.
  public var horizontalSizeClass: SizeClass?
  /// The room from top to bottom; nil = not stated.
  public var verticalSizeClass: SizeClass?

  /// Traits with the given values; by default none.
  public init(
    names: Set<String> = [],
    horizontalSizeClass: SizeClass? = nil,
    verticalSizeClass: SizeClass? = nil
  ) {
    self.names = names
    self.horizontalSizeClass = horizontalSizeClass
    self.verticalSizeClass = verticalSizeClass
  }

  /// The memory that the names take, in bytes: an estimate.
  ///
  /// - Complexity: O(names)
  public var byteCount: Int { names.reduce(64) { $0 + 32 + $1.utf8.count } }

  /// Nothing is stated.
  public static let none = LayoutTraits()

  /// The most names that a viewer may state.
  public static let maximumNames = 32
  /// The most bytes of a name.
  public static let maximumNameBytes = 64
}

/// How much room there is in a direction, as UIKit's UIUserInterfaceSizeClass; raw values are those
/// of the contract.
public enum SizeClass: UInt8, Hashable, Sendable, CaseIterable {
  /// Little room, as on a phone held upright.
  case compact = 1
  /// Much room.
  case regular = 2
}
