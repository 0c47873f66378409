// SPDX-License-Identifier: Apache-2.0

/// Room between or around items, in points.
public enum LayoutSpacing: Hashable, Sendable {
  /// Exactly this much.
  case fixed(Double)
  /// At least this much; flexible spacings of a group share the room left over equally.
  case flexible(Double)

  /// No room.
  public static let zero = LayoutSpacing.fixed(0)

  /// The least room, in points.
  var minimum: Double {
    switch self {
    case .fixed(let length), .flexible(let length): length
    }
  }

  var isFlexible: Bool {
    if case .flexible = self { true } else { false }
  }
}

/// Room around an item or a group, outside of its size.
///
/// It counts when a group is filled and moves what follows, but makes no fraction smaller and no
/// group with a given length larger.
public struct EdgeSpacing: Hashable, Sendable {
  /// The room above.
  public var top: LayoutSpacing
  /// The room at the leading edge.
  public var leading: LayoutSpacing
  /// The room below.
  public var bottom: LayoutSpacing
  /// The room at the trailing edge.
  public var trailing: LayoutSpacing

  /// Makes room around an item or a group; the default is none.
  public init(
    top: LayoutSpacing = .zero,
    leading: LayoutSpacing = .zero,
    bottom: LayoutSpacing = .zero,
    trailing: LayoutSpacing = .zero
  ) {
    self.top = top
    self.leading = leading
    self.bottom = bottom
    self.trailing = trailing
  }

  /// No room at any edge.
  public static let zero = EdgeSpacing()
}
