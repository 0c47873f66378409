// SPDX-License-Identifier: Apache-2.0

/// Room between or around items, in points.
public enum LayoutSpacing: Hashable, Sendable {
  case fixed(Double)
  /// At least this much; takes its share of what is left over.
  case flexible(Double)

  public static let zero = LayoutSpacing.fixed(0)

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
public struct EdgeSpacing: Hashable, Sendable {
  public var top: LayoutSpacing
  public var leading: LayoutSpacing
  public var bottom: LayoutSpacing
  public var trailing: LayoutSpacing

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

  public static let zero = EdgeSpacing()
}
