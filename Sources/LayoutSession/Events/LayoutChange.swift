// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// A change to another layout.
public struct LayoutChange: Sendable {
  /// The new layout, with its options.
  public var layout: LayoutConfiguration
  /// Whether the layout came with the client's request, rather than from the data.
  public var isOwn: Bool
  /// Whether the next frame is to carry a transition from the old layout.
  public var isAnimated: Bool

  /// A change to the given layout.
  public init(layout: LayoutConfiguration, isOwn: Bool = true, isAnimated: Bool = false) {
    self.layout = layout
    self.isOwn = isOwn
    self.isAnimated = isAnimated
  }
}
